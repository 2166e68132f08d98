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
