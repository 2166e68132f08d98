import { expect, test } from "vitest";
import { placed } from "./layered";

const width = 190, height = 46;

/** A graph in which every node needs up to three earlier ones, with some circles. The same every time. */
function made(nodes: number): [number, number][] {
  let seed = 1;
  const random = (below: number) => { seed = (seed * 48_271) % 2_147_483_647; return seed % below; };
  const edges: [number, number][] = [];
  for (let v = 1; v < nodes; v++) for (let k = 0; k < 3; k++) edges.push([random(v), v]);
  for (let k = 0; k < nodes / 60; k++) { const v = random(nodes - 20); edges.push([v + 10, v]); }
  return edges;
}

/** Whether two boxes cover each other. */
function overlaps(at: readonly (readonly [number, number])[]): number {
  let n = 0;
  at.forEach(([x, y], i) => { for (const [x2, y2] of at.slice(i + 1)) if (Math.abs(x - x2) < width && Math.abs(y - y2) < height) n++; });
  return n;
}

test("edges lead to the right, and no node covers another", () => {
  const edges: [number, number][] = [[0, 1], [1, 2], [0, 2], [2, 3], [5, 3]];
  const at = placed({ nodes: 7, edges, width, height });
  for (const [a, b] of edges) expect(at[a]![0]).toBeLessThan(at[b]![0]);
  expect(overlaps(at)).toBe(0);
});

test("a chain is a straight line", () => {
  const at = placed({ nodes: 4, edges: [[0, 1], [1, 2], [2, 3]], width, height });
  expect(at.map(([, y]) => y)).toEqual([0, 0, 0, 0]);
});

test("two ways from one node to another do not cross", () => {
  const at = placed({ nodes: 6, edges: [[0, 1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 5]], width, height });
  expect(Math.sign(at[1]![1] - at[2]![1])).toBe(Math.sign(at[3]![1] - at[4]![1]));
});

test("nodes without edges stand in a block, and parts below each other", () => {
  const at = placed({ nodes: 20, edges: [[0, 1], [2, 3]], width, height });
  expect(overlaps(at)).toBe(0);
  expect(new Set(at.slice(4).map(([x]) => x)).size).toBeGreaterThan(1);
  expect(Math.min(...at.slice(4).map(([, y]) => y))).toBeGreaterThan(Math.max(...at.slice(0, 4).map(([, y]) => y)));
});

test("graphs with circles, of nothing and of one node have a place for each node", () => {
  expect(placed({ nodes: 0, edges: [], width, height })).toEqual([]);
  expect(placed({ nodes: 1, edges: [[0, 0]], width, height })).toEqual([[0, 0]]);
  const at = placed({ nodes: 3, edges: [[0, 1], [1, 2], [2, 0]], width, height });
  expect(overlaps(at)).toBe(0);
});

test("500 and 1,000 deliverables with circles are laid out without overlaps, however many edges they have", () => {
  for (const nodes of [500, 1000]) {
    const at = placed({ nodes, edges: made(nodes), width, height });
    expect(at.flat().every(Number.isFinite)).toBe(true);
    expect(overlaps(at)).toBe(0);
  }
});
