// Lays a graph out, away from the page's own thread.
import { Graph, layout } from "@dagrejs/dagre";
import type { Placed, Wanted } from "./layout";
import { reduced } from "./reduce";

/** Larger graphs are ranked in a simpler way, which takes half of the time. */
const large = 200;

self.onmessage = ({ data }: MessageEvent<Wanted>) => {
  const begun = performance.now();
  const g = new Graph();
  g.setGraph({ rankdir: "LR", nodesep: 22, edgesep: 6, ranksep: 80, ranker: data.nodes > large ? "tight-tree" : "network-simplex" });
  g.setDefaultEdgeLabel(() => ({}));
  for (let v = 0; v < data.nodes; v++) g.setNode(String(v), { width: data.width, height: data.height });
  for (const [from, to] of reduced(data.nodes, data.edges)) g.setEdge(String(from), String(to));
  layout(g);
  const at = Array.from({ length: data.nodes }, (_, v) => {
    const n = g.node(String(v)) as { x: number; y: number };
    return [n.x - data.width / 2, n.y - data.height / 2] as const;
  });
  postMessage({ at, ms: performance.now() - begun } satisfies Placed);
};
