// What agents propose for the register, row by row, with the evidence beside the row.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import * as api from "../../api/deliverable";
import { isFailure } from "../../api/http";
import { useInfo, useRefresh } from "../../app-state";
import { sessionLink } from "../../route";
import { chosen as settled, toggle, useChoosing } from "../../ui/choosing";
import { ago, count, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { announce } from "../shell/announce";
import { typing } from "../shell/keys";
import { rankOf, titleOf } from "./columns";
import type { PartProps } from "./deliverable";
import { citedOf, Evidence } from "./evidence";
import { PartProblem, SummaryProblem } from "./problem";
import { registerQuery } from "./queries";

type Kind = "new" | "changed" | "seen" | "retired";
interface Line { id: string; kind: Kind; row: number; changes: readonly { column: string; before: string; after: string }[]; kept: readonly string[] }

/** The rows of a diff: new ones, those with other values, those that would be retired, and those that were only seen again. */
function linesOf(p: api.Proposal): Line[] {
  const only = (kind: Kind) => (r: { dependencyId: string; row?: number; changes: Line["changes"] | null; kept?: string[] | null }): Line =>
    ({ id: r.dependencyId, kind, row: r.row ?? 0, changes: r.changes ?? [], kept: r.kept ?? [] });
  const confirmed = (p.diff?.confirmed ?? []).map((r) => only((r.changes ?? []).some((c) => c.column !== "LastSeen") ? "changed" : "seen")(r));
  return [...(p.diff?.new ?? []).map(only("new")), ...confirmed.filter((l) => l.kind === "changed"), ...(p.diff?.retired ?? []).map(only("retired")), ...confirmed.filter((l) => l.kind === "seen")];
}

export default function Proposals({ project, d }: PartProps) {
  const all = d.proposals ?? [];
  const { data: register } = useQuery(registerQuery(project.path, d.path));
  const lines = useMemo(() => all.flatMap((p) => linesOf(p).map((line) => ({ at: `${p.id}/${line.id}`, line }))), [all]);
  const [at, setAt] = useState("");
  const [sheet, setSheet] = useState(false);
  // An applied proposal is gone from the list, so its problem is kept here.
  const [summaryProblem, setSummaryProblem] = useState("");
  const current = lines.find((l) => l.at === at) ?? lines[0];
  const old = useMemo(() => register?.rows.find((r) => (r.DependencyID ?? "").trim() === current?.line.id), [register, current?.line.id]);
  const cited = citedOf((column) => current?.line.changes.find((c) => c.column === column)?.after ?? old?.[column] ?? "");
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (typing(e) || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]") || !["j", "k"].includes(e.key)) return;
      const i = lines.findIndex((l) => l === current), to = lines[i + (e.key === "j" ? 1 : -1)];
      if (!to) return;
      e.preventDefault();
      setAt(to.at);
      const button = document.getElementById(`line-${to.at}`);
      button?.focus({ preventScroll: true });
      button?.closest("li")?.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  if (all.length === 0) {
    return (
      <div className="scroll"><div className="project-column"><PartProblem d={d} part="proposals" /><SummaryProblem why={summaryProblem} />
        <div className="empty-main"><Icon.inbox /><h3>Nothing is proposed</h3><p className="soft">What DEPENDENCIES proposes for this register appears here, with its evidence.</p></div></div></div>
    );
  }
  const evidence = current && <Evidence key={current.at} d={d} cited={cited} />;
  return (
    <div className="deliverable-split proposals">
      <div className="split-list scroll">
        <div className="proposal-list">
          <p className="soft small keys-hint"><kbd>j</kbd> <kbd>k</kbd> next and previous row, <kbd>Space</kbd> chooses it</p>
          <SummaryProblem why={summaryProblem} />
          {all.map((p) => <ProposalCard key={p.id} project={project} p={p} onSummaryProblem={setSummaryProblem} current={current?.at ?? ""} onLine={(id, open) => { setAt(id); if (open && !matchMedia("(min-width: 60rem)").matches) setSheet(true); }} />)}
        </div>
      </div>
      <aside className="split-main scroll" aria-label="Evidence of the row"><div className="proposal-evidence">{current && <p className="small soft">{visible(current.line.id)}</p>}{evidence}</div></aside>
      {sheet && current && <Sheet title={visible(current.line.id)} wide onClose={() => setSheet(false)}>{evidence}</Sheet>}
    </div>
  );
}

const words: Record<Kind, [label: string, className: string]> = { new: ["new", "good"], changed: ["changed", "accent"], seen: ["seen again", ""], retired: ["retired", "warn"] };

function ProposalCard({ project, p, current, onLine, onSummaryProblem }: {
  project: PartProps["project"]; p: api.Proposal; current: string; onLine: (at: string, open: boolean) => void; onSummaryProblem: (why: string) => void;
}) {
  const refresh = useRefresh();
  const operator = useInfo().data?.operator;
  const lines = useMemo(() => linesOf(p), [p]);
  const { left } = useChoosing(p.id);
  const [unfolded, setUnfolded] = useState(false);
  const chosen = lines.filter((l) => !left.has(l.id));
  const retired = chosen.some((l) => l.kind === "retired");
  const done = (said: string) => { settled(p.id); announce(said); refresh("deliverable", "register", "commits", "project-file"); };
  const apply = useMutation({
    mutationFn: () => api.applyProposal(p, project.path, chosen.length < lines.length ? chosen.map((l) => l.id) : undefined, retired || chosen.length === lines.length),
    onMutate: () => onSummaryProblem(""),
    onSuccess: (why) => { onSummaryProblem(why); done(`Applied: ${count(chosen.length, "row")}.`); },
    // Nothing can be applied again before the rows are compared anew.
    onError: (err) => isFailure(err, "CONTENT_CHANGED") || isFailure(err, "DECISION_CLOSED") ? refresh("deliverable", "register") : undefined,
  });
  const dismiss = useMutation({ mutationFn: () => api.dismissProposal(p.id, project.path), onSuccess: () => done("Dismissed.") });
  const busy = apply.isPending || dismiss.isPending;
  const quiet = lines.filter((l) => l.kind === "seen");
  const line = (l: Line) => <ProposalLine key={l.id} at={`${p.id}/${l.id}`} line={l} chosen={!left.has(l.id)} current={current === `${p.id}/${l.id}`} onToggle={() => toggle(p.id, l.id)} onOpen={(open) => onLine(`${p.id}/${l.id}`, open)} />;
  return (
    <section className="proposal" aria-label={`Proposal of ${p.by || "an agent"}`} data-proposal={p.id}>
      <header>
        <h3>{count(lines.length, "row")}{p.by && ` of ${visible(p.by)}`}</h3>
        <p className="soft small"><time dateTime={p.createdAt} title={new Date(p.createdAt).toLocaleString()}>{ago(p.createdAt)}</time>{p.complete && " · has every row that was found"}{p.sessionId && <> · <a href={sessionLink(p.sessionId)}>session</a></>}</p>
        {p.note && <p>{visible(p.note)}</p>}
      </header>
      {p.problem && <p className="notice bad"><span>It cannot be applied as it is: {visible(p.problem)}</span></p>}
      {p.stale && <p className="notice warn"><span>The register changed since this was proposed. The rows below compare it with the register as it is now.</span></p>}
      {(p.diff?.columns ?? []).length > 0 && <p className="soft small">The register gets {(p.diff?.columns ?? []).length === 1 ? "the column" : "the columns"} {visible((p.diff?.columns ?? []).join(", "))}.</p>}
      <ul className="proposal-lines">{lines.filter((l) => l.kind !== "seen").map(line)}</ul>
      {quiet.length > 0 && (
        <>
          <button type="button" className="button plain small" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}><Icon.chevron />{count(quiet.length, "row")} seen again, as {quiet.length === 1 ? "it is" : "they are"}</button>
          {unfolded && <ul className="proposal-lines">{quiet.map(line)}</ul>}
        </>
      )}
      {apply.error && (isFailure(apply.error, "CONTENT_CHANGED")
        ? <div className="notice warn" role="alert"><strong>The register changed meanwhile</strong><p>The rows are compared with it anew, and your choice is kept. Look again, then apply.</p></div>
        : <ErrorNotice error={apply.error} onClose={() => apply.reset()} />)}
      {dismiss.error && <ErrorNotice error={dismiss.error} onClose={() => dismiss.reset()} />}
      {operator === false && <p className="soft small">Only a browser that “belay open” let in may apply and dismiss.</p>}
      <div className="answers">
        <button type="button" className="button primary apply" disabled={busy || chosen.length === 0 || Boolean(p.problem)} onClick={() => apply.mutate()}>
          {apply.isPending ? <span className="spin" /> : <Icon.check />}{chosen.length === lines.length ? `Apply ${count(lines.length, "row")}` : `Apply ${chosen.length} of ${lines.length} rows`}
        </button>
        <button type="button" className="button danger dismiss" disabled={busy} onClick={() => dismiss.mutate()}><Icon.cross />Dismiss</button>
      </div>
    </section>
  );
}

/** The cells of a new row that are read first. */
const firstCells = ["Statement", "Direction", "DependencyType", "DependencyClass", "TargetDeliverableID", "TargetRefID", "TargetName", "EvidenceFile", "SourceRef"];

function Cells({ cells }: { cells: Line["changes"] }) {
  return (
    <dl className="cells small">
      {cells.map((c) => (
        <div key={c.column}>
          <dt>{visible(titleOf(c.column))}</dt>
          <dd>{c.before !== "" && <del><span className="hidden">before: </span>{visible(c.before)}</del>}{c.after !== "" ? <ins><span className="hidden">proposed: </span>{visible(c.after)}</ins> : <span className="soft">(empty)</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

function ProposalLine({ at, line, chosen, current, onToggle, onOpen }: { at: string; line: Line; chosen: boolean; current: boolean; onToggle: () => void; onOpen: (open: boolean) => void }) {
  const [label, className] = words[line.kind];
  const cells = line.changes.filter((c) => c.column !== "DependencyID" && c.column !== "LastSeen" && (line.kind !== "new" || c.after !== "")).sort((x, y) => rankOf(x.column) - rankOf(y.column));
  const first = line.kind === "new" ? cells.filter((c) => firstCells.includes(c.column)) : cells;
  const rest = line.kind === "new" ? cells.filter((c) => !firstCells.includes(c.column)) : [];
  return (
    <li className={`proposal-line ${current ? "current" : ""}`} data-line={line.id}>
      <label className="proposal-pick"><input type="checkbox" checked={chosen} onChange={onToggle} /><span className="hidden">Apply {visible(line.id)}</span></label>
      <div className="grow">
        <button type="button" id={`line-${at}`} className="proposal-open" aria-current={current ? "true" : undefined} onClick={() => onOpen(true)} onFocus={() => onOpen(false)}
          onKeyDown={(e) => { if (e.key === " ") { e.preventDefault(); onToggle(); } }}>
          <strong>{visible(line.id)}</strong><span className={`chip ${className}`}>{label}</span>
        </button>
        <Cells cells={first} />
        {rest.length > 0 && <details className="more-cells small"><summary>{count(rest.length, "more cell")}</summary><Cells cells={rest} /></details>}
        {line.kept.map((k) => <p key={k} className="soft small">{visible(k)}</p>)}
      </div>
    </li>
  );
}
