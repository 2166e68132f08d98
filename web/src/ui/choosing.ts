// What a person chooses about something that waits for an answer: what to leave out, and a note. It is
// held by the id of that until it is answered, so that a look at another view changes nothing.
import { Held } from "./held";

export interface Choosing { left: ReadonlySet<string>; note: string; noting: boolean }

const held = new Held<Choosing>({ left: new Set(), note: "", noting: false });

export const useChoosing = held.use;

export const choose = (id: string, change: Partial<Choosing>): void => held.change(id, change);

/** Leaves one of the things out, or takes it in again. */
export function toggle(id: string, one: string): void {
  const left = new Set(held.of(id).left);
  if (!left.delete(one)) left.add(one);
  held.change(id, { left });
}

/** Forgets what was chosen about something that is answered. */
export const chosen = (id: string): void => held.forget(id);
