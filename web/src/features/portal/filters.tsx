// Search and filters of the deliverables.
import { useDeferredValue, useEffect, useRef } from "react";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { type Filter, isFiltered, noFilter, type Row, stateLabels, states } from "./rows";

const none: readonly string[] = [];

export function Filters({ filter, set, packages, shown, total, chosen, choose }: {
  filter: Filter; set: (f: Filter) => void; packages: readonly string[]; shown: readonly Row[]; total: number;
  chosen: ReadonlySet<string>; choose: (keys: readonly string[], to: boolean) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => { if (e.key === "Escape" && document.activeElement === field.current) field.current?.blur(); };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  // Hundreds of options take the browser longer than all rows on the screen. They follow.
  const options = useDeferredValue(packages, none);
  const all = shown.length > 0 && shown.every((r) => chosen.has(r.key));
  const some = !all && chosen.size > 0 && shown.some((r) => chosen.has(r.key));
  return (
    <div className="filters" role="search" aria-label="Deliverables">
      <label className="tick" title="Select all that are shown"><input type="checkbox" id="select-shown" aria-label="Select all that are shown" checked={all} disabled={shown.length === 0}
        ref={(box) => { if (box) box.indeterminate = some; }} onChange={(e) => choose(shown.map((r) => r.key), e.target.checked)} /></label>
      <span className="search-field"><Icon.search /><input ref={field} id="search" className="field" type="search" autoComplete="off" spellCheck={false} maxLength={200} placeholder="Search deliverables" aria-label="Search deliverables"
        value={filter.q} onChange={(e) => set({ ...filter, q: e.target.value })} /></span>
      <select id="filter-state" className="quiet" aria-label="State" value={filter.state} onChange={(e) => set({ ...filter, state: e.target.value })}>
        <option value="">All states</option>{states.map((s) => <option key={s} value={s}>{stateLabels[s]}</option>)}
      </select>
      <select id="filter-package" className="quiet" aria-label="Package" value={filter.pkg} onChange={(e) => set({ ...filter, pkg: e.target.value })}>
        <option value="">All packages</option>{options.map((p) => <option key={p} value={p}>{p.replaceAll("_", " ")}</option>)}
        {filter.pkg && !options.includes(filter.pkg) && <option value={filter.pkg}>{packages.includes(filter.pkg) ? filter.pkg.replaceAll("_", " ") : `${filter.pkg} (gone)`}</option>}
      </select>
      <span className="segments" role="group" aria-label="Only">
        <button type="button" id="filter-findings" className="segment small" aria-pressed={filter.findings} onClick={() => set({ ...filter, findings: !filter.findings })}>With findings</button>
        <button type="button" id="filter-blocked" className="segment small" aria-pressed={filter.blocked} onClick={() => set({ ...filter, blocked: !filter.blocked })}>Blocked</button>
      </span>
      <span className="soft small nowrap shown-count" role="status">{isFiltered(filter) ? `${shown.length.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}` : count(total, "deliverable")}</span>
      {isFiltered(filter) && <button type="button" className="button plain small" onClick={() => set(noFilter)}>Clear</button>}
    </div>
  );
}
