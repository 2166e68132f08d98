// Messages that are being written. They live outside the views, so that switching
// sessions keeps them and uploads go on; the browser keeps them over a reload.
import { read, write } from "../../ui/theme";

export interface DraftFile {
  id: string; name: string; bytes: number; state: "busy" | "ready" | "bad";
  reason?: string; path?: string; sha256?: string;
}

export interface DraftState { text: string; files: readonly DraftFile[] }

/** Stores a file on the server; the answer's path is what a turn takes. */
export type Uploader = (file: File, signal: AbortSignal) => Promise<{ path: string; sha256: string; bytes: number }>;

const empty: DraftState = { text: "", files: [] };

export class Drafts {
  private readonly drafts = new Map<string, Draft>();

  of(key: string): Draft {
    let draft = this.drafts.get(key);
    if (!draft) this.drafts.set(key, draft = new Draft(key));
    return draft;
  }
}

export class Draft {
  private readonly name: string;
  private state: DraftState;
  private readonly listeners = new Set<() => void>();
  private readonly uploads = new Map<string, AbortController>();
  private made = 0;

  constructor(key: string) {
    this.name = `belay.draft.${key}`;
    this.state = validDraft(read(this.name));
  }

  readonly get = (): DraftState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  setText(text: string): void { this.set({ ...this.state, text }); }

  /** Adds files and uploads them at once. */
  add(files: Iterable<File>, upload: Uploader): void {
    for (const file of files) {
      const id = `${Date.now()}-${this.made++}`;
      const abort = new AbortController();
      this.uploads.set(id, abort);
      this.set({ ...this.state, files: [...this.state.files, { id, name: file.name || "pasted", bytes: file.size, state: "busy" }] });
      upload(file, abort.signal).then(
        (done) => this.change(id, { state: "ready", path: done.path, sha256: done.sha256, bytes: done.bytes }),
        (err: unknown) => this.change(id, { state: "bad", reason: err instanceof Error ? err.message : String(err) }),
      ).finally(() => this.uploads.delete(id));
    }
  }

  remove(id: string): void {
    this.uploads.get(id)?.abort();
    this.set({ ...this.state, files: this.state.files.filter((f) => f.id !== id) });
  }

  /** Empties the draft and returns what was in it. Files that still upload stay. */
  take(): DraftState {
    const taken = { text: this.state.text, files: this.state.files.filter((f) => f.state !== "busy") };
    this.set({ text: "", files: this.state.files.filter((f) => f.state === "busy") });
    return taken;
  }

  /** Puts back what was taken, before what was written since. */
  restore(taken: DraftState): void {
    const text = [taken.text, this.state.text].filter((t) => t.trim() !== "").join("\n\n");
    this.set({ text, files: [...taken.files, ...this.state.files] });
  }

  private change(id: string, to: Partial<DraftFile>): void {
    this.set({ ...this.state, files: this.state.files.map((f) => (f.id === id ? { ...f, ...to } : f)) });
  }

  private set(state: DraftState): void {
    this.state = state;
    const kept = { text: state.text, files: state.files.filter((f) => f.state === "ready") };
    write(this.name, kept.text || kept.files.length ? JSON.stringify(kept) : null);
    for (const listener of this.listeners) listener();
  }
}

/** What the browser kept; parts of a wrong form are left out. */
export function validDraft(kept: string | null): DraftState {
  if (kept === null) return empty;
  let value: unknown;
  try {
    value = JSON.parse(kept);
  } catch {
    return empty;
  }
  const { text, files } = (value ?? {}) as { text?: unknown; files?: unknown };
  return { text: typeof text === "string" ? text : "", files: Array.isArray(files) ? files.filter(isFile) : [] };
}

function isFile(value: unknown): value is DraftFile {
  const f = value as Partial<DraftFile> | null;
  return typeof f === "object" && f !== null && typeof f.id === "string" && typeof f.name === "string" &&
    typeof f.path === "string" && typeof f.sha256 === "string" && typeof f.bytes === "number" && f.state === "ready";
}
