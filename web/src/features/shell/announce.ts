// Sentences for screen readers, in one live region.
import { useSyncExternalStore } from "react";

let sentence = "";
const listeners = new Set<() => void>();

export function announce(text: string): void {
  // The same sentence again is a new text, or nobody would hear it.
  sentence = text === sentence ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

export function useAnnouncement(): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => sentence);
}
