// A table of thousands of rows: only rows and columns on the screen are drawn. Arrow keys move, Enter edits.
import { type KeyboardEvent, memo, type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Finding, Row } from "../../api/deliverable";
import { columnsIn, titleOf, widthOf, widthOfAll, wordsOf } from "./columns";
import { isRetired } from "./draft";
import type { Edit, Edits } from "./edits";

/** A row, with its number in the file; one that is not saved has none. */
export interface GridRow { key: string; row: Row; number: number | undefined }

/** Rows that are drawn beyond the screen, above and below, and how few of them are enough while it scrolls. */
const beyond = 16, margin = 4;

/** How much is drawn beyond the screen on its sides, in rem. */
const beside = 12;

/** The width of the column with the numbers of rows, in rem. */
const numberWidth = 3.2;

/** Rows by which Page up and Page down move. */
const pageRows = 15;

interface Place { key: string; column: string }

export function Grid({ rows, columns, selected, edits, found, begin, onBegun, onSelect, onEdit, onRemove }: {
  rows: readonly GridRow[]; columns: readonly string[]; selected: string; edits: Edits; found: ReadonlyMap<string, readonly Finding[]>;
  /** A row that was just added: its statement is written at once. */
  begin: string; onBegun: () => void;
  onSelect: (key: string, open: boolean) => void; onEdit: (key: string, column: string, value: string) => void; onRemove: (key: string) => void;
}) {
  const box = useRef<HTMLDivElement>(null), rem = useRef(16);
  const [view, setView] = useState({ from: 0, size: 60 });
  const [height, setHeight] = useState(32);
  const [seen, setSeen] = useState<readonly [first: number, end: number]>([0, 12]);
  // Row numbers stay in sight while it is scrolled sideways. Until then they need no layers of their own.
  const [aside, setAside] = useState(false);
  const [place, setPlace] = useState<Place>({ key: "", column: "" });
  const [editing, setEditing] = useState(false);
  const focus = useRef(false);
  const active = rows.findIndex((r) => r.key === place.key);

  const measure = () => {
    const b = box.current;
    if (!b) return;
    setAside(b.scrollLeft > 0);
    const left = b.scrollLeft / rem.current - numberWidth - beside;
    const [begins, ends] = columnsIn(columns, left, left + b.clientWidth / rem.current + 2 * beside);
    setSeen((was) => (was[0] === begins && was[1] === ends ? was : [begins, ends]));
    const first = Math.floor(b.scrollTop / height), visible = Math.ceil(b.clientHeight / height) + 1, size = visible + 2 * beyond;
    setView((v) => {
      const enough = v.size === size && (v.from === 0 || first >= v.from + margin) && (v.from + size >= rows.length || first + visible + margin <= v.from + size);
      return enough ? v : { from: Math.max(0, Math.min(first - beyond, rows.length - size)), size };
    });
  };
  useLayoutEffect(() => {
    const b = box.current!;
    rem.current = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    setHeight(parseFloat(getComputedStyle(b).getPropertyValue("--row")) * rem.current || 32);
    const watch = new ResizeObserver(measure);
    watch.observe(b);
    return () => watch.disconnect();
  // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [height, columns]);

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
    const at = begin === "" ? -1 : rows.findIndex((r) => r.key === begin);
    if (at < 0) return;
    setPlace({ key: begin, column: columns.includes("Statement") ? "Statement" : columns[0] ?? "" });
    show(at);
    setEditing(true);
    onBegun();
  // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [begin, rows]);
  // Not later than the change: an effect of the change before would take the focus to the old place.
  useLayoutEffect(() => {
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
      Enter: () => setEditing(true), F2: () => setEditing(true), Delete: () => { if (rows[active]) onRemove(rows[active].key); },
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

  // The column with the focus is always drawn.
  const at = columns.indexOf(place.column);
  const firstColumn = at < 0 ? seen[0] : Math.min(seen[0], at), endColumn = Math.max(seen[1], at + 1);
  const drawnColumns = useMemo(() => columns.slice(firstColumn, endColumn), [columns, firstColumn, endColumn]);
  const template = `${numberWidth}rem ${widthOfAll(columns.slice(0, firstColumn))}rem ${drawnColumns.map((c) => `${widthOf(c)}rem`).join(" ")}`;
  const from = Math.min(view.from, Math.max(0, rows.length - 1));
  const drawn = rows.slice(from, from + view.size).map((r, i) => ({ r, nth: from + i }));
  const inView = active >= from && active < from + view.size;
  if (editing && !inView && rows[active]) drawn.push({ r: rows[active], nth: active }); // what is typed stays
  const tab = inView || editing ? place : { key: drawn[0]?.r.key ?? "", column: drawnColumns[0] ?? "" };
  const onPoint = (e: MouseEvent, edit: boolean) => {
    const cell = (e.target as Element).closest<HTMLElement>("[data-column]:not(.editing)");
    const key = cell?.closest<HTMLElement>("[data-row]")?.dataset.row, column = cell?.dataset.column;
    if (key === undefined || column === undefined) return;
    setPlace({ key, column });
    setEditing(edit);
    if (!edit) focus.current = true;
    onSelect(key, !edit);
  };
  return (
    <div ref={box} className={aside ? "grid-scroll aside" : "grid-scroll"} onScroll={measure} onKeyDown={onKey}>
      <div role="grid" aria-label="Register" aria-rowcount={rows.length + 1} aria-colcount={columns.length + 1} className="grid" style={{ width: `max(100%, ${numberWidth + widthOfAll(columns)}rem)` }}>
        <div role="row" aria-rowindex={1} className="grid-row grid-head" style={{ gridTemplateColumns: template }}>
          <span role="columnheader" aria-colindex={1} className="grid-cell grid-number">Row</span>
          {drawnColumns.map((c, i) => <span key={c} role="columnheader" aria-colindex={firstColumn + i + 2} className="grid-cell" title={c}>{titleOf(c)}</span>)}
        </div>
        <div role="rowgroup" className="grid-body" style={{ height: rows.length * height }} onClick={(e) => onPoint(e, false)} onDoubleClick={(e) => onPoint(e, true)}>
          {drawn.map(({ r, nth }) => (
            <GridLine key={r.key} r={r} index={nth + 2} top={nth * height} columns={drawnColumns} firstColumn={firstColumn} template={template} selected={r.key === selected}
              active={r.key === tab.key ? tab.column : ""} editing={editing && r.key === place.key} edits={edits[r.key]} findings={found.get(r.key)} onEnd={end} />
          ))}
        </div>
      </div>
      {rows.length === 0 && <p className="empty-pane soft">No row fits.</p>}
    </div>
  );
}

interface LineProps {
  r: GridRow; index: number; top: number; columns: readonly string[]; firstColumn: number; template: string; selected: boolean; active: string; editing: boolean;
  edits: Readonly<Record<string, Edit>> | undefined; findings: readonly Finding[] | undefined;
  onEnd: (value: string | undefined) => void;
}

const GridLine = memo(function GridLine({ r, index, top, columns, firstColumn, template, selected, active, editing, edits, findings, onEnd }: LineProps) {
  const error = findings?.some((f) => f.severity === "error");
  return (
    <div role="row" aria-rowindex={index} aria-selected={selected} className={`grid-row ${selected ? "selected" : ""} ${editing ? "edited-now" : ""} ${isRetired(r.row, edits) ? "retired" : ""} ${r.number === undefined ? "added" : ""}`} data-row={r.key} style={{ top, gridTemplateColumns: template }}>
      <span role="rowheader" aria-colindex={1} className={`grid-cell grid-number ${findings ? error ? "bad" : "warn" : ""}`} title={findings?.map((f) => f.message).join("\n")}>
        {r.number ?? "new"}{findings && <span aria-hidden="true"> !</span>}{findings && <span className="hidden">, {findings.length} findings</span>}
      </span>
      {columns.map((c, i) => {
        const edit = edits?.[c];
        const value = edit ? edit.now : r.row[c] ?? "";
        const wrong = findings?.find((f) => f.column === c);
        if (editing && c === active) return <Editor key={c} column={c} at={firstColumn + i + 2} value={value} onEnd={onEnd} />;
        return (
          <span key={c} role="gridcell" aria-colindex={firstColumn + i + 2} tabIndex={c === active ? 0 : -1} data-column={c} title={wrong ? `${value}\n${wrong.message}` : value}
            className={`grid-cell ${edit ? "edited" : ""} ${wrong ? wrong.severity === "error" ? "bad" : "warn" : ""}`}>{value}</span>
        );
      })}
    </div>
  );
}, (a, b) => a.r === b.r && a.index === b.index && a.top === b.top && a.columns === b.columns && a.template === b.template && a.selected === b.selected && a.active === b.active && a.editing === b.editing && a.edits === b.edits && a.findings === b.findings
  && !a.editing); // which needs the latest callback

/** A cell that is changed. Enter and leaving it keep the value, Escape does not. */
function Editor({ column, at, value, onEnd }: { column: string; at: number; value: string; onEnd: (value: string | undefined) => void }) {
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
    <span role="gridcell" aria-colindex={at} className="grid-cell editing" data-column={column}>
      {words
        ? <select autoFocus aria-label={titleOf(column)} value={now} onChange={(e) => setNow(e.target.value)} onKeyDown={onKey} onBlur={() => end(now)}>{words.map((w) => <option key={w} value={w}>{w || "(empty)"}</option>)}</select>
        : <textarea autoFocus aria-label={titleOf(column)} rows={1} value={now} onFocus={(e) => e.target.select()} onChange={(e) => setNow(e.target.value)} onKeyDown={onKey} onBlur={() => end(now)} />}
    </span>
  );
}
