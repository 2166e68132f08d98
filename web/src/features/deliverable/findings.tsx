// What does not agree with the specification, and how to correct it.
import type { PlacedFinding } from "../../api/deliverable";
import { deliverableLink, projectLink } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { CopyButton } from "../../ui/parts";
import type { PartProps } from "./deliverable";
import { PartProblem } from "./problem";

export function Findings({ project, d }: PartProps) {
  const all = d.findings ?? [];
  const groups = new Map<string, PlacedFinding[]>();
  for (const f of all) groups.set(f.code, [...groups.get(f.code) ?? [], f]);
  const errors = all.filter((f) => f.severity === "error").length;
  return (
    <div className="scroll"><div className="project-column">
      <PartProblem d={d} part="findings" />
      {all.length === 0 && <div className="empty-main"><Icon.check /><h3>Nothing to correct</h3><p className="soft">The files agree with the specification.</p></div>}
      {all.length > 0 && <p className="soft">{[errors && count(errors, "error"), all.length > errors && count(all.length - errors, "warning")].filter(Boolean).join(" and ")}{groups.size > 1 && ` of ${groups.size} kinds`}{d.moreFindings ? `; ${d.moreFindings} more are not listed` : ""}.</p>}
      {[...groups].map(([code, list]) => <Group key={code} code={code} list={list} d={d} project={project} />)}
    </div></div>
  );
}

/** Findings of one code that are shown before a person asks for more. */
const first = 5;

function Group({ code, list, project, d }: { code: string; list: readonly PlacedFinding[] } & PartProps) {
  const fixes = [...new Set(list.map((f) => f.fix).filter(Boolean))];
  const commands = [...new Set(list.map((f) => f.command).filter((c): c is string => Boolean(c)))];
  const href = (f: PlacedFinding) => {
    const name = (f.path ?? "").slice(d.relativePath.length + 1);
    if (name === "Dependencies.csv" && f.row) return deliverableLink(project.id, d.key, { show: "register", at: String(f.row) });
    if (f.path?.startsWith(`${d.relativePath}/`)) return deliverableLink(project.id, d.key, { show: "documents", file: name, ...(f.line ? { line: String(f.line) } : {}) });
    return f.path ? projectLink(project.id, "files", "", { path: f.path }) : "";
  };
  const item = (f: PlacedFinding, i: number) => (
    <li key={i}>
      <a href={href(f)}>{(f.path ?? "").startsWith(`${d.relativePath}/`) ? f.path!.slice(d.relativePath.length + 1) : f.path || "the project"}{f.row ? `, row ${f.row}` : f.line ? `, line ${f.line}` : ""}{f.column ? `, ${f.column}` : ""}</a>
      <span> {f.message}</span>
    </li>
  );
  return (
    <section className="finding-group" data-code={code}>
      <header>
        <span className={`chip ${list[0]!.severity === "error" ? "bad" : "warn"}`}>{list[0]!.severity}</span>
        <h3 className="grow">{code}</h3>
        <span className="soft small">{list.length}</span>
      </header>
      {fixes.slice(0, 3).map((fix) => <p key={fix}>{fix!.charAt(0).toUpperCase() + fix!.slice(1)}.</p>)}
      {commands.map((c) => (
        <div key={c} className="command"><code className="grow" tabIndex={0} role="region" aria-label="Command that corrects it">{c}</code><CopyButton text={() => c} /></div>
      ))}
      <ul className="finding-list small">{list.slice(0, first).map(item)}</ul>
      {list.length > first && <details><summary className="small">{list.length - first} more</summary><ul className="finding-list small">{list.slice(first).map(item)}</ul></details>}
    </section>
  );
}
