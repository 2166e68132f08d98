import { createElement, type ReactElement, useState } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Windowed } from "./windowed";

const root = { current: null };

/** The parts of a list whose items change, each time with the rows that each has by the part's key. */
function partsOf(size: number, ...lists: (readonly string[])[]): Map<string, string[]>[] {
  const drawn: ReactElement<{ children: () => ReactElement[] }>[][] = [];
  renderToStaticMarkup(createElement(() => {
    const [n, next] = useState(0);
    const made = Windowed<string>({ items: lists[n]!, keyOf: (x) => x, size, estimate: 50, root, children: (x) => createElement("a", { key: x }, x) });
    drawn[n] = made as never;
    if (n + 1 < lists.length) next(n + 1);
    return made;
  }));
  return drawn.map((parts) => new Map(parts.map((part) => [part.key!, part.props.children().map((row) => row.key!)])));
}

/** By row, the key of its part. */
const places = (parts: Map<string, string[]>) => Object.fromEntries([...parts].flatMap(([part, rows]) => rows.map((row) => [row, part])));
const rowsOf = (parts: Map<string, string[]>) => [...parts.values()];

const list = [..."abcde"];

it("rows keep their part, and so the focus, when another one comes first, goes, or moves", () => {
  for (const after of [["x", ...list], [..."bcde"], [..."dabce"], [..."abxcde"], [...list, "x", "y"], [..."abce"]]) {
    const [one, two] = partsOf(2, list, after);
    expect(rowsOf(one!)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(rowsOf(two!).flat()).toEqual(after);
    const moved = Object.entries(places(two!)).filter(([row, part]) => row in places(one!) && places(one!)[row] !== part).map(([row]) => row);
    expect(moved).toEqual(after[0] === "d" ? ["d"] : []);
  }
});

it("parts stay small, with no row in another part, however many rows come one by one", () => {
  const many = Array.from({ length: 60 }, (_, i) => String(i));
  for (const lists of [many.map((_, i) => many.slice(59 - i)), many.map((_, i) => many.slice(0, i + 1))]) {
    const all = partsOf(4, ...lists.slice(-20));
    for (const [i, parts] of all.entries()) {
      expect(Math.max(...rowsOf(parts).map((rows) => rows.length))).toBeLessThanOrEqual(8);
      expect(places(parts)).toMatchObject(places(all[Math.max(0, i - 1)]!));
    }
  }
});

it("a list that was filtered has small parts again when all of it is there", () => {
  const many = Array.from({ length: 500 }, (_, i) => String(i));
  for (const few of [["250"], [], ["0", "499"]]) {
    const rows = rowsOf(partsOf(4, many, few, many)[2]!);
    expect(rows.flat()).toEqual(many);
    expect(Math.max(...rows.map((r) => r.length))).toBeLessThanOrEqual(8);
  }
});
