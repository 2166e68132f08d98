/** A size in the unit that fits it, up to gigabytes. */
export function size(n: number): string {
  if (n < 1024) return `${n} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let at = -1;
  while (n >= 1024 && at < units.length - 1) { n /= 1024; at++; }
  return `${n.toFixed(n < 10 ? 1 : 0)} ${units[at]}`;
}
