// All fields of one row, what is wrong with it, and its evidence.
import { useState } from "react";
import type { DeliverableView, Finding, Row } from "../../api/deliverable";
import { titleOf, wordsOf } from "./columns";
import { citedOf, Evidence } from "./evidence";
import type { Edit } from "./edits";

export function RowPane({ d, row, rowKey, headers, edits, findings, onEdit }: {
  d: DeliverableView; row: Row; rowKey: string; headers: readonly string[]; edits: Readonly<Record<string, Edit>>; findings: readonly Finding[]; onEdit: (column: string, value: string) => void;
}) {
  const value = (c: string) => edits[c]?.now ?? row[c] ?? "";
  const columns = headers.filter((h, i) => headers.indexOf(h) === i);
  return (
    <div className="row-pane">
      <h3 className="row-pane-id">{rowKey}</h3>
      {findings.length > 0 && <ul className="row-findings small">{findings.map((f, i) => <li key={i} className={f.severity === "error" ? "bad" : "warn"}><code>{f.code}</code> {f.message}{f.fix ? <span className="soft"> — {f.fix}</span> : null}</li>)}</ul>}
      {value("Statement") && <p>{value("Statement")}</p>}
      <Evidence key={`${value("EvidenceFile")}\n${value("SourceRef")}`} d={d} cited={citedOf(value)} />
      <details className="row-fields">
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
