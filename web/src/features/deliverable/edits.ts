// What a person has changed in a register and not saved. An edit knows the value that it
// replaces, so a change of the same cell by somebody else is noticed, and nothing typed is lost.
import type { Row } from "../../api/deliverable";

export interface Edit {
  was: string; now: string;
  /** The value that was sent, from then until it is known whether the register has it. */
  sent?: string;
}
/** Edits by the key of their row and the name of their column. */
export type Edits = Readonly<Record<string, Readonly<Record<string, Edit>>>>;

/** A cell that somebody else has changed too, or whose row is gone. */
export interface Conflict extends Edit { key: string; column: string; theirs: string; gone: boolean }

/** What tells rows from each other: the id, and for one that is there again its number. */
export function keysOf(rows: readonly Row[]): string[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const id = (row.DependencyID ?? "").trim();
    const n = (seen.get(id) ?? 0) + 1;
    seen.set(id, n);
    return n === 1 && id !== "" ? id : `${id}#${n}`;
  });
}

/** The edits with one more. A cell that has its old value again is no edit, unless another one was sent. */
export function withEdit(edits: Edits, key: string, column: string, was: string, now: string): Edits {
  const before = edits[key]?.[column], first = before?.was ?? was;
  if (before?.sent !== undefined) return { ...edits, [key]: { ...edits[key], [column]: { ...before, now } } };
  return now === first ? withoutEdit(edits, key, column) : { ...edits, [key]: { ...edits[key], [column]: { was: first, now } } };
}

export function withoutEdit(edits: Edits, key: string, column: string): Edits {
  const { [column]: _, ...rest } = edits[key] ?? {};
  const { [key]: __, ...others } = edits;
  return Object.keys(rest).length > 0 ? { ...others, [key]: rest } : others;
}

/** The edits for the register as it is now: what it has already is none any more. */
export function settled(edits: Edits, rows: readonly Row[], keys: readonly string[]): Edits {
  const at = new Map(keys.map((k, i) => [k, rows[i]!]));
  let next = edits;
  for (const [key, cells] of Object.entries(edits)) {
    const row = at.get(key);
    if (!row) continue;
    // What was sent may still arrive and replace what the register has already.
    for (const [column, e] of Object.entries(cells)) if ((row[column] ?? "") === e.now && (e.sent ?? e.now) === e.now) next = withoutEdit(next, key, column);
  }
  return next;
}

/** The edits while they are sent. What is typed meanwhile stays an edit of what was sent. */
export const onTheWay = (edits: Edits): Edits => changed(edits, (e) => ({ ...e, sent: e.now }));

/** The edits after the register has taken what was sent, which may be written in another way there. */
export function arrived(edits: Edits, rows: readonly Row[], keys: readonly string[]): Edits {
  const at = new Map(keys.map((k, i) => [k, rows[i]!]));
  return changed(edits, (e, key, column) => {
    if (e.sent === undefined) return e;
    const row = at.get(key), was = row ? row[column] ?? "" : e.sent;
    return { was, now: e.now === e.sent ? was : e.now };
  });
}

/** The edits after the register has refused what was sent. */
export const refused = (edits: Edits): Edits => changed(edits, (e) => ({ was: e.was, now: e.now }));

/** The edits, each made into another one. Those that change nothing are left out. */
function changed(edits: Edits, make: (e: Edit, key: string, column: string) => Edit): Edits {
  const all: Record<string, Record<string, Edit>> = {};
  for (const [key, cells] of Object.entries(edits)) {
    for (const [column, e] of Object.entries(cells)) {
      const next = make(e, key, column);
      if (next.was !== next.now || next.sent !== undefined) (all[key] ??= {})[column] = next;
    }
  }
  return all;
}

/** The edits that cannot be saved as they are. */
export function conflictsOf(edits: Edits, rows: readonly Row[], keys: readonly string[]): Conflict[] {
  const at = new Map(keys.map((k, i) => [k, rows[i]!]));
  return Object.entries(edits).flatMap(([key, cells]) => Object.entries(cells).flatMap(([column, e]): Conflict[] => {
    const row = at.get(key);
    const theirs = row?.[column] ?? "";
    return row && [e.was, e.now, e.sent].includes(theirs) ? [] : [{ ...e, key, column, theirs, gone: row === undefined }];
  }));
}

/** A conflict that is decided: for the own value, or for the other one. */
export function decided(edits: Edits, c: Conflict, mine: boolean): Edits {
  if (!mine) return withoutEdit(edits, c.key, c.column);
  return { ...edits, [c.key]: { ...edits[c.key], [c.column]: { was: c.theirs, now: c.now } } };
}

/** The rows to send: with the edits, and without empty cells that were empty before. */
export function edited(rows: readonly Row[], keys: readonly string[], edits: Edits): Row[] {
  return rows.map((row, i) => {
    const cells = edits[keys[i]!] ?? {};
    const out: Record<string, string> = {};
    for (const [column, value] of Object.entries(row)) if (value !== "" && !(column in cells)) out[column] = value;
    for (const [column, e] of Object.entries(cells)) out[column] = e.now;
    return out;
  });
}

export function countEdits(edits: Edits): { cells: number; rows: number } {
  const rows = Object.values(edits);
  return { cells: rows.reduce((n, r) => n + Object.keys(r).length, 0), rows: rows.length };
}

/** Reads edits that this browser kept. */
export function validEdits(value: unknown): Edits | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const all: Record<string, Record<string, Edit>> = {};
  for (const [key, cells] of Object.entries(value)) {
    if (typeof cells !== "object" || cells === null) return undefined;
    for (const [column, e] of Object.entries(cells as object) as [string, Partial<Edit> | null][]) {
      if (typeof e?.was !== "string" || typeof e.now !== "string") return undefined;
      (all[key] ??= {})[column] = { was: e.was, now: e.now, ...(typeof e.sent === "string" ? { sent: e.sent } : {}) };
    }
  }
  return all;
}
