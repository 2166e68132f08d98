// How this browser shows diffs: side by side or in one column, and which files were viewed.
import { useSyncExternalStore } from "react";
import { read, write } from "./keep";

export type DiffStyle = "unified" | "split";

const name = "belay.diff";
const listeners = new Set<() => void>();

export function setDiffStyle(to: DiffStyle): void {
  write(name, to === "split" ? to : null);
  for (const listener of listeners) listener();
}

export function useDiffStyle(): DiffStyle {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => (read(name) === "split" ? "split" : "unified"));
}

// Viewed files belong to this visit: a diff that is opened again after a reload is read anew.
const viewed = new Set<string>();

export function isViewed(key: string): boolean { return viewed.has(key); }

export function setViewed(key: string, to: boolean): void {
  if (to) viewed.add(key);
  else viewed.delete(key);
}
