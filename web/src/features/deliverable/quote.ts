// Finds a quotation in a text, whatever blanks, line ends and Markdown signs are between its words.

/** Characters that do not count: blanks, the signs of Markdown, and the colon that stands in a quotation for the border of a table's cell. */
const nothing = /[\s*_`|#>:\\\u00ad\u200b-\u200d\ufeff]/u;

/** Marks that are written in several ways. */
const folded: Record<string, string> = { "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "−": "-", "…": "..." };

interface Squeezed { text: string; at: number[] }

/** The characters that count, and where each of them stands. */
function squeezed(text: string): Squeezed {
  let out = "";
  const at: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (nothing.test(c)) continue;
    if ((c === "," || c === ";") && /\s/.test(text[i + 1] ?? " ")) continue; // registers leave it out; that of a number counts
    const f = folded[c] ?? c;
    if (f === "-" && out.endsWith("-")) continue; // two hyphens are a dash
    for (let k = 0; k < f.length; k++) at.push(i);
    out += f;
  }
  return { text: out, at };
}

/** Where a part of a text stands, from its first to behind its last character. */
export type Range = [from: number, to: number];

/**
 * Where a quotation stands in a text; the first place from `after` on, or else the first. What it leaves out
 * with dots divides it: each piece has a place of its own, behind the one before.
 */
export function findQuote(text: string, quote: string, after = 0): Range[] | undefined {
  const pieces = unquoted(quote).split(/\s*(?:\.{3}|…)\s*/u).map((p) => squeezed(p).text).filter((p) => p !== "");
  if (pieces.length === 0) return undefined;
  const { text: hay, at } = squeezed(text);
  let start = 0;
  while (start < at.length && at[start]! < after) start++;
  for (const first of after > 0 ? [start, 0] : [0]) {
    const found: Range[] = [];
    let next = first;
    for (const piece of pieces) {
      const i = hay.indexOf(piece, next);
      if (i < 0) break;
      found.push([at[i]!, at[i + piece.length - 1]! + 1]);
      next = i + piece.length;
    }
    if (found.length === pieces.length) return found;
  }
  return undefined;
}

/** A quotation without the marks around it. */
function unquoted(quote: string): string {
  return quote.trim().replace(/^["'“‘«]+|["'”’»]+$/gu, "");
}

export interface Heading { level: number; text: string; line: number }

/** The headings of a Markdown text, outside of code. */
export function headingsOf(lines: readonly string[]): Heading[] {
  const all: Heading[] = [];
  let fence = "";
  lines.forEach((line, i) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence) {
      if (mark.startsWith(fence)) fence = "";
      return;
    }
    if (mark) { fence = mark; return; }
    const h = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (h) all.push({ level: h[1]!.length, text: h[2]!, line: i });
  });
  return all;
}

/** The file names of a cell with one or several, as registers have them: "A.md; B.md". */
export function filesOf(cell: string): string[] {
  return cell.split(/;|\n/).map((s) => s.trim().replace(/^["'`]|["'`]$/g, "").replace(/#.*$/, "").trim()).filter((s) => s !== "" && !/^location tbd$/i.test(s));
}

/** A place in a source: the steps to it, or a page. */
export interface Place { file: string; steps: string[]; page: number }

/**
 * The places that a SourceRef names: "Guidance.md > Considerations > C5; Specification > Scope".
 * A file is "" where the place does not say one.
 */
export function placesOf(ref: string, known: readonly string[]): Place[] {
  const stems = known.map((name) => [stem(name), name] as const);
  return ref.split(/;\s+/).map((part) => {
    const steps = part.replace(/([^\s>])#(?=\S)/, "$1 > ").split(/\s*>\s*|\s+→\s+/).map((s) => s.replace(/^#+\s*/, "").trim()).filter(Boolean);
    const page = Number(/\b(?:p|pg|page|pp)\.?\s*(\d{1,5})\b/i.exec(part)?.[1] ?? 0);
    const file = stems.find(([s, name]) => steps[0] !== undefined && [s, name.toLowerCase(), base(name).toLowerCase()].includes(steps[0].toLowerCase()))?.[1] ?? "";
    if (file) steps.shift();
    return { file, steps, page };
  }).filter((p) => p.file !== "" || p.steps.length > 0 || p.page > 0);
}

const base = (name: string) => name.slice(name.lastIndexOf("/") + 1);
const stem = (name: string) => base(name).replace(/\.[a-z0-9]+$/i, "").toLowerCase();

const plainWords = (s: string) => s.toLowerCase().replace(/[*_`|#]/g, "").replace(/\s+/g, " ").trim();

/**
 * The line to which steps lead, and how many of them were found. A step is a heading below
 * the one before, or else a line there that has its words.
 */
export function lineOf(lines: readonly string[], steps: readonly string[]): { line: number; found: number } {
  const headings = headingsOf(lines);
  let from = 0, to = lines.length, line = 0, found = 0;
  for (const step of steps) {
    const wanted = plainWords(step.replace(/\s+(table|section)$/i, ""));
    if (wanted === "") continue;
    const inside = headings.filter((h) => h.line >= from && h.line < to && (h.line > line || found === 0));
    const h = inside.find((x) => plainWords(x.text) === wanted) ?? inside.find((x) => bare(x.text) === bare(step)) ?? inside.find((x) => plainWords(x.text).includes(wanted));
    if (h) {
      line = h.line;
      from = h.line;
      to = headings.find((x) => x.line > h.line && x.level <= h.level)?.line ?? lines.length;
      found++;
      continue;
    }
    const at = lines.slice(from, to).findIndex((l) => plainWords(l).includes(wanted));
    if (at < 0) continue;
    line = from + at;
    found++;
  }
  return { line, found };
}

/** A heading without its number. */
const bare = (s: string) => plainWords(s).replace(/^(?:§\s*)?\d+(?:\.\d+)*[.)]?\s*/, "");
