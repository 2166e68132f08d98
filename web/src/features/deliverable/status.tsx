// Where the deliverable stands: the way on, what it waits for, how it came here.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/deliverable";
import { deliverableLink, projectLink } from "../../route";
import { count } from "../../ui/format";
import { Diff } from "../../ui/diff";
import { Icon } from "../../ui/icons";
import type { PartProps } from "./deliverable";
import { PartProblem } from "./problem";
import { Transition } from "./transition";

/** How often commits are asked for, in milliseconds: a commit changes no file that the server tells of. */
const commitsAgain = 5_000;

export function StatusView({ project, d }: PartProps) {
  const commits = useQuery({ queryKey: ["commits", project.path, d.relativePath], queryFn: ({ signal }) => api.commits(project.path, d.relativePath, signal), retry: false, refetchInterval: commitsAgain });
  const status = d.statusFile?.status;
  // The newest first, however the file has them.
  const history = [...status?.history ?? []].map((e, i) => ({ ...e, i })).sort((a, b) => (b.date ?? "").localeCompare(a.date ?? "") || (newestFirst(status?.history ?? []) ? a.i - b.i : b.i - a.i));
  const steps = d.transitions ?? [];
  return (
    <div className="scroll"><div className="project-column status-columns">
      <div className="status-main">
        <PartProblem d={d} part="status" />
        {d.status === "unknown" && d.recordedState && (
          <p className="notice warn"><span>_STATUS.md says “{d.recordedState}”, which the lifecycle does not have. A person corrects the line <strong>Current State</strong> in _STATUS.md first; then the deliverable can go on.</span></p>
        )}
        {steps.map((choice) => <Transition key={choice.to} project={project} d={d} choice={choice} commits={commits.data} error={commits.error} />)}
        {status && steps.length === 0 && d.status !== "unknown" && <p className="soft">No step leads on from {status.currentState}.</p>}
        <Since commits={commits.data} />
      </div>
      <aside className="status-side">
        <Blockers project={project} d={d} />
        <section aria-labelledby="history-head">
          <h3 id="history-head">History</h3>
          {history.length === 0 && <p className="soft">No entry.</p>}
          <ol className="history">
            {history.map((e) => (
              <li key={e.i}>
                <span className="history-state">{e.fromState && e.fromState !== e.state ? `${e.fromState} → ${e.state}` : e.state}</span>
                <span className="soft small">{e.date}{e.actor && ` · ${e.actor}`}</span>
                {e.notes && <span className="small">{e.notes}</span>}
              </li>
            ))}
          </ol>
          {status && <p className="small"><a href={deliverableLink(project.id, d.key, { show: "documents", file: "_STATUS.md" })}>_STATUS.md</a><span className="soft"> · last updated {status.lastUpdated}</span></p>}
        </section>
      </aside>
    </div></div>
  );
}

function newestFirst(entries: readonly { date?: string }[]): boolean {
  return (entries[0]?.date ?? "") > (entries.at(-1)?.date ?? "");
}

/** What changed since the last transition, folded until somebody looks. */
function Since({ commits }: { commits: api.Commits | undefined }) {
  const [open, setOpen] = useState(false);
  const s = commits?.since;
  if (!s) return null;
  return (
    <section className="since" aria-label="Changes since the last transition">
      <button type="button" id="since" className="button plain" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon.chevron />{s.files + (s.left ?? 0) === 0 ? "Nothing changed" : `${count(s.files, "file")}${s.left ? " and more" : ""} changed`} since {s.pending ? "the last commit" : s.state}
        <code className="soft">{s.commit.sha.slice(0, 9)}</code>
      </button>
      {open && s.files === 0 && <p className="soft small">The files are those of the commit “{s.commit.subject}”.</p>}
      {open && s.diff && <Diff text={s.diff} review={`since/${s.commit.sha}`} />}
      {open && s.left ? <p className="soft small">{count(s.left, "more file")} not shown here.</p> : null}
    </section>
  );
}

/** Blockers that are listed before a person asks for more. */
const first = 8;

function Blockers({ project, d }: PartProps) {
  const up = d.blockers ?? [], down = d.blocks ?? [];
  const link = (id: string) => projectLink(project.id, "graph", "", { impact: id });
  return (
    <section aria-labelledby="blockers-head">
      <h3 id="blockers-head">Waiting</h3>
      <PartProblem d={d} part="graph" />
      {up.length === 0 && <p className="soft">It waits for nothing.</p>}
      {up.length > 0 && (
        <>
          <p className="small soft">It waits for</p>
          <ul className="blockers">{up.slice(0, first).map((b) => <li key={`${b.dependencyId}/${b.deliverable}`}><a href={deliverableLink(project.id, d.key, { show: "register", row: b.dependencyId })}>{b.deliverable}</a> <span className="soft small">{b.reason || b.state}</span></li>)}</ul>
          {up.length > first && <p className="small soft">and {up.length - first} more</p>}
        </>
      )}
      {down.length > 0 && (
        <>
          <p className="small soft">These wait for it</p>
          <ul className="blockers">{down.slice(0, first).map((b) => <li key={`${b.dependencyId}/${b.deliverable}`}><a href={link(b.deliverable)}>{b.deliverable}</a> <span className="soft small">{b.state}</span></li>)}</ul>
          {down.length > first && <p className="small soft">and {down.length - first} more</p>}
        </>
      )}
      <p className="small"><a href={link(d.id)}>In the graph</a></p>
    </section>
  );
}
