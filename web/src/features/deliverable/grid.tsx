// A table of thousands of rows: only those on the screen are drawn. Arrow keys move, Enter edits.
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Finding, Row } from "../../api/deliverable";
import { titleOf, widthOf, wordsOf } from "./columns";
import type { Edit, Edits } from "./edits";

export interface GridRow { key: string; row: Row; number: number }

/** Rows that are drawn beyond the screen, above and below. */
const beyond = 12;

/** Rows by which Page up and Page down move. */
const pageRows = 15;

interface Place { key: string; column: string }

export function Grid({ rows, columns, selected, edits, found, onSelect, onEdit }: {
  rows: readonly GridRow[]; columns: readonly string[]; selected: string; edits: Edits; found: ReadonlyMap<string, readonly Finding[]>;
  onSelect: (key: string, open: boolean) => void; onEdit: (key: string, column: string, value: string) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ from: 0, to: 60 });
  const [height, setHeight] = useState(32);
  const [place, setPlace] = useState<Place>({ key: "", column: "" });
  const [editing, setEditing] = useState(false);
  const focus = useRef(false);
  const active = rows.findIndex((r) => r.key === place.key);

  const measure = () => {
    const b = box.current;
    if (!b) return;
    const from = Math.max(0, Math.floor(b.scrollTop / height) - beyond);
    const to = Math.ceil((b.scrollTop + b.clientHeight) / height) + beyond;
    setView((v) => (v.from === from && v.to === to ? v : { from, to }));
  };
  useLayoutEffect(() => {
    const b = box.current!;
    setHeight(parseFloat(getComputedStyle(b).getPropertyValue("--row")) * parseFloat(getComputedStyle(document.documentElement).fontSize) || 32);
    const watch = new ResizeObserver(measure);
    watch.observe(b);
    return () => watch.disconnect();
  // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [height]);

  const show = (index: number) => {
    const b = box.current;
    if (!b || index < 0) return;
    const top = index * height, head = height * 1.1;
    if (top < b.scrollTop) b.scrollTop = top;
    else if (top + height > b.scrollTop + b.clientHeight - head) b.scrollTop = top + height - b.clientHeight + head;
    measure();
  };
  // A row that an address names is shown.
  useEffect(() => {
    if (selected === "" || selected === place.key) return;
    setPlace((p) => ({ key: selected, column: p.column || columns[0] || "" }));
    show(rows.findIndex((r) => r.key === selected));
  // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected]);
  useEffect(() => {
    if (!focus.current || editing) return;
    focus.current = false;
    box.current?.querySelector<HTMLElement>("[role=gridcell][tabindex='0']")?.focus({ preventScroll: false });
  });

  const go = (index: number, column: number) => {
    const i = Math.max(0, Math.min(rows.length - 1, index)), c = columns[Math.max(0, Math.min(columns.length - 1, column))]!;
    const r = rows[i];
    if (!r) return;
    focus.current = true;
    setPlace({ key: r.key, column: c });
    show(i);
    if (r.key !== selected) onSelect(r.key, false);
  };
  const onKey = (e: KeyboardEvent) => {
    if (editing || e.altKey) return;
    const i = Math.max(0, active), c = Math.max(0, columns.indexOf(place.column));
    const far = e.ctrlKey || e.metaKey;
    const step: Record<string, () => void> = {
      ArrowDown: () => go(far ? rows.length - 1 : i + 1, c), ArrowUp: () => go(far ? 0 : i - 1, c), ArrowRight: () => go(i, far ? columns.length : c + 1), ArrowLeft: () => go(i, far ? 0 : c - 1),
      PageDown: () => go(i + pageRows, c), PageUp: () => go(i - pageRows, c), Home: () => go(far ? 0 : i, 0), End: () => go(far ? rows.length - 1 : i, columns.length),
      Enter: () => setEditing(true), F2: () => setEditing(true),
    };
    const act = step[e.key];
    if (!act || far && (e.key === "Enter" || e.key === "F2")) return;
    e.preventDefault();
    act();
  };
  const end = (value: string | undefined) => {
    setEditing(false);
    focus.current = true;
    if (value !== undefined) onEdit(place.key, place.column, value);
  };

  const template = `3.2rem ${columns.map((c) => `${widthOf(c)}rem`).join(" ")}`;
  const from = Math.min(view.from, Math.max(0, rows.length - 1));
  const drawn = rows.slice(from, view.to);
  const tab = active >= from && active < view.to ? place : { key: drawn[0]?.key ?? "", column: columns[0] ?? "" };
  return (
    <div ref={box} className="grid-scroll" onScroll={measure} onKeyDown={onKey}>
      <div role="grid" aria-label="Register" aria-rowcount={rows.length + 1} aria-colcount={columns.length + 1} className="grid" style={{ width: `max(100%, calc(3.2rem + ${columns.reduce((n, c) => n + widthOf(c), 0)}rem))` }}>
        <div role="row" aria-rowindex={1} className="grid-row grid-head" style={{ gridTemplateColumns: template }}>
          <span role="columnheader" className="grid-cell grid-number">Row</span>
          {columns.map((c) => <span key={c} role="columnheader" className="grid-cell" title={c}>{titleOf(c)}</span>)}
        </div>
        <div role="rowgroup" className="grid-body" style={{ height: rows.length * height }}>
          <div className="grid-window" role="presentation" style={{ top: from * height }}>
            {drawn.map((r, i) => (
              <GridLine key={r.key} r={r} index={from + i + 2} columns={columns} template={template} selected={r.key === selected}
                active={r.key === tab.key ? tab.column : ""} editing={editing && r.key === place.key} edits={edits[r.key]} findings={found.get(r.key)}
                onCell={(column, edit) => { setPlace({ key: r.key, column }); setEditing(edit); if (!edit) focus.current = true; onSelect(r.key, !edit); }} onEnd={end} />
            ))}
          </div>
        </div>
      </div>
      {rows.length === 0 && <p className="empty-pane soft">No row fits.</p>}
    </div>
  );
}

interface LineProps {
  r: GridRow; index: number; columns: readonly string[]; template: string; selected: boolean; active: string; editing: boolean;
  edits: Readonly<Record<string, Edit>> | undefined; findings: readonly Finding[] | undefined;
  onCell: (column: string, edit: boolean) => void; onEnd: (value: string | undefined) => void;
}

const GridLine = memo(function GridLine({ r, index, columns, template, selected, active, editing, edits, findings, onCell, onEnd }: LineProps) {
  const error = findings?.some((f) => f.severity === "error");
  return (
    <div role="row" aria-rowindex={index} aria-selected={selected} className={`grid-row ${selected ? "selected" : ""} ${(r.row.Status ?? "") === "RETIRED" ? "retired" : ""}`} data-row={r.key} style={{ gridTemplateColumns: template }}>
      <span role="rowheader" className={`grid-cell grid-number ${findings ? error ? "bad" : "warn" : ""}`} title={findings?.map((f) => f.message).join("\n")}>
        {r.number}{findings && <span aria-hidden="true"> !</span>}{findings && <span className="hidden">, {findings.length} findings</span>}
      </span>
      {columns.map((c) => {
        const edit = edits?.[c];
        const value = edit ? edit.now : r.row[c] ?? "";
        const wrong = findings?.find((f) => f.column === c);
        if (editing && c === active) return <Editor key={c} column={c} value={value} onEnd={onEnd} />;
        return (
          <span key={c} role="gridcell" tabIndex={c === active ? 0 : -1} data-column={c} title={wrong ? `${value}\n${wrong.message}` : value}
            className={`grid-cell ${edit ? "edited" : ""} ${wrong ? wrong.severity === "error" ? "bad" : "warn" : ""}`}
            onClick={() => onCell(c, false)} onDoubleClick={() => onCell(c, true)}>{value}</span>
        );
      })}
    </div>
  );
}, (a, b) => a.r === b.r && a.index === b.index && a.columns === b.columns && a.template === b.template && a.selected === b.selected && a.active === b.active && a.editing === b.editing && a.edits === b.edits && a.findings === b.findings
  && (a.active === "" && !a.selected)); // the others are few, and need the latest callbacks

/** A cell that is changed. Enter and leaving it keep the value, Escape does not. */
function Editor({ column, value, onEnd }: { column: string; value: string; onEnd: (value: string | undefined) => void }) {
  const [now, setNow] = useState(value);
  const ended = useRef(false);
  const end = (v: string | undefined) => { if (!ended.current) { ended.current = true; onEnd(v); } };
  const words = wordsOf(column, value);
  const onKey = (e: KeyboardEvent) => {
    e.stopPropagation();
    if (e.key === "Escape") end(undefined);
    else if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) { e.preventDefault(); end(now); }
  };
  return (
    <span role="gridcell" className="grid-cell editing" data-column={column}>
      {words
        ? <select autoFocus aria-label={titleOf(column)} value={now} onChange={(e) => setNow(e.target.value)} onKeyDown={onKey} onBlur={() => end(now)}>{words.map((w) => <option key={w} value={w}>{w || "(empty)"}</option>)}</select>
        : <textarea autoFocus aria-label={titleOf(column)} rows={1} value={now} onFocus={(e) => e.target.select()} onChange={(e) => setNow(e.target.value)} onKeyDown={onKey} onBlur={() => end(now)} />}
    </span>
  );
}
