// The register of dependencies as a table: filters, edits in place, and the evidence of a row.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import * as api from "../../api/deliverable";
import { isFailure, isRefusal } from "../../api/http";
import { useRefresh } from "../../app-state";
import { deliverableLink, navigate, useParam } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { waits } from "../../ui/waits";
import { listingQuery } from "../project/queries";
import { announce } from "../shell/announce";
import { isAdded } from "./added";
import { coreColumns, shownColumns, titleOf, wordsOf } from "./columns";
import { Conflicts } from "./conflicts";
import type { PartProps } from "./deliverable";
import { useRegisterDraft } from "./draft";
import type { Edits } from "./edits";
import { Grid, type GridRow } from "./grid";
import { isOnly, strayDraft } from "./kept-draft";
import { SummaryProblem } from "./problem";
import { registerQuery } from "./queries";
import { RowPane } from "./row-pane";

export default function RegisterView({ project, d }: PartProps) {
  const [begun, setBegun] = useState(false);
  const { data, error } = useQuery(registerQuery(project.path, d.path));
  // A draft under another name waits until it is known whose it is.
  const [stray] = useState(() => strayDraft(project.id, d));
  const listing = useQuery({ ...listingQuery(project.path), enabled: stray !== "" });
  const unsettled = stray !== "" && listing.isPending;
  if (error && !data) return <div className="scroll"><div className="project-column"><ErrorNotice error={error}><p><a href={deliverableLink(project.id, d.key, { show: "documents", file: "Dependencies.csv" })}>Look at the file</a></p></ErrorNotice></div></div>;
  if (!data || unsettled) return waits;
  if (!data.exists && !begun) {
    return (
      <div className="scroll"><div className="empty-main"><Icon.file /><h3>There is no register yet</h3>
        <p className="soft">DEPENDENCIES proposes its rows. Applying a proposal makes Dependencies.csv.</p>
        <p><button type="button" className="button" id="begin-register" onClick={() => setBegun(true)}><Icon.plus />Write its first row</button></p></div></div>
    );
  }
  return <Table project={project} d={d} register={data.exists ? data : { ...data, headers: [...coreColumns] }} first={begun} stray={isOnly(listing.data, d.id) ? stray : ""} />;
}

/** Wide enough for a pane beside the table. */
const wide = () => matchMedia("(min-width: 70rem)").matches;

function Table({ project, d, register, first, stray }: PartProps & { register: api.Register; first: boolean; stray: string }) {
  const client = useQueryClient();
  const refresh = useRefresh();
  const draft = useRegisterDraft(project, d, register, stray);
  const { rows, keys, edits, conflicts, taken, size } = draft;
  const unsaved = size.cells + size.added > 0;
  const [begin, setBegin] = useState("");

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
  const add = () => {
    const key = draft.add();
    select(key, true);
    if (wide()) setBegin(key);
    announce("A row is added. It is not saved.");
  };
  // A deliverable without a register begins with a row.
  const begun = useRef(!first || size.added > 0);
  useEffect(() => { if (!begun.current) { begun.current = true; add(); } });
  /** An added row goes; one of the register is retired, as a register keeps its rows. */
  const remove = (key: string) => {
    if (isAdded(key)) { draft.remove(key); setSheet(false); announce("The row is removed."); }
    else { draft.edit(key, "Status", "RETIRED"); announce("The row is retired. It is not saved."); }
  };

  // The register is asked for again at once, and does not say it then.
  const [summaryProblem, setSummaryProblem] = useState("");
  const save = useMutation({
    onMutate: () => setSummaryProblem(""),
    mutationFn: async () => {
      const { rows, saved, refused } = draft.send(), what = changeWords(size);
      try {
        return { fresh: await api.putRegister(project.path, d.path, rows, register.tag), saved, what };
      } catch (err) {
        if (isRefusal(err)) refused();
        throw err;
      }
    },
    onSuccess: ({ fresh, saved, what }) => {
      client.setQueryData(registerQuery(project.path, d.path).queryKey, fresh);
      saved(fresh);
      setSummaryProblem(fresh.summaryProblem);
      announce(`Saved: ${what}.`);
      refresh("deliverable", "commits", "project-file");
    },
    onError: (err) => isFailure(err, "CONTENT_CHANGED") ? refresh("register") : undefined,
  });
  // The button that decided goes. The focus goes to what is decided next, or else to Save.
  const region = useRef<HTMLDivElement>(null), hasDecided = useRef(false);
  useLayoutEffect(() => {
    if (!hasDecided.current) return;
    const next = region.current?.querySelector<HTMLElement>(".conflict button, #save-register:enabled");
    if (!next && save.isPending) return; // the register is still asked for again, and Save is enabled then
    hasDecided.current = false;
    (next ?? document.querySelector<HTMLElement>(".grid [tabindex='0']"))?.focus();
  });
  const deciding = <A extends unknown[]>(decide: (...args: A) => void) => (...args: A) => { hasDecided.current = true; decide(...args); };
  const index = keys.indexOf(selected);
  const row = index < 0 ? undefined : rows[index];
  const title = isAdded(selected) ? row?.DependencyID || "New row" : selected;
  const pane = row && <RowPane key={selected} d={d} row={row} title={title} added={isAdded(selected)} headers={register.headers} edits={edits[selected] ?? {}} findings={filters.found.get(selected) ?? []}
    onEdit={(c, v) => draft.edit(selected, c, v)} onRemove={() => remove(selected)} />;
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
        <button type="button" id="add-row" className="button plain small" onClick={add}><Icon.plus />Add row</button>
        <span className="soft small grow" role="status">{filters.shown.length === rows.length ? count(rows.length, "row") : `${filters.shown.length.toLocaleString("en-US")} of ${count(rows.length, "row")}`}</span>
      </div>
      <Problems register={register} keys={keys} onGo={(key) => { filters.reset(); select(key, false); }} />
      <SummaryProblem why={summaryProblem} />
      {(unsaved || save.error) && (
        <div ref={region} className="register-edits" role="region" aria-label="Changes that are not saved">
          <span className="grow">{changeWords(size)}, not saved</span>
          <button type="button" id="save-register" className="button primary" disabled={!unsaved || conflicts.length + taken.length > 0 || save.isPending} onClick={() => save.mutate()}>{save.isPending ? <span className="spin" /> : <Icon.check />}Save</button>
          <button type="button" id="discard-edits" className="button" disabled={!unsaved || save.isPending} onClick={() => { draft.discard(); save.reset(); announce("The changes are discarded."); }}>Discard</button>
          {conflicts.length + taken.length > 0 && <Conflicts conflicts={conflicts} taken={taken.map((key) => ({ key, id: draft.added[key]?.DependencyID ?? "", statement: draft.added[key]?.Statement ?? "" }))}
            onDecide={deciding(draft.decide)} onRenumber={deciding(draft.renumber)} onDrop={deciding(draft.remove)} />}
          {save.error && (isFailure(save.error, "CONTENT_CHANGED")
            ? conflicts.length + taken.length === 0 && <p className="notice warn" role="alert"><span>Somebody else changed the register meanwhile. The table shows it as it is now, with your changes. Look at it and save again.</span></p>
            : <ErrorNotice error={save.error} onClose={() => save.reset()} />)}
        </div>
      )}
      <div className={pane ? "register-split with-pane" : "register-split"}>
        <Grid rows={filters.shown} columns={columns} selected={selected} edits={edits} found={filters.found} begin={begin} onBegun={() => setBegin("")} onSelect={select} onEdit={draft.edit} onRemove={remove} />
        {pane && <aside className="register-pane scroll" aria-label={`Row ${title}`}>{pane}</aside>}
      </div>
      {pane && (
        <button type="button" className="button row-open" onClick={() => setSheet(true)}>{title}: fields and evidence</button>
      )}
      {sheet && row && !wide() && <Sheet title={title} wide onClose={() => setSheet(false)}>{pane}</Sheet>}
    </div>
  );
}

function changeWords({ cells, rows, added }: { cells: number; rows: number; added: number }): string {
  const changed = `${count(cells, "cell")} in ${count(rows, "row")} changed`;
  return added === 0 ? changed : cells === 0 ? `${count(added, "row")} added` : `${count(added, "row")} added, ${changed}`;
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
      const fits = key in edits || isAdded(key) || (!wrong || found.has(key)) && picks.every(([c, v]) => (row[c] ?? "") === v) && wanted.every((w) => haystack[i]!.includes(w));
      return fits ? [{ key, row, number: isAdded(key) ? undefined : register.numbers[i] ?? i + 2 }] : [];
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
