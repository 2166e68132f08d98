// Puts the lines of a hunk beside each other: what was, and what is now.
import type { DiffLine } from "./diff-parse";

export interface Pair { left?: DiffLine; right?: DiffLine }

/** Lines that replace each other stand in one row; a note stands on both sides. */
export function pairsOf(hunk: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; i < hunk.length;) {
    const line = hunk[i]!;
    if (line.kind === "same" || line.kind === "note") {
      pairs.push({ left: line, right: line });
      i++;
      continue;
    }
    const dels: DiffLine[] = [], adds: DiffLine[] = [];
    while (hunk[i]?.kind === "del") dels.push(hunk[i++]!);
    while (hunk[i]?.kind === "add") adds.push(hunk[i++]!);
    for (let k = 0; k < Math.max(dels.length, adds.length); k++) {
      pairs.push({ ...(dels[k] ? { left: dels[k] } : {}), ...(adds[k] ? { right: adds[k] } : {}) });
    }
  }
  return pairs;
}
