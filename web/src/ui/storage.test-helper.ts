// What a browser keeps, for tests.
import { vi } from "vitest";

/** Puts an empty storage in the place of the browser's, and returns what it has. */
export function emptyStorage(): Record<string, string> {
  const kept: Record<string, string> = Object.create({
    getItem(name: string) { return kept[name] ?? null; },
    setItem(name: string, text: string) { kept[name] = text; },
    removeItem(name: string) { delete kept[name]; },
  });
  vi.stubGlobal("localStorage", kept);
  return kept;
}

/** Leaves room for texts of this many characters only. */
export function fill(kept: Record<string, string>, room = -1): void {
  Object.getPrototypeOf(kept).setItem = (name: string, text: string) => {
    if (text.length > room) throw new Error("full");
    kept[name] = text;
  };
}
