// Places the nodes of a graph in columns, so that edges lead from the left to the right: the
// method of Sugiyama, Tagawa and Toda. It takes a tenth of a second for 1,000 nodes.
import { reduced } from "./reduce";

type Edge = readonly [from: number, to: number];

/** A graph to lay out: how many nodes it has, edges between them by their numbers, and the size of a node. */
export interface Wanted { nodes: number; edges: readonly Edge[]; width: number; height: number }

type Spot = readonly [x: number, y: number];

/** Space between columns, between nodes of a column, and around a long edge that passes one, in pixels. */
const betweenColumns = 50, betweenNodes = 22, besideEdge = 6;

/** How often columns are put in order by their neighbours, there and back, and how often they are moved to them. */
const orderings = 12, movings = 8;

/** The upper left corners of the nodes. */
export function placed({ nodes, edges, width, height }: Wanted): Spot[] {
  const at: Spot[] = new Array<Spot>(nodes);
  const alone: number[] = [];
  let top = 0;
  for (const part of parts(nodes, edges)) {
    if (part.nodes.length === 1) { alone.push(part.nodes[0]!); continue; }
    const { columns, links } = columnsOf(part.nodes.length, reduced(part.nodes.length, part.edges));
    order(columns, links);
    const y = settle(columns, links, (v) => (v < part.nodes.length ? height / 2 : 0), (v) => (v < part.nodes.length ? betweenNodes / 2 : besideEdge / 2));
    let bottom = 0, above = Infinity;
    part.nodes.forEach((_, v) => { above = Math.min(above, y[v]! - height / 2); bottom = Math.max(bottom, y[v]! + height / 2); });
    columns.forEach((column, c) => {
      for (const v of column) if (v < part.nodes.length) at[part.nodes[v]!] = [c * (width + betweenColumns), top + y[v]! - height / 2 - above];
    });
    top += bottom - above + 2 * betweenNodes;
  }
  // Nodes without edges are a block below the others, about as wide as high.
  const wide = Math.max(1, Math.ceil(Math.sqrt(alone.length * (height + betweenNodes) / (width + betweenNodes))));
  alone.forEach((v, i) => { at[v] = [(i % wide) * (width + betweenNodes), top + Math.floor(i / wide) * (height + betweenNodes)]; });
  return at;
}

interface Part { nodes: number[]; edges: Edge[] }

/** The connected parts of a graph, the largest first, with nodes numbered anew in each. */
function parts(n: number, edges: readonly Edge[]): Part[] {
  const above = Int32Array.from({ length: n }, (_, v) => v);
  const root = (v: number): number => {
    while (above[v] !== v) v = above[v] = above[above[v]!]!;
    return v;
  };
  for (const [a, b] of edges) above[root(a)] = root(b);
  const found = new Map<number, Part>();
  const number = new Int32Array(n);
  for (let v = 0; v < n; v++) {
    const r = root(v);
    if (!found.has(r)) found.set(r, { nodes: [], edges: [] });
    number[v] = found.get(r)!.nodes.push(v) - 1;
  }
  for (const [a, b] of edges) found.get(root(a))!.edges.push([number[a]!, number[b]!]);
  return [...found.values()].sort((a, b) => b.nodes.length - a.nodes.length);
}

/** Neighbours of nodes in the column before and in the column after. */
interface Links { before: number[][]; after: number[][] }

/** Columns of nodes without circles. Long edges get a place in each column that they pass: numbers from n. */
function columnsOf(n: number, edges: readonly Edge[]): { columns: number[][]; links: Links } {
  const into: number[][] = Array.from({ length: n }, () => []), out: number[][] = Array.from({ length: n }, () => []);
  for (const [a, b] of edges) { out[a]!.push(b); into[b]!.push(a); }
  const column = new Int32Array(n), waits = into.map((l) => l.length);
  const sorted = waits.flatMap((w, v) => (w === 0 ? [v] : []));
  for (let i = 0; i < sorted.length; i++) {
    for (const w of out[sorted[i]!]!) {
      column[w] = Math.max(column[w]!, column[sorted[i]!]! + 1);
      if (--waits[w]! === 0) sorted.push(w);
    }
  }
  // What feeds more than it needs moves to what it feeds: fewer long edges.
  for (const v of sorted.toReversed()) {
    if (out[v]!.length > into[v]!.length) column[v] = Math.min(...out[v]!.map((w) => column[w]!)) - 1;
  }
  const columns: number[][] = Array.from({ length: Math.max(0, ...column) + 1 }, () => []);
  for (const v of sorted) columns[column[v]!]!.push(v);
  const links: Links = { before: Array.from({ length: n }, () => []), after: Array.from({ length: n }, () => []) };
  const join = (a: number, b: number) => { links.after[a]!.push(b); links.before[b]!.push(a); };
  for (const [a, b] of edges) {
    let last = a;
    for (let c = column[a]! + 1; c < column[b]!; c++) {
      const passing = links.before.push([]) - 1;
      links.after.push([]);
      columns[c]!.push(passing);
      join(last, passing);
      last = passing;
    }
    join(last, b);
  }
  return { columns, links };
}

/** Puts the nodes of each column in the order of the middle of their neighbours, there and back, and keeps the best. */
function order(columns: number[][], links: Links): void {
  const at = new Float64Array(links.before.length);
  const number = (column: readonly number[]) => column.forEach((v, i) => { at[v] = i; });
  columns.forEach(number);
  let best = columns.map((c) => c.slice()), least = crossings(columns, links, at);
  for (let round = 0; round < orderings && least > 0; round++) {
    const there = round % 2 === 0;
    const near = there ? links.before : links.after;
    for (const column of there ? columns : columns.toReversed()) {
      const middle = new Map(column.map((v) => [v, near[v]!.length > 0 ? near[v]!.reduce((sum, w) => sum + at[w]!, 0) / near[v]!.length : at[v]!]));
      column.sort((a, b) => middle.get(a)! - middle.get(b)!);
      number(column);
    }
    const now = crossings(columns, links, at);
    if (now < least) { least = now; best = columns.map((c) => c.slice()); }
  }
  best.forEach((column, c) => { columns[c] = column; });
}

/** How many edges cross between neighbouring columns, counted with a tree of sums. */
function crossings(columns: readonly number[][], links: Links, at: Float64Array): number {
  let all = 0;
  for (let c = 0; c + 1 < columns.length; c++) {
    const size = columns[c + 1]!.length, sums = new Int32Array(size + 1);
    let seen = 0;
    for (const v of columns[c]!) {
      const ends = links.after[v]!.map((w) => at[w]!);
      for (const end of ends) {
        all += seen;
        for (let i = end + 1; i > 0; i -= i & -i) all -= sums[i]!;
      }
      for (const end of ends) {
        seen++;
        for (let i = end + 1; i <= size; i += i & -i) sums[i]!++;
      }
    }
  }
  return all;
}

/** Moves each column as near to its neighbours as its order and the room of its nodes allow. */
function settle(columns: readonly number[][], links: Links, half: (v: number) => number, margin: (v: number) => number): Float64Array {
  const y = new Float64Array(links.before.length);
  const room = columns.map((column) => {
    let below = 0;
    return column.map((v, i) => (below += i === 0 ? 0 : half(column[i - 1]!) + half(v) + Math.max(margin(column[i - 1]!), margin(v)) * 2));
  });
  columns.forEach((column, c) => {
    const middle = (room[c]!.at(-1) ?? 0) / 2;
    column.forEach((v, i) => { y[v] = room[c]![i]! - middle; });
  });
  const mean = (of: readonly number[]) => of.reduce((sum, w) => sum + y[w]!, 0) / of.length;
  for (let round = 0; round < movings; round++) {
    const last = round >= movings - 2;
    const there = round % 2 === 0;
    for (let k = 0; k < columns.length; k++) {
      const c = there ? k : columns.length - 1 - k, column = columns[c]!;
      const wanted = column.map((v) => {
        const near = last ? links.before[v]!.concat(links.after[v]!) : there ? links.before[v]! : links.after[v]!;
        return near.length > 0 ? mean(near) : y[v]!;
      });
      fit(column, wanted, room[c]!, y);
    }
  }
  return y;
}

/** The places nearest to the wanted ones, by least squares, that keep the order and the room: pooled neighbours. */
function fit(column: readonly number[], wanted: readonly number[], room: readonly number[], y: Float64Array): void {
  const pools: { sum: number; n: number }[] = [];
  wanted.forEach((want, i) => {
    let pool = { sum: want - room[i]!, n: 1 };
    for (let before = pools.at(-1); before && before.sum / before.n >= pool.sum / pool.n; before = pools.at(-1)) {
      pools.pop();
      pool = { sum: before.sum + pool.sum, n: before.n + pool.n };
    }
    pools.push(pool);
  });
  let i = 0;
  for (const { sum, n } of pools) for (const end = i + n; i < end; i++) y[column[i]!] = sum / n + room[i]!;
}
