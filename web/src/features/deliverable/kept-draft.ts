// Where this browser keeps what is not saved of a register. The name has the deliverable's key,
// as deliverables of two packages may have one id.
import type { DeliverableView } from "../../api/deliverable";
import type { Listing } from "../../api/portal";
import { keptNames, read, write } from "../../ui/keep";

const before = (projectId: string) => `belay.register.${projectId}.`;
const rowsEnd = ".added";

export const keptEdits = (projectId: string, key: string): string => before(projectId) + key;
export const keptRows = (projectId: string, key: string): string => before(projectId) + key + rowsEnd;

/**
 * The name of a draft that may be this deliverable's, "" where there is none or the deliverable has
 * one under its key: drafts were once kept by the id alone, and a deliverable that moves to another
 * package gets another key.
 */
export function strayDraft(projectId: string, d: Pick<DeliverableView, "id" | "key">): string {
  const names = new Set(keptNames(before(projectId)).map((name) => (name.endsWith(rowsEnd) ? name.slice(0, -rowsEnd.length) : name)));
  if (names.has(d.key)) return "";
  return names.has(d.id) ? d.id : [...names].find((name) => name.endsWith(`::${d.id}`)) ?? "";
}

/** Whether a project has no other deliverable of this id, so that a draft can be of no other one. */
export const isOnly = (listing: Listing | undefined, id: string): boolean =>
  listing !== undefined && !listing.truncated && (listing.deliverables ?? []).filter((d) => d.id === id).length === 1;

/** Gives a draft the name of a deliverable's key. */
export function moveDraft(projectId: string, name: string, key: string): void {
  for (const nameOf of [keptEdits, keptRows]) {
    const is = read(nameOf(projectId, name));
    if (is === null) continue;
    write(nameOf(projectId, key), is);
    if (read(nameOf(projectId, key)) === is) write(nameOf(projectId, name), null);
  }
}
