// The sessions that changed files of the deliverable, with links to them.
import { sessionLink } from "../../route";
import { ago, count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import type { PartProps } from "./deliverable";
import { PartProblem } from "./problem";

export function Sessions({ d }: PartProps) {
  const all = d.sessions ?? [];
  return (
    <div className="scroll"><div className="project-column">
      <PartProblem d={d} part="sessions" />
      {all.length === 0 && <div className="empty-main"><Icon.chat /><h3>No session has changed its files</h3><p className="soft">Sessions appear here when an agent writes into this folder.</p></div>}
      {all.length > 0 && (
        <ul className="closed-list">
          {all.map((s) => (
            <li key={s.sessionId}>
              <a className="session-touch" href={sessionLink(s.sessionId)}>
                <span className="row-title">{s.title || "A session"}</span>
                <span className="soft small">{s.persona && `${s.persona} · `}{count(s.turns, "turn")} · <time dateTime={s.lastAt} title={new Date(s.lastAt).toLocaleString()}>{ago(s.lastAt)}</time></span>
                <span className="soft small clip">{(s.paths ?? []).map((p) => p.slice(d.relativePath.length + 1)).join(", ")}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {d.moreSessions && <p className="soft small">Only the sessions that were used last are looked at.</p>}
    </div></div>
  );
}
