// The folders of a project that a person looks into: which are open, and what is in them.
import { tree as readTree, pageOfFolder, type TreeNode } from "../../api/files";
import { Failure } from "../../api/http";
import { above, folderOf } from "./names";

export type EntryKind = "folder" | "file" | "link";

export interface Entry { path: string; name: string; kind: EntryKind }

interface Folder { entries: readonly Entry[]; total: number; state: "loading" | "ready" | "failed"; error?: unknown }

/** A line of the tree. A folder that has more than was read ends with a line "more". */
export interface Row extends Entry {
  depth: number; open: boolean; state?: Folder["state"]; error?: unknown; more?: { shown: number; total: number };
  /** Where it is among its siblings, from 1. */
  at: number; of: number;
}

/** How deep folders are read ahead, as the original did. */
export const depthAhead = 3;

type Read = (path: string, depth: number, offset: number, signal: AbortSignal) => Promise<TreeNode>;

/** The tree of one project. It asks for nothing twice at the same time. */
export class Tree {
  private readonly read: Read;
  private readonly folders = new Map<string, Folder>();
  private readonly open = new Set<string>([""]);
  private readonly busy = new Map<string, AbortController>();
  private readonly again = new Set<string>();
  /** Large folders of which more is wanted once what is asked for is there. */
  private readonly then = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private shown: readonly Row[] = [];

  constructor(root: string, read: Read = (path, depth, offset, signal) => readTree(root, path, depth, offset, signal)) { this.read = read; }

  readonly get = (): readonly Row[] => this.shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The project's own folder: whether it was read, and why not. */
  top(): { state: Folder["state"]; error?: unknown } { return this.folders.get("") ?? { state: "loading" }; }

  /** Ends all requests. The tree can be used again. */
  stop(): void {
    for (const request of this.busy.values()) request.abort();
    this.busy.clear();
    this.again.clear();
    this.then.clear();
  }

  async load(path: string, depth = 1): Promise<void> {
    if (this.busy.has(path)) {
      this.again.add(path); // what is read now may be old already
      return;
    }
    const gone = new AbortController();
    this.busy.set(path, gone);
    const had = this.folders.get(path);
    if (!had || had.state === "failed") this.set(path, { entries: [], total: 0, state: "loading" });
    try {
      const wanted = Math.max(1, Math.ceil((had?.entries.length ?? 0) / pageOfFolder));
      let node = await this.read(path, depth, 0, gone.signal);
      // A folder that cannot be listed is truncated, and nobody knows how many entries it has. An empty one is not truncated.
      if (node.truncated && node.total === undefined && !node.children) throw new Failure(0, "WORKSPACE_FILE_READ_FAILED", "The folder cannot be read.");
      this.take(path, node);
      for (let i = 1; i < wanted && node.next; i++) this.add(path, node = await this.read(path, 1, node.next, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      this.then.delete(path);
      // A folder that went away is no longer in the one above it; the project's own says so.
      this.set(path, { entries: had?.entries ?? [], total: had?.total ?? 0, state: "failed", error });
    } finally {
      if (this.busy.get(path) === gone) this.busy.delete(path);
    }
    await this.goOn(path);
  }

  /** Does what was asked for while a folder was read. */
  private async goOn(path: string): Promise<void> {
    if (this.again.delete(path)) await this.load(path);
    else if (this.then.delete(path)) await this.more(path);
  }

  /** Reads the next entries of a large folder. */
  async more(path: string): Promise<void> {
    const folder = this.folders.get(path);
    if (!folder) return;
    if (this.busy.has(path)) {
      this.then.add(path);
      return;
    }
    if (folder.entries.length >= folder.total) return;
    const gone = new AbortController();
    this.busy.set(path, gone);
    try {
      this.add(path, await this.read(path, 1, folder.entries.length, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      this.then.delete(path);
      this.set(path, { ...folder, state: "failed", error });
    } finally {
      if (this.busy.get(path) === gone) this.busy.delete(path);
    }
    await this.goOn(path);
  }

  toggle(path: string, open = !this.open.has(path)): void {
    if (open) {
      this.open.add(path);
      // Folders in it may have been left open, and forgotten while nobody saw them.
      for (const seen of this.open) if ((seen === path || seen.startsWith(`${path}/`)) && this.sees(seen)) this.need(seen);
    } else this.open.delete(path);
    this.changed();
  }

  /** Whether a folder and all above it are open. */
  private sees(path: string): boolean { return [...above(path), path].every((folder) => this.open.has(folder)); }

  /** Reads a folder that is not known. */
  private need(path: string): void {
    const state = this.folders.get(path)?.state;
    if (state !== "ready" && state !== "loading") void this.load(path);
  }

  /** Opens the folders on the way to a path. */
  reveal(path: string): void {
    for (const folder of above(path)) if (!this.open.has(folder)) this.toggle(folder, true);
  }

  /** Reads again what changed, of the folders that were read: those of the paths, or all that are seen. */
  refresh(paths: ReadonlySet<string> | "all"): void {
    if (paths === "all") {
      // What nobody sees is forgotten: it is read when its folder is opened.
      for (const path of [...this.folders.keys()]) if (!this.sees(path) && !this.busy.has(path)) this.folders.delete(path);
      void this.load("", depthAhead);
      for (const path of this.folders.keys()) if (path !== "") void this.load(path);
      return;
    }
    const folders = new Set<string>();
    for (const path of paths) {
      for (const folder of [folderOf(path), path]) if (this.folders.has(folder)) folders.add(folder);
    }
    for (const folder of folders) void this.load(folder);
  }

  /** Takes what the server said of a folder, and of those in it that are listed to their end. */
  private take(path: string, node: TreeNode): void {
    const children = node.children ?? [];
    const entries = children.map((child): Entry => ({
      path: path === "" ? child.name : `${path}/${child.name}`, name: child.name,
      kind: child.kind === "directory" ? "folder" : child.kind === "symlink" ? "link" : "file",
    }));
    this.folders.set(path, { entries, total: node.total ?? entries.length, state: "ready" });
    children.forEach((child, i) => {
      if (child.kind === "directory" && child.children && !child.truncated) this.take(entries[i]!.path, child);
    });
    const here = new Set(entries.map((e) => e.path));
    for (const known of this.folders.keys()) {
      if (known !== "" && folderOf(known) === path && known !== path && !here.has(known) && (node.next ?? 0) === 0) this.forget(known);
    }
    this.changed();
  }

  private forget(path: string): void {
    for (const known of [...this.folders.keys()]) {
      if (known === path || known.startsWith(`${path}/`)) {
        this.folders.delete(known);
        this.open.delete(known);
      }
    }
  }

  private add(path: string, node: TreeNode): void {
    const had = this.folders.get(path);
    if (!had) return;
    const known = new Set(had.entries.map((e) => e.path));
    const entries = (node.children ?? []).map((child): Entry => ({
      path: path === "" ? child.name : `${path}/${child.name}`, name: child.name,
      kind: child.kind === "directory" ? "folder" : child.kind === "symlink" ? "link" : "file",
    })).filter((e) => !known.has(e.path));
    this.set(path, { entries: [...had.entries, ...entries], total: node.total ?? had.total, state: "ready" });
  }

  private set(path: string, folder: Folder): void {
    this.folders.set(path, folder);
    this.changed();
  }

  private changed(): void {
    const rows: Row[] = [];
    this.lines("", 0, rows);
    this.shown = rows;
    for (const listener of this.listeners) listener();
  }

  private lines(path: string, depth: number, rows: Row[]): void {
    const folder = this.folders.get(path);
    if (!folder) return;
    folder.entries.forEach((e, i) => {
      const open = e.kind === "folder" && this.open.has(e.path);
      const inside = open ? this.folders.get(e.path) : undefined;
      rows.push({ ...e, depth, open, at: i + 1, of: folder.total, ...(open ? { state: inside?.state ?? "loading", error: inside?.error } : {}) });
      if (open) this.lines(e.path, depth + 1, rows);
    });
    if (folder.entries.length < folder.total) {
      rows.push({ path: `${path}/`, name: "", kind: "file", depth, open: false, at: folder.entries.length + 1, of: folder.total, more: { shown: folder.entries.length, total: folder.total } });
    }
  }
}
