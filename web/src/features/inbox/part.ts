// Which files of a command's changes an answer is about.
import type { Effect } from "../../api/types";
import { toggle } from "../../ui/choosing";
import type { Choice } from "../../ui/diff";

export interface Part {
  /** What has a tick; undefined where all is applied. */
  only: string[] | undefined;
  /** How many files that is. */
  count: number;
  /** How many files there are: those with a tick, those without, and those that no list names. */
  total: number;
  choice: Choice | undefined;
}

/** How many paths an answer may name; the server refuses more. */
const mostPicks = 200;

/** How many files a command changed that the question's lists do not name: they are cut. */
export function unlisted(effect: Effect | undefined): number {
  return Math.max(0, (effect?.done?.files ?? 0) - sum(entriesOf(effect)));
}

type Entry = readonly [path: string, files: number];

/** Files and repositories that were changed, and folders that git ignores. */
function entriesOf(effect: Effect | undefined): Entry[] {
  if (!effect?.done) return [];
  return [...(effect.paths ?? []).map((p): Entry => [p, 1]), ...(effect.done.ignored ?? []).map((i): Entry => [i.path, i.files])];
}

const below = (path: string, folder: string) => path.startsWith(`${folder}/`);

const sum = (entries: readonly Entry[]) => entries.reduce((n, [, files]) => n + files, 0);

/**
 * What a person chooses under an id: all but what was left out, and but for conflicts, which nobody can apply.
 * A path stands for all below it, and what is below needs it. So it has no tick while something below is left out.
 */
export function partOf(id: string, effect: Effect | undefined, left: ReadonlySet<string>, conflicts: readonly string[] = []): Part {
  const all = entriesOf(effect), listed = all.slice(0, mostPicks);
  const may = listed.filter(([path]) => !conflicts.some((c) => c === path.replace(/\/$/, "") || below(c, path) || below(path, c)));
  const chosen = may.filter(([path]) => !left.has(path) && ![...left].some((l) => below(l, path)));
  const picks = listed.length > 1;
  const paths = (entries: readonly Entry[]) => entries.map(([path]) => path);
  return {
    only: conflicts.length > 0 || picks && chosen.length < listed.length ? paths(chosen) : undefined,
    count: sum(chosen),
    total: sum(all) + unlisted(effect),
    choice: picks ? { label: "Apply", of: new Set(paths(may)), chosen: new Set(paths(chosen)), toggle: (path) => toggle(id, path) } : undefined,
  };
}

/** The words of the button that applies a part. */
export const applyPart = (count: number, total: number): string => `Apply ${count.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} files`;
