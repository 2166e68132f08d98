// What the drawing and the list say of a node.
import { count } from "../../ui/format";
import { stateLabels } from "../portal/rows";
import type { Node } from "./model";

/** What a selection makes of a node: itself, what it needs, what it reaches, and all others. */
export function partOf(id: string, selected: string, up: ReadonlySet<string>, down: ReadonlySet<string>): "" | "at" | "up" | "down" | "both" | "far" {
  if (selected === "") return "";
  if (id === selected) return "at";
  if (up.has(id)) return down.has(id) ? "both" : "up";
  return down.has(id) ? "down" : "far";
}

/** What a screen reader says of a node. */
export function words(n: Node): string {
  const parts = [n.holds ? `${n.id}, ${count(n.holds, "deliverable")}` : `${n.id} ${n.name}, ${stateLabels[n.state] ?? n.state}`, `needs ${n.needs.length}`, `feeds ${n.feeds.length}`];
  if (n.blockers.length > 0) parts.push(`waits for ${n.blockers.length}`);
  if (n.circle) parts.push("in a circle");
  return parts.join(", ");
}
