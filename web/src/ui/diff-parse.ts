// Reads a unified diff into files, hunks and numbered lines.
import { visible } from "./format";

/** `text` is as people see it: what is in a line and not seen is shown. Paths are as they are. */
export interface DiffLine { kind: "add" | "del" | "same" | "note"; text: string; old?: number; new?: number; mark?: [from: number, to: number] }
export interface DiffFile { path: string; from: string; state: "new" | "gone" | "changed"; added: number; removed: number; hunks: DiffLine[][] }

export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let file: DiffFile | undefined;
  let hunk: DiffLine[] = [];
  let oldLine = 0, newLine = 0, oldLeft = 0, newLeft = 0;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const inHunk = oldLeft > 0 || newLeft > 0;
    if (!inHunk && line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ")) {
      const from = name(line), to = name(lines[++i]!);
      file = {
        path: to === "" ? from : to, from, added: 0, removed: 0, hunks: [],
        state: from === "" ? "new" : to === "" ? "gone" : "changed",
      };
      files.push(file);
      continue;
    }
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!inHunk && head) {
      if (!file) files.push(file = { path: "", from: "", state: "changed", added: 0, removed: 0, hunks: [] });
      oldLine = Number(head[1]), newLine = Number(head[3]);
      oldLeft = Number(head[2] ?? 1), newLeft = Number(head[4] ?? 1);
      file.hunks.push(hunk = []);
      continue;
    }
    const rest = shown(line.slice(1));
    if (inHunk && file && line.startsWith("+")) {
      hunk.push({ kind: "add", text: rest, new: newLine++ });
      newLeft--, file.added++;
    } else if (inHunk && file && line.startsWith("-")) {
      hunk.push({ kind: "del", text: rest, old: oldLine++ });
      oldLeft--, file.removed++;
    } else if (inHunk && (line.startsWith(" ") || line === "")) {
      hunk.push({ kind: "same", text: rest, old: oldLine++, new: newLine++ });
      oldLeft--, newLeft--;
    } else if (line !== "") {
      if (!file) files.push(file = { path: "", from: "", state: "changed", added: 0, removed: 0, hunks: [] });
      if (file.hunks.length === 0 || !inHunk && hunk !== file.hunks.at(-1)) file.hunks.push(hunk = []);
      hunk.push({ kind: "note", text: shown(line) });
    }
  }
  for (const f of files) for (const h of f.hunks) markPairs(h);
  return files;
}

/** A line as people see it. The end of a line of Windows is the end of a line. */
const shown = (line: string): string => visible(line.endsWith("\r") ? line.slice(0, -1) : line);

/** The path of a header line, without a/ or b/; "" for /dev/null. */
function name(line: string): string {
  const path = line.slice(4).replace(/\t.*$/, "");
  return path === "/dev/null" ? "" : path.replace(/^[ab]\//, "");
}

/** Marks what differs in lines that replace each other one by one. */
function markPairs(hunk: DiffLine[]): void {
  for (let i = 0; i < hunk.length;) {
    if (hunk[i]!.kind !== "del") { i++; continue; }
    let dels = i;
    while (hunk[dels]?.kind === "del") dels++;
    let adds = dels;
    while (hunk[adds]?.kind === "add") adds++;
    if (adds - dels === dels - i) for (let k = 0; k < dels - i; k++) markPair(hunk[i + k]!, hunk[dels + k]!);
    i = adds;
  }
}

function markPair(a: DiffLine, b: DiffLine): void {
  const most = Math.min(a.text.length, b.text.length);
  let head = 0;
  while (head < most && a.text[head] === b.text[head]) head++;
  let tail = 0;
  while (tail < most - head && a.text.at(-1 - tail) === b.text.at(-1 - tail)) tail++;
  if (head + tail < most / 4) return; // they have little in common
  a.mark = [head, a.text.length - tail];
  b.mark = [head, b.text.length - tail];
}

/** A diff of edits that replace one text by another, for calls that have no diff yet. */
export function diffOfEdits(path: string, edits: readonly { old: string; new: string }[]): DiffFile {
  const hunks = edits.map((edit) => {
    const hunk: DiffLine[] = [
      ...lines(edit.old).map((text): DiffLine => ({ kind: "del", text: shown(text) })),
      ...lines(edit.new).map((text): DiffLine => ({ kind: "add", text: shown(text) })),
    ];
    markPairs(hunk);
    return hunk;
  });
  const all = hunks.flat();
  return {
    path, from: path, state: "changed", hunks,
    added: all.filter((l) => l.kind === "add").length, removed: all.filter((l) => l.kind === "del").length,
  };
}

const lines = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
