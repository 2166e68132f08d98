// A table of comma-separated values, of which only rows near the screen are drawn.
import { useMemo, useRef } from "react";
import { count } from "../../ui/format";
import { mostCells, readTable } from "../attachments/csv";
import { FixedRows } from "./fixed-rows";

const height = 28;

/** Rows that are shown, and rows by which the width of the columns is found. */
const mostRows = 50_000, measured = 200;
const widest = 44, narrowest = 4;

export function TableView({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [head = [], ...rows] = useMemo(() => readTable(text, mostRows), [text]);
  const columns = useMemo(() => head.map((_, c) => {
    const most = [head, ...rows.slice(0, measured)].reduce((n, row) => Math.max(n, (row[c] ?? "").length), narrowest);
    return `calc(${Math.min(most, widest) + 1}ch + 1.3rem)`;
  }).join(" "), [head, rows]);
  if (head.length === 0) return <p className="soft pad">The table is empty.</p>;
  return (
    <>
      <div ref={box} className="table-view" tabIndex={0} role="region" aria-label={`${label}, table`}>
        <div role="table" aria-label={label} aria-rowcount={rows.length + 1} aria-colcount={head.length} className="table-grid">
          <div role="row" aria-rowindex={1} className="table-row table-head" style={{ gridTemplateColumns: columns, height }}>
            {head.map((cell, c) => <span key={c} role="columnheader" className="clip" title={cell}>{cell}</span>)}
          </div>
          <FixedRows count={rows.length} height={height} box={box}>
            {(r) => (
              <div key={r} role="row" aria-rowindex={r + 2} className="table-row" style={{ gridTemplateColumns: columns, height }}>
                {head.map((_, c) => <span key={c} role="cell" className="clip" title={rows[r]![c]}>{rows[r]![c] ?? ""}</span>)}
              </div>
            )}
          </FixedRows>
        </div>
      </div>
      <p className="soft small view-foot">{rows.length + 1 >= mostRows && "the first "}{count(rows.length, "row")}, {head.length >= mostCells && "the first "}{count(head.length, "column")}</p>
    </>
  );
}
