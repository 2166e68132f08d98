import { expect, test } from "vitest";
import { arranged, reduced } from "./reduce";

test("what a longer way implies is left out", () => {
  expect(reduced(4, [[0, 1], [1, 2], [0, 2], [2, 3], [0, 3]]).map(String).sort()).toEqual(["0,1", "1,2", "2,3"]);
});

test("an order has every node once, and a circle is opened", () => {
  const edges: [number, number][] = [[0, 1], [1, 2], [2, 0], [2, 3]];
  expect(arranged(5, edges).toSorted()).toEqual([0, 1, 2, 3, 4]);
  const kept = reduced(5, edges), order = arranged(5, edges);
  for (const [a, b] of kept) expect(order.indexOf(a)).toBeLessThan(order.indexOf(b));
  expect(kept.length).toBeGreaterThanOrEqual(3);
});

test("the reduced graph reaches the same deliverables as the whole one, if it has no circles", () => {
  const n = 60, edges: [number, number][] = [];
  for (let b = 1; b < n; b++) for (let a = 0; a < b; a++) if ((a * 7 + b * 13) % 5 === 0) edges.push([a, b]);
  const far = (list: readonly (readonly [number, number])[]) => {
    const to = Array.from({ length: n }, () => new Set<number>());
    for (let v = n - 1; v >= 0; v--) for (const [a, b] of list) if (a === v) { to[v]!.add(b); for (const w of to[b]!) to[v]!.add(w); }
    return to.map((s) => [...s].sort().join(" "));
  };
  const kept = reduced(n, edges);
  expect(far(kept)).toEqual(far(edges));
  expect(kept.length).toBeLessThan(edges.length / 2);
});
