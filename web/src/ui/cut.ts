// Cuts a list into parts, so that a row stays in its part when others come or go around it.

/** A part of a list: the keys of its items, in order. */
export interface Cut { id: number; keys: readonly string[] }

/**
 * The parts of a list, given those that it had. As many items as can stay where they are do; what comes before
 * all of them joins the first part, what comes after them fills the last one up, and each opens new
 * parts where that is full. A part has `size` items when it is made, and grows to twice that.
 */
export function cut(keys: readonly string[], before: readonly Cut[], size: number): readonly Cut[] {
  const partOf = new Map(before.flatMap((part, i) => part.keys.map((key) => [key, i] as const)));
  const stays = inOrder(keys.map((key) => partOf.get(key)));
  let made = Math.max(-1, ...before.map((part) => part.id));
  const fresh = (all: readonly string[]): Cut[] => {
    const parts: Cut[] = [];
    for (let i = 0; i < all.length; i += size) parts.push({ id: ++made, keys: all.slice(i, i + size) });
    return parts;
  };
  if (stays.length === 0) return fresh(keys);
  const parts: { id: number; keys: string[] }[] = [];
  stays.forEach((at, n) => {
    const { id } = before[partOf.get(keys[at]!)!]!;
    if (parts.at(-1)?.id !== id) parts.push({ id, keys: [] });
    parts.at(-1)!.keys.push(...keys.slice(n === 0 ? at : stays[n - 1]! + 1, at + 1));
  });
  const first = parts[0]!, last = parts.at(-1)!, head = keys.slice(0, stays[0]), tail = keys.slice(stays.at(-1)! + 1);
  const joins = first.keys.length + head.length <= 2 * size;
  if (joins) first.keys.unshift(...head);
  last.keys.push(...tail.splice(0, Math.max(0, size - last.keys.length)));
  // One into which many items came is cut anew. Its rows cannot all stay.
  const all = parts.flatMap((part) => (part.keys.length <= 2 * size ? [part] : [{ id: part.id, keys: part.keys.slice(0, size) }, ...fresh(part.keys.slice(size))]));
  return [...(joins ? [] : fresh(head)), ...all, ...fresh(tail)];
}

/** The places of as many numbers as can be had that do not fall from one to the next. */
function inOrder(all: readonly (number | undefined)[]): number[] {
  /** At n, the place of the smallest number with which n+1 of them end. */
  const ends: number[] = [];
  const previous = new Map<number, number>();
  all.forEach((is, place) => {
    if (is === undefined) return;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[ends[middle]!]! <= is) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous.set(place, ends[low - 1]!);
    ends[low] = place;
  });
  const found: number[] = [];
  for (let place = ends.at(-1); place !== undefined; place = previous.get(place)) found.push(place);
  return found.reverse();
}
