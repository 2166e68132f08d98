// All fields of one row, what is wrong with it, and its evidence.
import { useState } from "react";
import type { DeliverableView, Finding, Row } from "../../api/deliverable";
import { Icon } from "../../ui/icons";
import { neededOf } from "./added";
import { rankOf, titleOf, wordsOf } from "./columns";
import { citedOf, Evidence } from "./evidence";
import { isRetired } from "./draft";
import type { Edit } from "./edits";

export function RowPane({ d, row, title, added, headers, edits, findings, onEdit, onRemove }: {
  d: DeliverableView; row: Row; title: string;
  /** Set for a row that is not in the register yet. */
  added: boolean;
  headers: readonly string[]; edits: Readonly<Record<string, Edit>>; findings: readonly Finding[]; onEdit: (column: string, value: string) => void; onRemove: () => void;
}) {
  const value = (c: string) => edits[c]?.now ?? row[c] ?? "";
  const unique = headers.filter((h, i) => headers.indexOf(h) === i);
  const columns = added ? [...unique].sort((x, y) => rankOf(x) - rankOf(y)) : unique; // what a person fills in comes first
  return (
    <div className="row-pane">
      <div className="row-pane-head">
        <h3 className="row-pane-id grow">{title}</h3>{added && <span className="chip accent">not saved</span>}
        {added ? <button type="button" className="button small remove-row" onClick={onRemove}><Icon.cross />Remove</button>
          : isRetired(row, edits) ? <button type="button" className="button small restore-row" onClick={() => onEdit("Status", "ACTIVE")}>Make active</button>
            : <button type="button" className="button small retire-row" title="A register keeps its rows: one that does not hold any more is RETIRED" onClick={onRemove}>Retire</button>}
      </div>
      {added && neededOf(row).length > 0 && <p className="notice warn row-needs"><span>Still needed: {neededOf(row).map(titleOf).join(", ")}</span></p>}
      {findings.length > 0 && <ul className="row-findings small">{findings.map((f, i) => <li key={i} className={f.severity === "error" ? "bad" : "warn"}><code>{f.code}</code> {f.message}{f.fix ? <span className="soft"> — {f.fix}</span> : null}</li>)}</ul>}
      {value("Statement") && <p>{value("Statement")}</p>}
      <Evidence key={`${value("EvidenceFile")}\n${value("SourceRef")}`} d={d} cited={citedOf(value)} />
      <details className="row-fields" open={added}>
        <summary>All fields</summary>
        <div className="field-list">
          {columns.map((c) => <Field key={c} column={c} value={value(c)} changed={c in edits} onEdit={(v) => onEdit(c, v)} />)}
        </div>
      </details>
    </div>
  );
}

function Field({ column, value, changed, onEdit }: { column: string; value: string; changed: boolean; onEdit: (value: string) => void }) {
  const [typed, setTyped] = useState<string>();
  const words = wordsOf(column, value);
  return (
    <label className={changed ? "field-row edited" : "field-row"}>
      <span className="small soft">{titleOf(column)}</span>
      {words
        ? <select className="field" value={value} onChange={(e) => onEdit(e.target.value)}>{words.map((w) => <option key={w} value={w}>{w || "(empty)"}</option>)}</select>
        : <textarea className="field" rows={value.length > 60 ? 3 : 1} value={typed ?? value} onChange={(e) => setTyped(e.target.value)} onBlur={() => { if (typed !== undefined) onEdit(typed); setTyped(undefined); }} />}
    </label>
  );
}
