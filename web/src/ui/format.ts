// Numbers and times as people read them.

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} KiB`;
  return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

/** How long something was worked at, in milliseconds, up to now where it has not ended. The pauses of a resumed run do not count. */
export function worked(x: { startedAt: string; endedAt?: string; pausedMs?: number }): number {
  return Math.max(0, (x.endedAt ? Date.parse(x.endedAt) : Date.now()) - Date.parse(x.startedAt) - (x.pausedMs ?? 0));
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago a time is, in the shortest form: now, 5 min, 3 h, 2 d, then the date. */
export function ago(time: string, now: number = Date.now()): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return "";
  const seconds = (now - then) / 1000;
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return new Date(then).toLocaleDateString();
}

export function tokens(n: number): string {
  return n < 10_000 ? n.toLocaleString("en-US") : n < 1e6 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1e6).toFixed(2)}M`;
}

const english = new Intl.NumberFormat("en-US");

export function count(n: number, one: string, many = `${one}s`): string {
  return `${english.format(n)} ${n === 1 ? one : many}`;
}

/** Text without the codes that colour a terminal. */
export function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "");
}

/** What a browser would obey, or show as nothing. Ends of lines and tabs are none of it. */
const unseen = /[\p{Cc}\p{Cf}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2028\u2029\u2800]/u;
const joins = /[\p{L}\p{M}\p{S}]/u;
const styled = /[\p{S}\p{P}]/u;

/**
 * Shows everything that is in a text on which a person decides, as Visible of internal/render does
 * for a chat: a control character by its picture, others by their number, such as <U+200B>. What
 * joins letters of other scripts and the parts of a picture stays, where it does.
 */
export function visible(text: string): string {
  if (!unseen.test(text)) return text;
  const all = Array.from(text);
  return all.map((c, i) => {
    if (c === "\r" && all[i + 1] === "\n") return "";
    if (!unseen.test(c) || c === "\n" || c === "\t" || !isHidden(all[i - 1] ?? "", c, all[i + 1] ?? "")) return c;
    const code = c.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  }).join("");
}

/** Whether a character between two others is not seen. Some are seen by what they do to their neighbours. */
function isHidden(before: string, c: string, after: string): boolean {
  const joined = (x: string) => x > "\u007f" && joins.test(x);
  if (c === "\u200c" || c === "\u200d") return !joined(before) || !joined(after);
  if (c === "\ufe0e" || c === "\ufe0f") return after !== "\u20e3" && (before < "\u007f" || !styled.test(before));
  return true;
}
