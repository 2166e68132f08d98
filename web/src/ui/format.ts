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
