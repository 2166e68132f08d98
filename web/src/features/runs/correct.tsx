// Resuming a run with a corrected file: which tasks stay, which are done again, and why.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Project } from "../../api/types";
import * as workflows from "../../api/workflows";
import { projectLink } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { projectKey } from "../project/live";

export function Correct({ project, id, file, busy, onResume }: { project: Project; id: string; file: string; busy: boolean; onResume: (path: string) => void }) {
  const root = project.path;
  const [path, setPath] = useState(file);
  const list = useQuery({ queryKey: projectKey(root, "workflows"), queryFn: ({ signal }) => workflows.workflows(root, signal), retry: false });
  const look = useMutation({ mutationFn: () => workflows.corrected(root, id, path) });
  const files = [...new Set([file, ...(list.data?.workflows ?? []).map((f) => f.path)])].filter(Boolean);
  const kept = look.data ?? [];
  const again = kept.filter((k) => k.again || k.repeated);
  return (
    <section className="run-correct" aria-label="Resume with a corrected file">
      <p className="soft small">The run keeps its own copy of the file. Correct the file, see what stays, then resume with it. An answer that was paid for is not asked for again.</p>
      <div className="pipeline-options">
        <label className="grow"><span className="hidden">File</span><select className="field" id="correct-file" value={path} onChange={(e) => { setPath(e.target.value); look.reset(); }}>
          {!path && <option value="">Choose the corrected file</option>}{files.map((f) => <option key={f} value={f}>{f}</option>)}</select></label>
        {path && <a className="button plain" href={projectLink(project.id, "workflows", "", { file: path })}>Check it</a>}
        <button type="button" className="button" id="correct-look" disabled={!path || look.isPending} onClick={() => look.mutate()}>{look.isPending && <span className="spin" />}Show what stays</button>
        <button type="button" className="button primary" id="correct-resume" disabled={!path || busy} onClick={() => onResume(path)}>{busy && <span className="spin" />}Resume with this file</button>
      </div>
      {look.error && <ErrorNotice error={look.error} onClose={() => look.reset()} />}
      {look.data && (
        <div role="status" id="correct-kept">
          <p className="small">{kept.length === 0 ? "No task of the run is finished: all of it is done." : `${count(kept.length - again.length, "task")} ${kept.length - again.length === 1 ? "stays" : "stay"}, ${again.length === 0 ? "none" : again.length} ${again.length === 1 ? "is" : "are"} done again.`} Nothing was started.</p>
          <ul className="plain-list small">
            {kept.map((k) => (
              <li key={k.task} className="row-line" data-kept={k.task}>
                {k.again || k.repeated ? <span className="chip warn">again</span> : <span className="chip good"><Icon.check />stays</span>}
                <code>{k.task}</code><span className="soft">{wordsOf(k)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** What is said of a task beside its name. */
function wordsOf(k: workflows.Kept): string {
  const of = k.of ? `${k.repeated ?? 0} of ${count(k.of, "finished task")} in it` : "";
  return [k.again, k.repeated ? `${of} done again` : k.of ? `${count(k.of, "finished task")} in it` : "", k.unfinished ? "it was stopped in its middle, and goes on" : ""].filter(Boolean).join("; ");
}
