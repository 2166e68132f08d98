// The state of the project in one line, the matrix of agents, and what to do first.
import type { ReactNode } from "react";
import type { Progress } from "../../api/portal";
import type { Project } from "../../api/types";
import { navigate } from "../../route";
import { count } from "../../ui/format";
import { CopyButton } from "../../ui/parts";
import { cells, columns, lastWins } from "./matrix";
import { type Filter, type Row, stateLabels, tally } from "./rows";

/** A bar of all states. Each part of its legend is a filter. */
export function States({ rows, filter, set, children }: { rows: readonly Row[]; filter: Filter; set: (f: Filter) => void; children: ReactNode }) {
  const states = tally(rows);
  return (
    <div className="states">
      <div className="states-bar" aria-hidden="true">{states.map(([s, n]) => <span key={s} className={`state-${s}`} style={{ flexGrow: n }} />)}</div>
      <div className="states-legend"><div role="group" aria-label="States">
        {states.map(([s, n]) => (
          <button key={s} type="button" className="state-part" aria-pressed={filter.state === s} onClick={() => set({ ...filter, state: filter.state === s ? "" : s })}>
            <span className={`dot state-${s}`} aria-hidden="true" />{stateLabels[s]}<b>{n.toLocaleString("en-US")}</b>
          </button>
        ))}
      </div><span className="grow" />{children}</div>
    </div>
  );
}

const click = lastWins();

/** The matrix of workspace 14.1. Of several clicks in one turn of the event loop the last one counts. */
export function Matrix({ project }: { project: Project }) {
  return (
    <section className="portal-block matrix" aria-labelledby="matrix-title">
      <header><h3 id="matrix-title">Agents</h3></header>
      <table>
        <thead><tr><td />{columns.map((c) => <th key={c} scope="col">{label(c)}</th>)}</tr></thead>
        <tbody>
          {cells(project).map(({ row, cells }) => (
            <tr key={row}>
              <th scope="row">{label(row)}</th>
              {cells.map((cell) => (
                <td key={cell.column}>
                  <a href={cell.href} data-row={cell.row} data-column={cell.column} title={`${cell.label}: ${label(cell.row)}, ${label(cell.column)}`} onClick={(e) => {
                    if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
                    e.preventDefault();
                    click(() => navigate(cell.href));
                  }}>{broken(cell.label)}</a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Where a long name may be broken on a narrow screen. */
const broken = (name: string) => name.replaceAll("_", "_\u200b").replace(/^(ORCHES|DEPEND|RECON|AGGRE)(?=...)/, "$1\u00ad");

const label = (name: string) => name[0] + name.slice(1).toLowerCase();

/** A command without the project's folder, which is the same in all of them. */
const short = (line: string, root: string) => line.replace(/ --project (?:'(?:[^']|'\\'')*'|\S+)/, "").replaceAll(`${root}/`, "").replaceAll(root, ".");

/** The commands for most of the findings, as `belay project validate` prints them. */
export function DoFirst({ progress, onFindings, children }: { progress: Progress | undefined; onFindings: () => void; children?: ReactNode }) {
  const all = progress ? progress.summary.errors + progress.summary.warnings : 0;
  const elsewhere = (progress?.elsewhere.errors ?? 0) + (progress?.elsewhere.warnings ?? 0);
  return (
    <section className="portal-block first" aria-labelledby="first-title">
      <header><h3 id="first-title">Do first</h3>{all > 0 && <button type="button" className="button plain small" onClick={onFindings}>{count(all, "finding")}</button>}</header>
      {children}
      {!progress && <p className="soft small"><span className="spin" /> Checking the files</p>}
      {progress && all === 0 && <p className="soft small">Nothing is wrong with the files of this project.</p>}
      {progress?.doFirst?.length ? (
        <ul className="commands">
          {progress.doFirst.map((c) => (
            <li key={c.line}><code className="clip" title={c.line}>{short(c.line, progress.projectRoot)}</code><span className="soft small nowrap">for {count(c.findings, "finding")}</span><CopyButton text={() => c.line} what={c.line} /></li>
          ))}
        </ul>
      ) : progress && all > 0 && <p className="soft small">No command is made for these findings. Open a deliverable to see what each one needs.</p>}
      {elsewhere > 0 && <p className="soft small">{count(elsewhere, "finding")} {elsewhere === 1 ? "is" : "are"} about the project itself, and in no deliverable.</p>}
      {progress?.summary.codes && all > 0 && <p className="soft small codes clip" title={progress.summary.codes.map((c) => `${c.code} × ${c.count}`).join("\n")}>{progress.summary.codes.slice(0, 3).map((c) => `${c.code} × ${c.count}`).join(" · ")}</p>}
    </section>
  );
}
