// The deliverables, package by package. Rows have one height, so that only those on the screen
// are drawn, however many there are.
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Project } from "../../api/types";
import { deliverableLink } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { selectionLink } from "../project/selection";
import { age, isRow, type Line, type Row, stateLabels } from "./rows";

/** Lines that are drawn beyond the screen on each side. */
const beyond = 12;

function useMedia(query: string): boolean {
  return useSyncExternalStore((changed) => {
    const media = matchMedia(query);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, () => matchMedia(query).matches);
}

/** The lines that are near the screen. */
function useWindow(list: RefObject<HTMLElement | null>, scroller: RefObject<HTMLElement | null>, lines: number, height: number): [from: number, to: number] {
  const [at, setAt] = useState<[number, number]>([0, 24]);
  // Not before the painting: the scroller around the list is known only then.
  useEffect(() => {
    const l = list.current, s = scroller.current;
    if (!l || !s) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      const above = s.getBoundingClientRect().top - l.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(above / height) - beyond);
      const to = Math.min(lines, Math.ceil((above + s.clientHeight) / height) + beyond);
      setAt((was) => (was[0] === from && was[1] === to ? was : [from, Math.max(from, to)]));
    };
    const soon = () => { frame ||= requestAnimationFrame(look); };
    look();
    s.addEventListener("scroll", soon, { passive: true });
    const resized = new ResizeObserver(soon);
    resized.observe(s);
    if (l.parentElement) resized.observe(l.parentElement);
    return () => { s.removeEventListener("scroll", soon); resized.disconnect(); cancelAnimationFrame(frame); };
  }, [list, scroller, lines, height]);
  return at;
}

export function List({ project, lines, scroller, chosen, choose, judged }: {
  project: Project; lines: readonly Line[]; scroller: RefObject<HTMLElement | null>;
  chosen: ReadonlySet<string>; choose: (keys: readonly string[], to: boolean) => void;
  /** Whether findings and blockers are known. */
  judged: boolean;
}) {
  const list = useRef<HTMLDivElement>(null);
  const narrow = useMedia("(max-width: 50rem)"), coarse = useMedia("(pointer: coarse)");
  const height = narrow ? 62 : coarse ? 46 : 36;
  const [from, to] = useWindow(list, scroller, lines.length, height);
  const onKey = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[e.key];
    const line = (e.target as HTMLElement).closest<HTMLElement>("[data-line]");
    if (!step || !line) return;
    e.preventDefault();
    const next = Math.min(lines.length - 1, Math.max(0, Number(line.dataset.line) + step));
    const part = (e.target as HTMLElement).dataset.part ?? "link";
    const s = scroller.current, l = list.current;
    if (!s || !l) return;
    const top = l.getBoundingClientRect().top - s.getBoundingClientRect().top + s.scrollTop + next * height;
    // The head of the list stays at the top of the view, and covers one row and a half.
    if (top < s.scrollTop + 2.5 * height + 50) s.scrollTop = top - 2.5 * height - 50;
    else if (top + 2 * height > s.scrollTop + s.clientHeight) s.scrollTop = top + 2 * height - s.clientHeight;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const row = l.querySelector<HTMLElement>(`[data-line="${next}"]`);
      (row?.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? row?.querySelector<HTMLElement>("[data-part]"))?.focus({ preventScroll: true });
    }));
  };
  return (
    <div ref={list} className={narrow ? "deliverables narrow" : "deliverables"} role="table" aria-label="Deliverables" aria-rowcount={lines.length}
      style={{ height: lines.length * height }} onKeyDown={onKey}>
      <div role="rowgroup" style={{ transform: `translateY(${Math.min(from, lines.length) * height}px)` }}>
        {lines.slice(from, to).map((line, i) => (isRow(line)
          ? <Deliverable key={line.path} project={project} row={line} at={from + i} height={height} chosen={chosen.has(line.key)} choose={choose} judged={judged} />
          : <Package key={line.pkg} pkg={line.pkg} rows={line.rows} at={from + i} height={height} chosen={chosen} choose={choose} />))}
      </div>
    </div>
  );
}

function Package({ pkg, rows, at, height, chosen, choose }: { pkg: string; rows: readonly Row[]; at: number; height: number; chosen: ReadonlySet<string>; choose: (keys: readonly string[], to: boolean) => void }) {
  const n = rows.reduce((n, r) => n + Number(chosen.has(r.key)), 0);
  const [id, ...name] = pkg.split("_");
  const blocked = rows.filter((r) => r.blockers > 0).length, found = rows.reduce((n, r) => n + r.errors + r.warnings, 0);
  return (
    <div role="row" aria-rowindex={at + 1} data-line={at} className="line package" style={{ height }}>
      <span role="cell" className="tick"><label><input type="checkbox" data-part="tick" aria-label={`All of ${pkg}`} checked={n === rows.length} ref={(box) => { if (box) box.indeterminate = n > 0 && n < rows.length; }}
        onChange={(e) => choose(rows.map((r) => r.key), e.target.checked)} /></label></span>
      <span role="rowheader" className="clip" title={pkg}><b>{pkg === "UNKNOWN_PACKAGE" ? "In no package" : id}</b> {pkg !== "UNKNOWN_PACKAGE" && name.join(" ")}</span>
      <span role="cell" className="soft small nowrap package-counts">{count(rows.length, "deliverable")}{blocked > 0 && <span>, {blocked} blocked</span>}{found > 0 && <span>, {count(found, "finding")}</span>}</span>
    </div>
  );
}

function Deliverable({ project, row: r, at, height, chosen, choose, judged }: { project: Project; row: Row; at: number; height: number; chosen: boolean; choose: (keys: readonly string[], to: boolean) => void; judged: boolean }) {
  // The server names three at most, each once, however many dependencies lead to it.
  const waits = r.waitsFor.join(", ") + (r.waitsFor.length === 3 && r.blockers > 3 ? ", …" : "");
  return (
    <div role="row" aria-rowindex={at + 1} data-line={at} className={chosen ? "line chosen" : "line"} style={{ height }}>
      <span role="cell" className="tick"><label><input type="checkbox" data-part="tick" aria-label={`Select ${r.id} ${r.name}`} checked={chosen} onChange={(e) => choose([r.key], e.target.checked)} /></label></span>
      <span role="rowheader" className="name"><a data-part="link" href={deliverableLink(project.id, r.key)} title={`${r.id} ${r.name}`}><span className="id">{r.id}</span><span className="clip">{r.name}</span></a></span>
      <span role="cell" className="state"><span className={`dot state-${r.state}`} aria-hidden="true" /><span className="clip" title={r.recorded && `_STATUS.md says ${r.recorded}`}>{stateLabels[r.state]}{r.recorded && `: ${r.recorded}`}</span></span>
      <span role="cell" className="age soft" title={r.since && `since ${r.since}`}>{r.since && age(r.since)}</span>
      <span role="cell" className="blockers">{r.circle && <span className="circle-mark" title="It waits for itself, over others">circle</span>}{r.blockers > 0 && <span className="clip" title={`waits for ${waits}`}>waits for {r.waitsFor.length === 1 ? r.waitsFor[0] : r.blockers}</span>}</span>
      <span role="cell" className="findings">{!judged ? <span className="soft" aria-label="not checked yet">…</span> : <>
        {r.errors > 0 && <span className="errors">{count(r.errors, "error")}</span>}{r.warnings > 0 && <span className="soft">{count(r.warnings, "warning")}</span>}</>}</span>
      <span role="cell" className="work"><a className="button plain icon" data-part="work" href={selectionLink(project.id, [r.key])} aria-label={`Start an agent on ${r.id}`} title="Start an agent on it"><Icon.chevron /></a></span>
    </div>
  );
}
