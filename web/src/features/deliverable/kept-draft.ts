// Where this browser keeps what is not saved of a register. The name has the deliverable's key,
// as deliverables of two packages may have one id.
import type { DeliverableView } from "../../api/deliverable";
import type { Listing } from "../../api/portal";
import { clearRecord, keptNames, read, readRecord, write, writeRecord } from "../../ui/keep";

const before = (projectId: string) => `belay.register.${projectId}.`;
const rowsEnd = ".added";
const version = 1;

export const keptEdits = (projectId: string, key: string): string => before(projectId) + key;
export const keptRows = (projectId: string, key: string): string => before(projectId) + key + rowsEnd;

/**
 * The name of a draft that may be this deliverable's, "" where there is none or the deliverable has
 * one under its key: drafts were once kept by the id alone, and a deliverable that moves to another
 * package gets another key.
 */
export function strayDraft(projectId: string, d: Pick<DeliverableView, "id" | "key">): string {
  const names = new Set(keptNames(before(projectId)).filter((name) => !isCleared(before(projectId) + name)).map((name) => (name.endsWith(rowsEnd) ? name.slice(0, -rowsEnd.length) : name)));
  if (names.has(d.key)) return "";
  return names.has(d.id) ? d.id : [...names].find((name) => name.endsWith(`::${d.id}`)) ?? "";
}

/** Whether a draft was saved or discarded. */
const isCleared = (name: string): boolean => {
  const is = readRecord(name, version, (value) => value);
  return typeof is === "object" && is !== null && Object.keys(is).length === 0;
};

/** Whether a project has no other deliverable of this id, so that a draft can be of no other one. */
export const isOnly = (listing: Listing | undefined, id: string): boolean =>
  listing !== undefined && !listing.truncated && (listing.deliverables ?? []).filter((d) => d.id === id).length === 1;

/** Gives a draft the name of a deliverable's key. */
export function moveDraft(projectId: string, name: string, key: string): void {
  for (const nameOf of [keptEdits, keptRows]) {
    const is = read(nameOf(projectId, name));
    if (is === null || isCleared(nameOf(projectId, name))) continue;
    write(nameOf(projectId, key), is);
    if (read(nameOf(projectId, key)) === is) write(nameOf(projectId, name), null);
  }
}

type Cells<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/**
 * What two tabs have made of the same cells since `base`: what this one has changed, and of all other
 * cells what the other one kept. It is `own` itself where the other one has changed nothing.
 */
export function mergedCells<T>(base: Cells<T>, own: Cells<T>, theirs: Cells<T>): Cells<T> {
  const same = (a: T | undefined, b: T | undefined) => JSON.stringify(a) === JSON.stringify(b);
  const all: Record<string, Record<string, T>> = {};
  let other = false;
  for (const key of new Set([...Object.keys(own), ...Object.keys(theirs)])) {
    for (const column of new Set([...Object.keys(own[key] ?? {}), ...Object.keys(theirs[key] ?? {})])) {
      const [was, mine, their] = [base[key]?.[column], own[key]?.[column], theirs[key]?.[column]];
      const is = same(was, mine) ? their : mine;
      other ||= !same(is, mine);
      if (is !== undefined) (all[key] ??= {})[column] = is;
    }
  }
  return other ? all : own;
}

/** Cells that all tabs of this browser share. */
export class KeptCells<T extends Cells<unknown>> {
  readonly #name: string;
  readonly #valid: (value: unknown) => T | undefined;
  /** What the browser had of this tab's when it was written last. */
  base: T;

  constructor(name: string, valid: (value: unknown) => T | undefined) {
    this.#name = name;
    this.#valid = valid;
    this.base = this.#stored();
  }

  /** What this tab has, with what another one has changed since. */
  merged(own: T): T {
    const theirs = this.#stored();
    // Nothing is kept any more, which no tab has done by a change: all of this tab's is its own.
    if (read(this.#name) === null) this.base = {} as T;
    return mergedCells(this.base, own, theirs) as T;
  }

  keep(all: T): void {
    if (Object.keys(all).length > 0) writeRecord(this.#name, version, all);
    else clearRecord(this.#name, version, all);
    this.base = this.#stored(); // what there was no room for is this tab's own still
  }

  #stored(): T { return readRecord(this.#name, version, this.#valid) ?? {} as T; }
}
