// What this browser keeps for the page: drafts, layout, choices. All of it can be lost, and all
// tabs share it.
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let full = false;

/** Reads what this browser keeps; a private window may keep nothing. */
export function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * Keeps a text, or forgets it for null. Reports whether it did; where there is no room, an older text
 * stays: it may be what other tabs have.
 */
export function write(name: string, value: string | null): boolean {
  let failed = false;
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    failed = true;
  }
  if (failed !== full) {
    full = failed;
    for (const listener of listeners) listener();
  }
  return !failed;
}

/**
 * Keeps that something is empty now, as a text: tabs that have it take no removal for news, as a browser
 * removes things too. What was not kept needs no such text.
 */
export function clear(name: string, empty: string): void {
  // Where there is no room even for this, what has been sent must not come back.
  if (read(name) === null || !write(name, empty)) write(name, null);
}

const watchers = new Set<(name: string | null) => void>();

/** Calls with the name of what another tab has kept or forgotten, null for all of it. Returns what ends that. */
export function onKeptElsewhere(watcher: (name: string | null) => void): () => void {
  watchers.add(watcher);
  return () => { watchers.delete(watcher); };
}

/** Tells that another tab has kept or forgotten something. */
export function keptElsewhere(name: string | null): void { for (const watcher of [...watchers]) watcher(name); }

globalThis.addEventListener?.("storage", (e) => { if (e.storageArea === localStorage) keptElsewhere(e.key); });
// A page that the browser kept for the way back has heard nothing meanwhile.
globalThis.addEventListener?.("pageshow", (e) => { if (e.persisted) keptElsewhere(null); });

/** What comes after a beginning in the names of all that is kept under it. */
export function keptNames(beginning: string): string[] {
  try {
    return Object.keys(localStorage).flatMap((name) => (name.startsWith(beginning) ? [name.slice(beginning.length)] : []));
  } catch {
    return [];
  }
}

/** Reports whether the last thing that was to be kept was not. */
export function useNothingKept(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => full);
}

/** Reads a versioned record: what is of another version or form is as if it were not there. */
export function readRecord<T>(name: string, version: number, valid: (value: unknown) => T | undefined): T | undefined {
  try {
    const kept = JSON.parse(read(name) ?? "null") as { v?: unknown; is?: unknown } | null;
    return kept?.v === version ? valid(kept.is) : undefined;
  } catch {
    return undefined;
  }
}

export function writeRecord(name: string, version: number, is: unknown): void {
  write(name, is === undefined ? null : recordOf(version, is));
}

/** Keeps that a record is empty now. */
export function clearRecord(name: string, version: number, empty: unknown): void { clear(name, recordOf(version, empty)); }

const recordOf = (version: number, is: unknown): string => JSON.stringify({ v: version, is });

/**
 * A record in memory. It is read again where another tab has written it; one that the browser does not keep,
 * or not any more, stays as it is.
 */
export class Kept<T> {
  readonly #name: string;
  readonly #version: number;
  readonly #valid: (value: unknown) => T | undefined;
  /** The text that the browser had when it was read or written last. */
  #text: string | null | undefined;
  #is: T | undefined;

  constructor(name: string, version: number, valid: (value: unknown) => T | undefined) {
    this.#name = name;
    this.#version = version;
    this.#valid = valid;
  }

  get(): T | undefined { return this.#text === undefined ? this.fresh() : this.#is; }

  /** What is kept now, which another tab may have changed. Ask it before a part is changed. */
  fresh(): T | undefined {
    const text = read(this.#name);
    if (text !== this.#text) {
      this.#text = text;
      this.#is = readRecord(this.#name, this.#version, this.#valid) ?? this.#is;
    }
    return this.#is;
  }

  set(is: T, empty: boolean): void {
    (empty ? clearRecord : writeRecord)(this.#name, this.#version, is);
    this.#text = read(this.#name);
    this.#is = is;
  }
}

const rootName = "belay.root";

/** The project folder that this tab looked at last, in a new tab that of any. */
export function lastRoot(): string {
  try {
    return sessionStorage.getItem(rootName) ?? read(rootName) ?? "";
  } catch {
    return read(rootName) ?? "";
  }
}

export function keepRoot(root: string): void {
  try {
    sessionStorage.setItem(rootName, root);
  } catch {
    // A browser that keeps nothing asks the server.
  }
  write(rootName, root);
}

/** Forgets everything that the page keeps in this browser. */
export function forgetAll(): void {
  try {
    for (const kept of [localStorage, sessionStorage]) for (const name of Object.keys(kept)) if (name.startsWith("belay.")) kept.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}
