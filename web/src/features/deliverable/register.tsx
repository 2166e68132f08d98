// The register of dependencies as a table: filters, edits in place, and the evidence of a row.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import * as api from "../../api/deliverable";
import { isFailure } from "../../api/http";
import { useRefresh } from "../../app-state";
import { deliverableLink, navigate, useParam } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { readRecord, writeRecord } from "../../ui/keep";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { announce } from "../shell/announce";
import { shownColumns, titleOf, wordsOf } from "./columns";
import { Conflicts } from "./conflicts";
import type { PartProps } from "./deliverable";
import { conflictsOf, countEdits, decided, edited, type Edits, keysOf, settled, validEdits, withEdit } from "./edits";
import { Grid, type GridRow } from "./grid";
import { RowPane } from "./row-pane";

export default function RegisterView({ project, d }: PartProps) {
  const { data, error, isPending } = useQuery({
    queryKey: ["register", project.path, d.path], queryFn: ({ signal }) => api.register(project.path, d.path, signal), retry: false,
  });
  if (error && !data) return <div className="scroll"><div className="project-column"><ErrorNotice error={error}><p><a href={deliverableLink(project.id, d.key, { show: "documents", file: "Dependencies.csv" })}>Look at the file</a></p></ErrorNotice></div></div>;
  if (!data) return <div className="scroll" aria-busy={isPending} />;
  if (!data.exists) return <div className="scroll"><div className="empty-main"><Icon.file /><h3>There is no register yet</h3><p className="soft">DEPENDENCIES proposes its rows. Applying a proposal makes Dependencies.csv.</p></div></div>;
  return <Table project={project} d={d} register={data} />;
}

/** Edits are kept by the deliverable's id: a deliverable that moves to another package keeps them. */
const kept = (projectId: string, id: string) => `belay.register.${projectId}.${id}`;

/** Wide enough for a pane beside the table. */
const wide = () => matchMedia("(min-width: 70rem)").matches;

function Table({ project, d, register }: PartProps & { register: api.Register }) {
  const client = useQueryClient();
  const refresh = useRefresh();
  const rows = register.rows;
  const keys = useMemo(() => keysOf(rows), [rows]);
  const [made, setMade] = useState<Edits>(() => readRecord(kept(project.id, d.id), 1, validEdits) ?? {});
  const edits = useMemo(() => settled(made, rows, keys), [made, rows, keys]);
  const conflicts = useMemo(() => conflictsOf(edits, rows, keys), [edits, rows, keys]);
  const size = countEdits(edits);
  useEffect(() => { writeRecord(kept(project.id, d.id), 1, size.cells > 0 ? edits : undefined); }, [project.id, d.id, edits, size.cells]);

  const filters = useFilters(rows, keys, register, edits);
  const [allColumns, setAllColumns] = useState(false);
  const columns = useMemo(() => shownColumns(register.headers, allColumns), [register.headers, allColumns]);
  const wanted = useParam("row"), at = Number(useParam("at")) || 0;
  const selected = keys.includes(wanted) ? wanted : at > 0 ? keys[register.numbers.indexOf(at)] ?? "" : "";
  const [sheet, setSheet] = useState(false);
  const select = (key: string, open: boolean) => {
    navigate(deliverableLink(project.id, d.key, { show: "register", row: key }), "replace");
    if (open && !wide()) setSheet(true);
  };
  const edit = (key: string, column: string, value: string) => {
    const row = rows[keys.indexOf(key)];
    setMade((e) => withEdit(settled(e, rows, keys), key, column, row?.[column] ?? "", value));
  };

  const save = useMutation({
    mutationFn: () => api.putRegister(project.path, d.path, edited(rows, keys, edits), register.tag),
    onSuccess: (fresh) => {
      client.setQueryData(["register", project.path, d.path], fresh);
      setMade((e) => settled(e, fresh.rows, keysOf(fresh.rows)));
      announce(`Saved: ${count(size.cells, "cell")}.`);
      refresh("deliverable", "commits", "project-file");
    },
    onError: (err) => { if (isFailure(err, "CONTENT_CHANGED")) refresh("register"); },
  });
  const index = keys.indexOf(selected);
  const row = index < 0 ? undefined : rows[index];
  const pane = row && <RowPane key={selected} d={d} row={row} rowKey={selected} headers={register.headers} edits={edits[selected] ?? {}} findings={filters.found.get(selected) ?? []} onEdit={(c, v) => edit(selected, c, v)} />;
  return (
    <div className="register" data-rows={rows.length}>
      <div className="register-tools">
        <label className="search"><Icon.search /><span className="hidden">Search the register</span>
          <input className="field" type="search" placeholder="Search all cells" value={filters.text} onChange={(e) => filters.setText(e.target.value)} /></label>
        {filterColumns.filter((c) => register.headers.includes(c)).map((c) => (
          <select key={c} className="quiet" aria-label={titleOf(c)} value={filters.chosen[c] ?? ""} onChange={(e) => filters.choose(c, e.target.value)}>
            <option value="">{titleOf(c)}: any</option>
            {(wordsOf(c, "") ?? []).filter(Boolean).map((w) => <option key={w} value={w}>{w}</option>)}
          </select>
        ))}
        <label className="check small"><input type="checkbox" checked={filters.wrong} onChange={(e) => filters.setWrong(e.target.checked)} />With findings</label>
        <label className="check small"><input type="checkbox" checked={allColumns} onChange={(e) => setAllColumns(e.target.checked)} />All columns</label>
        <span className="soft small grow" role="status">{filters.shown.length === rows.length ? count(rows.length, "row") : `${filters.shown.length.toLocaleString("en-US")} of ${count(rows.length, "row")}`}</span>
      </div>
      <Problems register={register} keys={keys} onGo={(key) => { filters.reset(); select(key, false); }} />
      {register.summaryProblem && <p className="notice warn"><span>The register is saved. _DEPENDENCIES.md was not brought in line: {register.summaryProblem}</span></p>}
      {(size.cells > 0 || save.error) && (
        <div className="register-edits" role="region" aria-label="Changes that are not saved">
          <span className="grow"><strong>{count(size.cells, "cell")}</strong> in {count(size.rows, "row")} changed and not saved</span>
          <button type="button" id="save-register" className="button primary" disabled={size.cells === 0 || conflicts.length > 0 || save.isPending} onClick={() => save.mutate()}>{save.isPending ? <span className="spin" /> : <Icon.check />}Save</button>
          <button type="button" id="discard-edits" className="button" disabled={size.cells === 0 || save.isPending} onClick={() => { setMade({}); save.reset(); announce("The changes are discarded."); }}>Discard</button>
          {conflicts.length > 0 && <Conflicts conflicts={conflicts} onDecide={(c, mine) => setMade(decided(edits, c, mine))} />}
          {save.error && (isFailure(save.error, "CONTENT_CHANGED")
            ? conflicts.length === 0 && <p className="notice warn" role="alert"><span>Somebody else changed the register meanwhile. The table shows it as it is now, with your changes. Look at it and save again.</span></p>
            : <ErrorNotice error={save.error} onClose={() => save.reset()} />)}
        </div>
      )}
      <div className={pane ? "register-split with-pane" : "register-split"}>
        <Grid rows={filters.shown} columns={columns} selected={selected} edits={edits} found={filters.found} onSelect={select} onEdit={edit} />
        {pane && <aside className="register-pane scroll" aria-label={`Row ${selected}`}>{pane}</aside>}
      </div>
      {pane && (
        <button type="button" className="button row-open" onClick={() => setSheet(true)}>{selected}: fields and evidence</button>
      )}
      {sheet && row && !wide() && <Sheet title={selected} wide onClose={() => setSheet(false)}>{pane}</Sheet>}
    </div>
  );
}

const filterColumns = ["DependencyClass", "Direction", "DependencyType", "SatisfactionStatus", "Status"];

/** The rows that a person asked for. */
function useFilters(rows: readonly api.Row[], keys: readonly string[], register: api.Register, edits: Edits) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [wrong, setWrong] = useState(false);
  const words = useDeferredValue(text);
  const found = useMemo(() => {
    const byNumber = new Map(register.numbers.map((n, i) => [n, keys[i]!]));
    const all = new Map<string, api.Finding[]>();
    for (const f of register.findings) {
      const key = f.row ? byNumber.get(f.row) : undefined;
      if (key !== undefined) all.set(key, [...all.get(key) ?? [], f]);
    }
    return all;
  }, [register, keys]);
  const haystack = useMemo(() => rows.map((row) => Object.values(row).join("\n").toLowerCase()), [rows]);
  const shown = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const picks = Object.entries(chosen).filter(([, v]) => v !== "");
    return rows.flatMap((row, i): GridRow[] => {
      const key = keys[i]!;
      // A row with a change stays in sight, whatever it says now.
      const fits = key in edits || (!wrong || found.has(key)) && picks.every(([c, v]) => (row[c] ?? "") === v) && wanted.every((w) => haystack[i]!.includes(w));
      return fits ? [{ key, row, number: register.numbers[i] ?? i + 2 }] : [];
    });
  }, [rows, keys, haystack, words, chosen, wrong, found, edits, register.numbers]);
  return {
    text, setText, chosen, wrong, setWrong, found, shown,
    choose: (column: string, value: string) => setChosen((c) => ({ ...c, [column]: value })),
    reset: () => { setText(""); setChosen({}); setWrong(false); },
  };
}

/** Findings that keep the register from being read as it was meant; no filter hides them. */
const grave = /^(MALFORMED_|DUPLICATE_DEPENDENCY_ID|MISSING_|NO_HEADER|EMPTY_)/;

function Problems({ register, keys, onGo }: { register: api.Register; keys: readonly string[]; onGo: (key: string) => void }) {
  const list = register.findings.filter((f) => f.severity === "error" && (grave.test(f.code) || !f.row));
  if (list.length === 0) return null;
  return (
    <details className="notice bad register-problems" open={list.length <= 3}>
      <summary>{count(list.length, "problem")} of the file</summary>
      <ul>
        {list.slice(0, 50).map((f, i) => {
          const key = f.row ? keys[register.numbers.indexOf(f.row)] : undefined;
          return <li key={i}><code>{f.code}</code> {f.message}{key !== undefined ? <> <button type="button" className="foot-link" onClick={() => onGo(key)}>row {f.row}</button></> : f.line ? `, line ${f.line}` : ""}</li>;
        })}
        {list.length > 50 && <li>and {list.length - 50} more</li>}
      </ul>
    </details>
  );
}
