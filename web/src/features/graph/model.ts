// A project's dependencies as they are drawn and listed: pure, so that tests need no browser.
import type { GraphReport } from "../../api/graph";

export interface Node {
  id: string; name: string; pkg: string;
  /** The state in lower case, "unknown" where it is not known. */
  state: string;
  blockers: readonly { deliverable: string; reason: string }[];
  /** Whether it waits for itself over others, or depends on itself in another way. */
  circle: "" | "blocking" | "loose";
  /** What it needs, and what needs it: direct neighbours in the graph. */
  needs: readonly string[]; feeds: readonly string[];
  /** Of a closed package: how many deliverables it stands for. */
  holds?: number;
}

export interface Edge { from: string; to: string; blocking: boolean; circle: boolean }

export interface Model {
  /** In an order in which each comes after what it needs. */
  nodes: readonly Node[]; byId: ReadonlyMap<string, Node>; edges: readonly Edge[];
  circles: readonly { ids: readonly string[]; blocking: boolean }[];
  unresolved: readonly { target: string; by: readonly string[] }[];
}

/** More deliverables than this are drawn by package. */
export const mostDrawn = 1000;

export function modelOf(report: GraphReport): Model {
  const { analysis } = report;
  const seen = new Map<string, Edge>();
  const known = new Set((report.nodes ?? []).map((n) => n.id));
  const part = new Map<string, number>();
  const circle = new Map<string, Node["circle"]>();
  analysis.components?.forEach((c, i) => c.deliverables?.forEach((id) => {
    if (c.blocking || !circle.has(id)) { circle.set(id, c.blocking ? "blocking" : "loose"); part.set(id, i); }
  }));
  for (const e of report.edges ?? []) {
    if (!e.resolved || e.class !== "EXECUTION" || !known.has(e.from) || !known.has(e.to) || e.from === e.to) continue;
    const name = `${e.from} ${e.to}`, before = seen.get(name);
    if (before) before.blocking ||= e.blocking ?? false;
    else seen.set(name, { from: e.from, to: e.to, blocking: e.blocking ?? false, circle: part.has(e.from) && part.get(e.from) === part.get(e.to) });
  }
  const edges = [...seen.values()];
  const needs = group(edges, (e) => e.to, (e) => e.from), feeds = group(edges, (e) => e.from, (e) => e.to);
  const blockers = new Map(analysis.readiness?.map((r) => [r.deliverable, r.blockers ?? []]));
  const place = new Map((analysis.order ?? []).flat().map((id, i) => [id, i]));
  const nodes = (report.nodes ?? []).map((n): Node => ({
    id: n.id, name: n.name, pkg: n.pkg, state: n.state ? n.state.toLowerCase() : "unknown", circle: circle.get(n.id) ?? "",
    blockers: blockers.get(n.id) ?? [], needs: needs.get(n.id) ?? [], feeds: feeds.get(n.id) ?? [],
  }));
  nodes.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  return {
    nodes, edges, byId: new Map(nodes.map((n) => [n.id, n])),
    circles: (analysis.components ?? []).map((c) => ({ ids: c.deliverables ?? [], blocking: c.blocking ?? false })),
    unresolved: (analysis.unresolvedNodes ?? []).map((u) => ({ target: u.target, by: u.by ?? [] })),
  };
}

function group(edges: readonly Edge[], of: (e: Edge) => string, other: (e: Edge) => string): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const e of edges) {
    const list = all.get(of(e));
    if (list) list.push(other(e));
    else all.set(of(e), [other(e)]);
  }
  return all;
}

/** The ids that a node reaches over all of its neighbours in one direction, the nearest first, without itself. */
export function reach(model: Pick<Model, "byId">, id: string, way: "needs" | "feeds"): string[] {
  const seen = new Set([id]);
  const found: string[] = [];
  for (let at = -1, next: string | undefined = id; next !== undefined; next = found[++at]) {
    for (const other of model.byId.get(next)?.[way] ?? []) {
      if (!seen.has(other)) { seen.add(other); found.push(other); }
    }
  }
  return found;
}

/** The graph with each package as one node, but for the open one, whose deliverables are drawn. */
export function byPackage(model: Model, open: string): Model {
  const of = (id: string) => { const n = model.byId.get(id)!; return n.pkg === open ? id : n.pkg; };
  const seen = new Map<string, Edge>();
  for (const e of model.edges) {
    const from = of(e.from), to = of(e.to);
    if (from === to) continue;
    const before = seen.get(`${from} ${to}`);
    if (before) before.blocking ||= e.blocking;
    else seen.set(`${from} ${to}`, { from, to, blocking: e.blocking, circle: e.circle && from === e.from && to === e.to });
  }
  const edges = [...seen.values()];
  const needs = group(edges, (e) => e.to, (e) => e.from), feeds = group(edges, (e) => e.from, (e) => e.to);
  const nodes = new Map<string, Node>();
  for (const n of model.nodes) {
    const id = of(n.id), before = nodes.get(id);
    if (id === n.id) nodes.set(id, { ...n, needs: needs.get(id) ?? [], feeds: feeds.get(id) ?? [] });
    else if (before) nodes.set(id, { ...before, holds: before.holds! + 1, blockers: before.blockers.concat(n.blockers), circle: before.circle === "blocking" ? before.circle : n.circle || before.circle });
    else nodes.set(id, { id, name: id.split("_").slice(1).join(" "), pkg: id, state: "package", blockers: n.blockers, circle: n.circle, needs: needs.get(id) ?? [], feeds: feeds.get(id) ?? [], holds: 1 });
  }
  const all = [...nodes.values()];
  return { ...model, nodes: all, edges, byId: nodes };
}
