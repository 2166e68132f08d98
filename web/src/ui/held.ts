// What a person has entered and not sent, by the id of what it is about. It outlives the view that
// shows it, and is gone when the page is.
import { useCallback, useSyncExternalStore } from "react";

/** How many are held of a kind: of some nobody ever hears again. */
const most = 200;

export class Held<T extends object> {
  readonly #nothing: T;
  readonly #all = new Map<string, T>();
  readonly #listeners = new Set<() => void>();

  constructor(nothing: T) { this.#nothing = nothing; }

  of(id: string): T { return this.#all.get(id) ?? this.#nothing; }

  change(id: string, change: Partial<T>): void {
    const is = { ...this.of(id), ...change };
    this.#all.delete(id);
    this.#all.set(id, is);
    for (const old of this.#all.keys()) {
      if (this.#all.size <= most) break;
      this.#all.delete(old);
    }
    this.#tell();
  }

  forget(id: string): void { if (this.#all.delete(id)) this.#tell(); }

  /** A hook: what is held, drawn anew when it changes. */
  readonly use = (id: string): T => {
    const get = useCallback(() => this.of(id), [id]);
    return useSyncExternalStore(this.#subscribe, get, get);
  };

  readonly #subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  };

  #tell(): void { for (const listener of this.#listeners) listener(); }
}
