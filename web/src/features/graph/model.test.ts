import { expect, test } from "vitest";
import type { GraphReport } from "../../api/graph";
import { byPackage, modelOf, reach } from "./model";

const edge = (from: string, to: string, more: object = {}) => ({ from, to, class: "EXECUTION", resolved: true, host: to, direction: "UPSTREAM", id: "DEP", type: "PREREQUISITE", targetType: "DELIVERABLE", ...more });
const report = {
  nodes: ["A", "B", "C", "D"].map((id) => ({ id, name: id.toLowerCase(), pkg: id < "C" ? "PKG-01_One Two" : "PKG-02_Two", state: id === "D" ? "" : "IN_PROGRESS" })),
  edges: [edge("A", "B"), edge("A", "B", { blocking: true }), edge("B", "C"), edge("C", "D"), edge("D", "C"), edge("X", "A", { resolved: false }), edge("A", "D", { class: "ANCHOR" }), edge("A", "A")],
  analysis: {
    components: [{ deliverables: ["C", "D"], blocking: true }], order: [["A"], ["B"], ["C", "D"]], cycles: [],
    readiness: [{ deliverable: "B", ready: "blocked", blockers: [{ deliverable: "A", reason: "A is OPEN" }] }], unresolvedNodes: [{ target: "DEL-9", by: ["B DEP-1"] }],
  },
} as unknown as GraphReport;
const model = modelOf(report);

test("edges are those between deliverables, each once", () => {
  expect(model.edges.map((e) => `${e.from}${e.to}${e.blocking ? "!" : ""}${e.circle ? "o" : ""}`)).toEqual(["AB!", "BC", "CDo", "DCo"]);
  expect(model.byId.get("B")).toMatchObject({ needs: ["A"], feeds: ["C"], state: "in_progress", circle: "" });
  expect(model.byId.get("D")).toMatchObject({ state: "unknown", circle: "blocking" });
});

test("the impact of a selection goes all the way, also through a circle", () => {
  expect(reach(model, "A", "feeds")).toEqual(["B", "C", "D"]);
  expect(reach(model, "C", "needs")).toEqual(["B", "D", "A"]);
  expect(reach(model, "A", "needs")).toEqual([]);
  expect(reach(model, "gone", "feeds")).toEqual([]);
});

test("closed packages are one node each", () => {
  const closed = byPackage(model, "PKG-02_Two");
  expect(closed.nodes.map((n) => [n.id, n.holds])).toEqual([["PKG-01_One Two", 2], ["C", undefined], ["D", undefined]]);
  expect(closed.edges.map((e) => `${e.from} > ${e.to}`)).toEqual(["PKG-01_One Two > C", "C > D", "D > C"]);
  expect(closed.byId.get("PKG-01_One Two")).toMatchObject({ blockers: [{ deliverable: "A" }], feeds: ["C"] });
});
