import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/history";
import type { Project } from "../../api/types";
import { useInfo } from "../../app-state";
import { projectLink } from "../../route";
import { ErrorNotice } from "../../ui/parts";

const modes = [
  ["SCHEDULE_FIRST", "Schedule-first", "The schedule decides the order. Dependencies show what blocks, and are audited."],
  ["DEPENDENCY_TRACKED", "Dependency-tracked", "The graph of dependencies decides the order."],
  ["HYBRID", "Hybrid", "The schedule decides between milestones, the graph within them."],
] as const;

export function Coordination({ project }: { project: Project }) {
  const queries = useQueryClient();
  const { data, error, isPending } = useQuery({ queryKey: ["coordination", project.path], queryFn: ({ signal }) => api.coordination(project.path, signal), retry: false });
  const [chosen, setChosen] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const [recorded, setRecorded] = useState(false);
  const operator = useInfo().data?.operator;
  const mode = chosen ?? data?.record.mode ?? "";
  const save = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      await api.setCoordination(project.path, mode, data!.tag);
      setRecorded(true);
      setChosen(undefined);
    } catch (err) {
      setFailed(err);
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: ["coordination", project.path] });
    }
  };
  return (
    <section className="history-section" aria-label="Coordination">
      <p className="soft">How the team uses the graph of dependencies. It is chosen once for the project, and does not change how dependencies are tracked.</p>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {data?.record.problem && <p className="notice warn">Nothing is chosen: {data.record.problem}.{data.record.value && <> The file says <code>{data.record.value}</code>.</>}</p>}
      {data && (
        <fieldset className="modes" disabled={busy}>
          <legend className="hidden">Coordination mode</legend>
          {modes.map(([id, label, about]) => (
            <label key={id} className="card mode">
              <input type="radio" name="mode" value={id} checked={mode === id} onChange={() => { setChosen(id); setRecorded(false); }} />
              <span><strong>{label}</strong>{data.record.mode === id && <span className="chip accent">recorded</span>}<span className="soft mode-about">{about}</span></span>
            </label>
          ))}
        </fieldset>
      )}
      {failed !== undefined && <ErrorNotice error={failed} onClose={() => setFailed(undefined)} />}
      {operator === false && <p className="soft small">Recording a mode needs the operator's authority. Run “belay open” on the server's machine and open its link in this browser.</p>}
      {data && (
        <p className="row-line">
          <button type="button" className="button primary" id="record-mode" disabled={busy || operator === false || mode === "" || mode === data.record.mode} onClick={() => void save()}>{busy && <span className="spin" />}Record</button>
          {data.record.exists && <a href={projectLink(project.id, "files", "", { path: data.record.path, ...(data.record.line ? { line: String(data.record.line) } : {}) })}>{data.record.path}</a>}
          <span role="status" className="soft small">{recorded && "It is recorded, and on the audit log."}</span>
        </p>
      )}
    </section>
  );
}
