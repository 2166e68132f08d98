// A register as a person is changing it: the rows of the file, with edits and added rows that
// are not saved. What is not saved stays in this browser, and its tabs share it cell by cell.
import { type Dispatch, type SetStateAction, useEffect, useMemo, useRef, useState } from "react";
import type { DeliverableView, Register, Row } from "../../api/deliverable";
import type { Project } from "../../api/types";
import { onKeptElsewhere } from "../../ui/keep";
import { type Added, afterSave, isAdded, newRow, nextId, nextKey, sentOf, takenOf, unsaved, validAdded } from "./added";
import { arrived, type Conflict, conflictsOf, countEdits, decided, edited, type Edits, keysOf, onTheWay, refused, settled, validEdits, withEdit } from "./edits";
import { KeptCells, keptEdits, keptRows, moveDraft } from "./kept-draft";

export interface Draft {
  /** Every row and its key, the added ones last. */
  rows: readonly Row[]; keys: readonly string[];
  edits: Edits; added: Added; conflicts: readonly Conflict[];
  /** The keys of added rows whose id somebody else has used meanwhile. */
  taken: readonly string[];
  size: { cells: number; rows: number; added: number };
  edit(key: string, column: string, value: string): void;
  /** Adds a row and returns its key. */
  add(): string;
  /** Takes an added row away. */
  remove(key: string): void;
  /** Gives an added row the next free id. */
  renumber(key: string): void;
  decide(c: Conflict, mine: boolean): void;
  discard(): void;
  /** What to send, what to call with the register as it is after that, and what where it was refused. */
  send(): { rows: Row[]; saved: (fresh: Register) => void; refused: () => void };
}

/** @param stray the name of a draft that becomes this deliverable's, "" for none */
export function useRegisterDraft(project: Project, d: DeliverableView, register: Register, stray: string): Draft {
  const rows = register.rows;
  const ownKeys = useMemo(() => keysOf(rows), [rows]);
  useState(() => { if (stray !== "") moveDraft(project.id, stray, d.key); }); // once, before it is read
  const [made, setMade, editCells] = useKeptCells<Edits>(keptEdits(project.id, d.key), validEdits);
  const [written, setWritten, rowCells] = useKeptCells<Added>(keptRows(project.id, d.key), validAdded);
  const latest = useRef(written);
  useEffect(() => { latest.current = written; });
  const edits = useMemo(() => settled(made, rows, ownKeys), [made, rows, ownKeys]);
  const added = useMemo(() => unsaved(written, rows), [written, rows]);
  const conflicts = useMemo(() => conflictsOf(edits, rows, ownKeys), [edits, rows, ownKeys]);
  const taken = useMemo(() => takenOf(added, rows), [added, rows]);
  const size = { ...countEdits(edits), added: Object.keys(added).length };
  useEffect(() => keep(editCells, edits, setMade), [editCells, edits, setMade]);
  useEffect(() => keep(rowCells, added, setWritten), [rowCells, added, setWritten]);
  const all = useMemo(() => [...rows, ...Object.values(added)], [rows, added]);
  const keys = useMemo(() => [...ownKeys, ...Object.keys(added)], [ownKeys, added]);
  const freeId = (now: Added) => nextId(d.id, [...rows, ...Object.values(now)].map((r) => (r.DependencyID ?? "").trim()));
  return {
    rows: all, keys, edits, added, conflicts, taken, size,
    edit: (key, column, value) => {
      if (isAdded(key)) setWritten((a) => (a[key] ? { ...a, [key]: { ...a[key], [column]: value } } : a));
      else setMade((e) => withEdit(settled(e, rows, ownKeys), key, column, rows[ownKeys.indexOf(key)]?.[column] ?? "", value));
    },
    add: () => {
      const now = rowCells.merged(added); // another tab may have added one in this moment
      const key = nextKey(now);
      setWritten({ ...now, [key]: newRow(d, freeId(now), new Date().toISOString().slice(0, 10)) });
      return key;
    },
    remove: (key) => setWritten(({ [key]: _, ...rest }) => rest),
    renumber: (key) => setWritten((a) => ({ ...a, [key]: { ...a[key], DependencyID: freeId(a) } })),
    decide: (c, mine) => setMade(decided(edits, c, mine)),
    discard: () => { setMade({}); setWritten({}); },
    send: () => {
      setMade(onTheWay(edits));
      return {
        rows: [...edited(rows, ownKeys, edits), ...sentOf(added)],
        saved: (fresh) => {
          const freshKeys = keysOf(fresh.rows);
          const after = afterSave(latest.current, added, {});
          setWritten(after.added);
          setMade((e) => ({ ...settled(arrived(e, fresh.rows, freshKeys), fresh.rows, freshKeys), ...after.edits }));
        },
        refused: () => setMade(refused),
      };
    },
  };
}

/** What this tab has of cells that this browser keeps, and what changes them here. */
function useKeptCells<T extends Edits | Added>(name: string, valid: (value: unknown) => T | undefined): [T, Dispatch<SetStateAction<T>>, KeptCells<T>] {
  const kept = useMemo(() => new KeptCells(name, valid), [name, valid]);
  const [own, setOwn] = useState<T>(() => kept.base);
  useEffect(() => onKeptElsewhere((changed) => { if ((changed ?? name) === name) setOwn((is) => kept.merged(is)); }), [name, kept]);
  return [own, setOwn, kept];
}

function keep<T extends Edits | Added>(cells: KeptCells<T>, own: T, setOwn: (all: T) => void): void {
  const all = cells.merged(own);
  cells.keep(all);
  if (all !== own) setOwn(all);
}

/** Whether a row is retired, with its edits. */
export const isRetired = (row: Row, edits: Edits[string] | undefined): boolean => (edits?.Status?.now ?? row.Status ?? "") === "RETIRED";
