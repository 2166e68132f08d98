// Rows that a person has added to a register and not saved. Pure.
import type { Row } from "../../api/deliverable";
import { type Edits, withEdit } from "./edits";

/** Added rows by a key of their own: an id can be changed while a row is written. */
export type Added = Readonly<Record<string, Row>>;

/** The key of the next added row. Ids of registers do not begin with a plus sign. */
export function nextKey(added: Added): string {
  const last = Object.keys(added).reduce((n, k) => Math.max(n, Number(k.slice(1)) || 0), 0);
  return `+${last + 1}`;
}

export const isAdded = (key: string): boolean => key.startsWith("+");

/** The next id of a deliverable's rows, such as DEP-01-02-004. */
export function nextId(deliverable: string, ids: Iterable<string>): string {
  const prefix = `${deliverable.replace(/^DEL-/, "DEP-")}-`;
  let last = 0;
  for (const id of ids) if (id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length))) last = Math.max(last, Number(id.slice(prefix.length)));
  return prefix + String(last + 1).padStart(3, "0");
}

/** What a new row says before a person has written anything: a declared dependency on another deliverable, of today. */
export function newRow(host: { id: string; name: string; pkg: string }, id: string, today: string): Row {
  return {
    RegisterSchemaVersion: "v3.1", DependencyID: id, FromPackageID: host.pkg.split("_")[0]!, FromDeliverableID: host.id, FromDeliverableName: host.name,
    DependencyClass: "EXECUTION", AnchorType: "NOT_APPLICABLE", Direction: "UPSTREAM", DependencyType: "PREREQUISITE", TargetType: "DELIVERABLE",
    EvidenceFile: "location TBD", SourceRef: "location TBD", Explicitness: "EXPLICIT", SatisfactionStatus: "TBD", Origin: "DECLARED", FirstSeen: today, LastSeen: today, Status: "ACTIVE",
  };
}

/** The columns that a new row still needs a value in, by the rules of the register. */
export function neededOf(row: Row): string[] {
  const filled = (column: string) => (row[column] ?? "").trim() !== "";
  const target = row.TargetType === "DELIVERABLE" ? ["TargetDeliverableID"] : filled("TargetRefID") || filled("TargetName") ? [] : ["TargetName"];
  return ["DependencyID", "Statement", ...target, "EvidenceFile", "SourceRef"].filter((column) => !filled(column));
}

const same = (a: Row, b: Row) => Object.entries(a).every(([column, value]) => value === "" || (b[column] ?? "") === value);

/** The added rows that the register does not have yet, as they are. */
export function unsaved(added: Added, rows: readonly Row[]): Added {
  const known = new Map(rows.map((r) => [(r.DependencyID ?? "").trim(), r]));
  const left = Object.entries(added).filter(([, row]) => {
    const other = known.get((row.DependencyID ?? "").trim());
    return !other || !same(row, other);
  });
  return left.length === Object.keys(added).length ? added : Object.fromEntries(left);
}

/** The keys of added rows whose id another row of the register has by now. */
export function takenOf(added: Added, rows: readonly Row[]): string[] {
  const ids = new Set(rows.map((r) => (r.DependencyID ?? "").trim()));
  return Object.entries(added).flatMap(([key, row]) => (ids.has((row.DependencyID ?? "").trim()) ? [key] : []));
}

/** The rows to send, without their empty cells. */
export const sentOf = (added: Added): Row[] => Object.values(added).map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== "")));

/** After some were saved: the added rows that are left, and edits of what was changed while they were sent. */
export function afterSave(now: Added, sent: Added, edits: Edits): { added: Added; edits: Edits } {
  const left: Record<string, Row> = {};
  for (const [key, row] of Object.entries(now)) {
    const was = sent[key];
    if (!was) left[key] = row;
    else for (const [column, value] of Object.entries(row)) if (value !== (was[column] ?? "")) edits = withEdit(edits, (was.DependencyID ?? "").trim(), column, was[column] ?? "", value);
  }
  return { added: left, edits };
}

/** Reads added rows that this browser kept. */
export function validAdded(value: unknown): Added | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const all: Record<string, Row> = {};
  for (const [key, row] of Object.entries(value)) {
    if (!isAdded(key) || typeof row !== "object" || row === null || !Object.values(row as object).every((v) => typeof v === "string")) return undefined;
    all[key] = row as Row;
  }
  return all;
}
