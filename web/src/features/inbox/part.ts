// Which files of a command's changes an answer is about.
import type { Effect } from "../../api/types";
import { toggle } from "../../ui/choosing";
import type { Choice } from "../../ui/diff";

export interface Part {
  /** The files with a tick; undefined where all is applied. */
  only: string[] | undefined;
  /** How many files there are: those with a tick, those without, and those that no list names. */
  total: number;
  choice: Choice | undefined;
}

/** How many files a command changed that the question's list does not name: it is cut, and without what git ignores. */
export function unlisted(effect: Effect | undefined): number {
  const ignored = (effect?.done?.ignored ?? []).reduce((n, i) => n + i.files, 0);
  return Math.max(0, (effect?.done?.files ?? 0) - ignored - (effect?.paths ?? []).length);
}

/** What a person chooses under an id: all but what was left out, and but for conflicts, which nobody can apply. */
export function partOf(id: string, effect: Effect | undefined, left: ReadonlySet<string>, conflicts: readonly string[] = []): Part {
  const paths = effect?.done ? effect.paths ?? [] : [];
  const may = paths.filter((p) => !conflicts.includes(p));
  const chosen = may.filter((p) => !left.has(p));
  const picks = paths.length > 1;
  return {
    only: conflicts.length > 0 || picks && chosen.length < paths.length ? chosen : undefined,
    total: paths.length + unlisted(effect),
    choice: picks ? { label: "Apply", of: new Set(may), chosen: new Set(chosen), toggle: (path) => toggle(id, path) } : undefined,
  };
}
