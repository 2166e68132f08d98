// Messages that are being written. They live outside the views, so that switching
// sessions keeps them and uploads go on; the browser keeps them over a reload, and for all its tabs.
import { isFailure } from "../../api/http";
import type { Inspection } from "../../api/types";
import { bytes, count, tokens } from "../../ui/format";
import { clear, onKeptElsewhere, read, write } from "../../ui/keep";
import { giveUp, whenLeft } from "./sending";

export interface DraftFile {
  id: string; name: string; bytes: number; state: "busy" | "ready" | "bad";
  reason?: string; path?: string; sha256?: string;
  /** What a turn would make of it, in a few words. */
  about?: string;
  /** Set of a file of the project, which is sent as it is then. */
  inProject?: string;
}

export interface DraftState { text: string; files: readonly DraftFile[] }

/** Where the files of a draft go. */
export interface Uploader {
  /** Stores a file on the server; the answer's path is what a turn takes. */
  upload(file: File, signal: AbortSignal): Promise<{ path: string; sha256: string; bytes: number }>;
  /** Says what a turn would make of a file on the server; undefined where nobody knows. */
  inspect(path: string): Promise<Inspection | undefined>;
}

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
  readonly key: string;
  private readonly name: string;
  private state: DraftState;
  /** What the browser had when it was read or written last. */
  private stored: string | null;
  private readonly listeners = new Set<() => void>();
  private readonly uploads = new Map<string, AbortController>();
  /** The files themselves, for previews. They do not survive a reload. */
  private readonly blobs = new Map<string, Blob>();
  private made = 0;

  constructor(key: string) {
    this.key = key;
    this.name = `belay.draft.${key}`;
    this.stored = read(this.name);
    this.state = validDraft(this.stored);
    onKeptElsewhere((name) => { if ((name ?? this.name) === this.name) this.adopt(); });
    whenLeft(key, (taken) => this.restore(validState(taken)));
  }

  readonly get = (): DraftState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  setText(text: string): void {
    const before = this.state.text;
    this.adopt();
    const stored = read(this.name), missed = stored === this.stored ? "" : validDraft(stored).text;
    // Nobody has seen yet what another tab wrote in this moment: both stay.
    const theirs = this.state.text === before ? missed : this.state.text;
    this.set({ ...this.state, text: theirs === "" ? text : both(theirs, text) });
    if (text === "") giveUp(this.key);
  }

  /** Adds files, uploads them at once, and asks what a turn would make of them. */
  add(files: Iterable<File>, to: Uploader): void {
    for (const file of files) {
      const id = this.newId();
      const abort = new AbortController();
      this.uploads.set(id, abort);
      this.blobs.set(id, file);
      this.set({ ...this.state, files: [...this.state.files, { id, name: file.name || "pasted", bytes: file.size, state: "busy" }] });
      to.upload(file, abort.signal).then(
        async (done) => this.change(id, { path: done.path, sha256: done.sha256, bytes: done.bytes, ...await verdict(to, done.path) }),
        (err: unknown) => this.change(id, { state: "bad", reason: reasonOf(err) }),
      ).finally(() => this.uploads.delete(id));
    }
  }

  /** Adds a file of the project. */
  addPath(path: string, inProject: string, to: Uploader): void {
    this.addStored({ path, inProject, name: inProject.split("/").at(-1) ?? inProject, bytes: 0 }, to);
  }

  /** Adds a file that the server has. Nothing is uploaded; each path is there once. */
  addStored(file: { path: string; name: string; bytes: number; sha256?: string; inProject?: string }, to: Uploader): void {
    if (this.state.files.some((f) => f.path === file.path)) return;
    const id = this.newId();
    this.set({ ...this.state, files: [...this.state.files, { ...file, id, state: "busy" }] });
    void verdict(to, file.path).then((v) => this.change(id, v));
  }

  /** The file itself, if it was chosen since the page was loaded. */
  blob(id: string): Blob | undefined { return this.blobs.get(id); }

  remove(id: string): void {
    this.uploads.get(id)?.abort();
    this.blobs.delete(id);
    this.set({ ...this.state, files: this.state.files.filter((f) => f.id !== id) });
  }

  private newId(): string { return `${Date.now()}-${this.made++}`; }

  /** Empties the draft and returns what was in it. Files that still upload stay. */
  take(): DraftState {
    const taken = { text: this.state.text, files: this.state.files.filter((f) => f.state !== "busy") };
    this.set({ text: "", files: this.state.files.filter((f) => f.state === "busy") });
    return taken;
  }

  /** Puts back what was taken, before what was written since. */
  restore(taken: DraftState): void {
    this.set({ text: both(taken.text, this.state.text), files: [...taken.files, ...this.state.files] });
  }

  private change(id: string, to: Partial<DraftFile>): void {
    this.set({ ...this.state, files: this.state.files.map((f) => (f.id === id ? { ...f, ...to } : f)) });
  }

  private set(state: DraftState): void {
    this.state = state;
    const text = keptOf(state);
    if (text === cleared) clear(this.name, text);
    else write(this.name, text);
    this.stored = read(this.name);
    for (const listener of this.listeners) listener();
  }

  /**
   * Takes what another tab has made of the draft, if this one has nothing of its own that the browser could
   * not keep. That there is nothing any more is not what a tab has made of it: that would be an empty draft.
   */
  private adopt(): void {
    const stored = read(this.name);
    if (stored === this.stored || (stored !== null && keptOf(this.state) !== (this.stored ?? cleared))) return;
    this.stored = stored;
    if (stored === null) return;
    const { text, files } = validDraft(stored);
    this.state = { text, files: [...files, ...this.state.files.filter((f) => f.state !== "ready")] };
    for (const listener of this.listeners) listener();
  }
}

/** A draft as the browser keeps it. */
function keptOf(state: DraftState): string { return JSON.stringify({ text: state.text, files: state.files.filter((f) => f.state === "ready") }); }

const cleared = keptOf(empty);

const both = (first: string, second: string): string => [first, second].filter((t) => t.trim() !== "").join("\n\n");

/** Why a file was not taken: what the server says of this file, else of the request. */
function reasonOf(err: unknown): string {
  const all = isFailure(err) && Array.isArray(err.details.attachmentErrors) ? err.details.attachmentErrors as { reason?: string }[] : [];
  return all[0]?.reason || (err instanceof Error ? err.message : String(err));
}

/** Asks what a turn would make of a file. A server that does not say has no objection. */
async function verdict(to: Uploader, path: string): Promise<Partial<DraftFile>> {
  const v = await to.inspect(path).catch(() => undefined);
  if (!v) return { state: "ready" };
  if (!v.ok) return { state: "bad", reason: v.reason || v.code || "It cannot be attached." };
  return { state: "ready", ...(v.bytes !== undefined ? { bytes: v.bytes } : {}), ...(v.sha256 ? { sha256: v.sha256 } : {}), about: aboutOf(v) };
}

/** What a turn would make of a file, in a few words. */
export function aboutOf(v: Inspection): string {
  const parts = [
    v.width && v.height && `${v.width}×${v.height}`, v.pages && count(v.pages, "page"), v.bytes !== undefined && bytes(v.bytes),
    v.estimatedTokens && `about ${tokens(v.estimatedTokens)} tokens`, v.note,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** What the browser kept; parts of a wrong form are left out. */
export function validDraft(kept: string | null): DraftState {
  if (kept === null) return empty;
  try {
    return validState(JSON.parse(kept));
  } catch {
    return empty;
  }
}

function validState(value: unknown): DraftState {
  const { text, files } = (value ?? {}) as { text?: unknown; files?: unknown };
  return { text: typeof text === "string" ? text : "", files: Array.isArray(files) ? files.filter(isFile) : [] };
}

function isFile(value: unknown): value is DraftFile {
  const f = value as Partial<DraftFile> | null;
  return typeof f === "object" && f !== null && typeof f.id === "string" && typeof f.name === "string" &&
    typeof f.path === "string" && typeof f.bytes === "number" && f.state === "ready" &&
    [f.sha256, f.about, f.inProject].every((text) => text === undefined || typeof text === "string") && (f.sha256 !== undefined || f.inProject !== undefined);
}
