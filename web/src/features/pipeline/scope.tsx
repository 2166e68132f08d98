// On which deliverables is worked: one, many, or those of a knowledge type.
import { useId, useMemo, useRef, useState } from "react";
import type { Choices, Deliverable, Listing } from "../../api/pipeline";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Windowed } from "../../ui/windowed";
import { keyOf, type ScopeMode, type Selection } from "./selection";

export function ScopeModes({ modes, types, selection, onChange }: {
  modes: NonNullable<Choices["scopeModes"]>; types: NonNullable<Listing["knowledgeTypes"]>; selection: Selection; onChange: (next: Selection) => void;
}) {
  const why = useId();
  const refused = modes.find((m) => !m.enabled);
  return (
    <div className="scope-modes">
      <div className="segments" role="group" aria-label="Scope mode">
        {modes.map((m) => (
          <button key={m.id} type="button" className="segment" data-scope-mode={m.id} aria-pressed={m.id === selection.scopeMode} disabled={!m.enabled} aria-describedby={m.enabled ? undefined : why}
            onClick={() => onChange({ ...selection, scopeMode: m.id as ScopeMode, knowledgeType: "", targets: [] })}>{m.label}</button>
        ))}
      </div>
      {refused && <p id={why} className="soft small">{refused.label}: {refused.reason}.</p>}
      {selection.scopeMode === "KNOWLEDGE_TYPES" && (
        <label className="scope-type"><span>Scope</span>
          <select className="field" name="knowledge-type" value={selection.knowledgeType} onChange={(e) => onChange({ ...selection, knowledgeType: e.target.value, targets: [] })}>
            <option value="">Choose a knowledge type</option>
            {types.map((t) => <option key={t.id} value={t.id} disabled={!t.matchingDeliverableKeys?.length}>{t.label} ({count(t.matchingDeliverableKeys?.length ?? 0, "deliverable")})</option>)}
          </select></label>
      )}
    </div>
  );
}

const states = ["open", "initialized", "semantic_ready", "in_progress", "checking", "issued"];
const shownState = (status: string) => status.replaceAll("_", " ");

export function Targets({ deliverables, known, offered, chosen, most, optional, onChange }: {
  deliverables: readonly Deliverable[]; known: boolean; offered: ReadonlySet<string>; chosen: readonly string[]; most: number; optional: boolean; onChange: (keys: readonly string[]) => void;
}) {
  const [words, setWords] = useState("");
  const [state, setState] = useState("");
  const [only, setOnly] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const ticked = useMemo(() => new Set(chosen), [chosen]);
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const all = deliverables.filter((d) => offered.has(keyOf(d)));
  const shown = all.filter((d) => (state === "" || d.status.toLowerCase() === state) && (!only || ticked.has(keyOf(d)))
    && wanted.every((w) => `${d.id} ${d.name} ${d.pkg}`.toLowerCase().includes(w)));
  const present = states.filter((s) => all.some((d) => d.status.toLowerCase() === s));
  const every = shown.length > 0 && shown.every((d) => ticked.has(keyOf(d)));
  const toggle = (key: string) => onChange(ticked.has(key) ? chosen.filter((k) => k !== key) : [...chosen, key]);
  const toggleAll = () => {
    const keys = shown.map(keyOf);
    const there = new Set(keys);
    onChange(every ? chosen.filter((k) => !there.has(k)) : [...new Set([...chosen, ...keys])]);
  };
  return (
    <fieldset className="targets"><legend className="hidden">Target deliverables</legend>
      <div className="targets-head">
        <label className="search grow"><span className="hidden">Search deliverables</span><Icon.search /><input type="search" className="field" id="search-targets" placeholder="Search deliverables" value={words} onChange={(e) => setWords(e.target.value)} /></label>
        <label><span className="hidden">State</span><select className="quiet" name="state" value={state} onChange={(e) => setState(e.target.value)}>
          <option value="">All states</option>{present.map((s) => <option key={s} value={s}>{shownState(s)}</option>)}</select></label>
      </div>
      <div className="targets-count">
        <label className="check"><input type="checkbox" id="all-targets" checked={every} disabled={shown.length === 0} onChange={toggleAll} />All {shown.length.toLocaleString("en-US")} shown</label>
        <span className="grow" />
        {chosen.length > 0 && <label className="check"><input type="checkbox" checked={only} onChange={() => setOnly(!only)} />Only chosen</label>}
        <span className={chosen.length > most ? "chip bad" : chosen.length > 0 ? "chip accent" : "soft small"} role="status">{chosen.length > 0 ? `${chosen.length.toLocaleString("en-US")} of ${all.length.toLocaleString("en-US")}` : optional ? "None: the whole project" : "None chosen"}</span>
      </div>
      {chosen.length > most && <p className="notice bad small">A start takes at most {most} deliverables.</p>}
      <div className="targets-list" ref={box} tabIndex={0} role="group" aria-label="Deliverables">
        {known && shown.length === 0 && <p className="soft empty-pane">{all.length === 0 ? "There is nothing to choose." : "No deliverable fits."}</p>}
        <Windowed items={shown} keyOf={keyOf} size={50} estimate={36} root={box}>
          {(d) => (
            <label key={keyOf(d)} className="target" data-target={keyOf(d)}>
              <input type="checkbox" checked={ticked.has(keyOf(d))} onChange={() => toggle(keyOf(d))} />
              <span className="target-id">{d.id}</span><span className="clip" title={`${d.name} · ${d.pkg}`}>{d.name}</span>
              <span className="soft small nowrap">{shownState(d.status)}</span>
            </label>
          )}
        </Windowed>
      </div>
    </fieldset>
  );
}
