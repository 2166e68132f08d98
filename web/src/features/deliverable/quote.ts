// Finds a quotation in a text, whatever blanks, line ends and Markdown signs are between its words.

/** Characters that do not count: blanks, and the signs of Markdown. */
const nothing = /[\s*_`|#>\\\u00ad\u200b-\u200d\ufeff]/u;

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
    const f = folded[c] ?? c;
    for (let k = 0; k < f.length; k++) at.push(i);
    out += f;
  }
  return { text: out, at };
}

/** Where a quotation stands in a text, from its first to behind its last character; the first place from `after` on. */
export function findQuote(text: string, quote: string, after = 0): [from: number, to: number] | undefined {
  const wanted = squeezed(unquoted(quote)).text;
  if (wanted === "") return undefined;
  const { text: hay, at } = squeezed(text);
  let start = 0;
  while (start < at.length && at[start]! < after) start++;
  for (const first of after > 0 ? [start, 0] : [0]) {
    const found = hay.indexOf(wanted, first);
    if (found >= 0) return [at[found]!, at[found + wanted.length - 1]! + 1];
  }
  return undefined;
}

/** A quotation without the marks around it, and without dots for what was left out at its ends. */
function unquoted(quote: string): string {
  return quote.trim().replace(/^["'“‘«]+|["'”’»]+$/gu, "").replace(/^(\.{3}|…)\s*|\s*(\.{3}|…)$/gu, "");
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
