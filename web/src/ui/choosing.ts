// What a person chooses about something that waits for an answer: what to leave out, and a note. It is
// kept by the id of that until it is answered, so that a look at another view changes nothing.
import { useCallback, useSyncExternalStore } from "react";

export interface Choosing { left: ReadonlySet<string>; note: string; noting: boolean }

const nothing: Choosing = { left: new Set(), note: "", noting: false };
const all = new Map<string, Choosing>();
const listeners = new Set<() => void>();

/** How many are kept: some are answered elsewhere, and are never asked about here again. */
const most = 200;

const of = (id: string): Choosing => all.get(id) ?? nothing;

export function choose(id: string, change: Partial<Choosing>): void {
  const is = { ...of(id), ...change };
  all.delete(id);
  all.set(id, is);
  for (const old of all.keys()) {
    if (all.size <= most) break;
    all.delete(old);
  }
  for (const listener of listeners) listener();
}

/** Leaves one of the things out, or takes it in again. */
export function toggle(id: string, one: string): void {
  const left = new Set(of(id).left);
  if (!left.delete(one)) left.add(one);
  choose(id, { left });
}

/** Forgets what was chosen about something that is answered. */
export function chosen(id: string): void {
  if (all.delete(id)) for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

export function useChoosing(id: string): Choosing {
  const get = useCallback(() => of(id), [id]);
  return useSyncExternalStore(subscribe, get, get);
}
