// The tree of a project: one stop of the Tab key, and arrows within it.
import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { FixedRows, showRow, useRowHeight } from "./fixed-rows";
import { folderOf, shownName } from "./names";
import type { Row, Tree } from "./tree";

/** Typed letters within this time look for one name, in milliseconds. */
const typeAhead = 700;

export function TreeView({ tree, selected, onChosen }: { tree: Tree; selected: string; onChosen: (path: string) => void }) {
  const rows = useSyncExternalStore(tree.subscribe, tree.get);
  const box = useRef<HTMLDivElement>(null);
  const height = useRowHeight(28);
  const [active, setActive] = useState(selected);
  const typed = useRef({ text: "", at: 0 });
  const at = Math.max(0, rows.findIndex((r) => r.path === active));
  const chosen = rows.findIndex((r) => r.path === selected);
  useEffect(() => { setActive(selected); }, [selected]);
  // A file that was opened by its address or by a search is brought into view once it is there.
  const shown = useRef("");
  useEffect(() => {
    if (chosen < 0 || shown.current === selected) return;
    shown.current = selected;
    showRow(box.current, chosen, height);
  }, [chosen, selected, height]);

  const to = (index: number) => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (!row) return;
    setActive(row.path);
    showRow(box.current, rows.indexOf(row), height);
  };
  const use = (row: Row) => {
    setActive(row.path);
    if (row.more) void tree.more(folderOf(row.path));
    else if (row.kind === "folder") tree.toggle(row.path);
    else onChosen(row.path);
  };
  const onKey = (e: KeyboardEvent) => {
    const row = rows[at];
    if (!row || e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / height) - 1);
    const move: Record<string, () => void> = {
      ArrowDown: () => to(at + 1), ArrowUp: () => to(at - 1), Home: () => to(0), End: () => to(rows.length - 1), PageDown: () => to(at + page), PageUp: () => to(at - page),
      Enter: () => use(row), " ": () => use(row),
      ArrowRight: () => { if (row.kind === "folder" && !row.open) tree.toggle(row.path, true); else if (row.open) to(at + 1); },
      ArrowLeft: () => { if (row.open) tree.toggle(row.path, false); else if (row.depth > 0) to(rows.findIndex((r) => r.path === folderOf(row.path.replace(/\/$/, "")))); },
    };
    const act = move[e.key];
    if (act) act();
    else if (e.key.length === 1) {
      const now = performance.now();
      typed.current = { text: (now - typed.current.at < typeAhead ? typed.current.text : "") + e.key.toLowerCase(), at: now };
      const from = typed.current.text.length === 1 ? at + 1 : at;
      for (let i = 0; i < rows.length; i++) {
        const index = (from + i) % rows.length;
        if (rows[index]!.name.toLowerCase().startsWith(typed.current.text)) { to(index); break; }
      }
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const top = tree.top();
  if (rows.length === 0) {
    if (top.state === "failed") return <div className="pad"><ErrorNotice error={top.error}><p><button type="button" className="button" onClick={() => void tree.load("", 3)}>Try again</button></p></ErrorNotice></div>;
    return <p className="soft pad">{top.state === "loading" ? <><span className="spin" /> Reading</> : "This project is empty."}</p>;
  }
  return (
    <>
      {top.state === "failed" && <div className="pad"><ErrorNotice error={top.error} /></div>}
      <div ref={box} className="tree" role="tree" aria-label="Files" tabIndex={0} aria-activedescendant={`tree-${at}`} onKeyDown={onKey}>
        <FixedRows count={rows.length} height={height} box={box}>
          {(i) => <Line key={rows[i]!.path} row={rows[i]!} id={`tree-${i}`} height={height} active={i === at} selected={rows[i]!.path === selected} onUse={() => use(rows[i]!)} />}
        </FixedRows>
      </div>
    </>
  );
}

function Line({ row, id, height, active, selected, onUse }: { row: Row; id: string; height: number; active: boolean; selected: boolean; onUse: () => void }) {
  const folder = row.kind === "folder";
  return (
    <div id={id} role="treeitem" aria-level={row.depth + 1} aria-posinset={row.at} aria-setsize={row.of} aria-selected={selected} {...(folder ? { "aria-expanded": row.open } : {})}
      className={`tree-row ${active ? "active" : ""}`} style={{ height, paddingLeft: `${0.35 + Math.min(row.depth, 12) * 0.9}rem` }} data-path={row.path} title={row.more ? undefined : row.path} onClick={onUse}>
      {row.more ? <span className="clip tree-more">Show more: {row.more.shown.toLocaleString("en-US")} of {row.more.total.toLocaleString("en-US")} are listed</span> : (
        <>
          <span className={row.open ? "twist open" : "twist"}>{folder && <Icon.chevron />}</span>
          <span className="tree-icon">{folder ? <Icon.folder /> : row.kind === "link" ? <Icon.fork /> : <Icon.file />}</span>
          <bdi className="clip">{shownName(row.name)}</bdi>
          {row.open && row.state === "loading" && <span className="spin" />}
          {row.open && row.state === "failed" && <span className="chip bad">cannot be read</span>}
        </>
      )}
    </div>
  );
}
