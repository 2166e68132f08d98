import { describe, expect, it } from "vitest";
import { Failure } from "../../api/http";
import type { Listing } from "../../api/pipeline";
import { type Available, availableOf, fromQuery, inCategory, nothing, offered, reset, type Selection, toQuery, withOnlyType } from "./selection";

const a = "PKG-01_Bridge::DEL-01-01";
const b = "PKG-01_Bridge::DEL-01-02";
const project: Available = {
  root: "/p", failed: false, deliverables: new Set([a, b]), marker: true,
  knowledgeTypes: [{ id: "datasheet", keys: [a, "PKG-09_Gone::DEL-09-01"] }],
};
const task = (more: Partial<Selection>): Selection => ({ ...nothing, category: "TASK", type: "TASK", ...more });
const typed = task({ scopeMode: "KNOWLEDGE_TYPES", knowledgeType: "datasheet", targets: [a] });

describe("stale selections are reset (14.5)", () => {
  it("keeps what fits", () => {
    for (const s of [nothing, typed, task({ targets: [a, b] })]) expect(reset(s, project)).toEqual({ selection: s, cleared: "" });
  });
  it("clears mode and keys when the project changes", () => {
    expect(reset(typed, project, "/other").selection).toEqual(task({}));
  });
  it("clears mode and keys when the project cannot be read", () => {
    const got = reset(typed, { ...project, failed: true });
    expect(got.selection).toEqual(task({}));
    expect(got.cleared).toContain("cannot be read");
  });
  it("keeps all when the project could not be asked for again, or not at first", () => {
    const listing = { deliverables: [{ pkg: "PKG-01_Bridge", id: "DEL-01-01" }], knowledgeDecomposition: { enabled: true }, knowledgeTypes: [{ id: "datasheet", matchingDeliverableKeys: [a] }] } as unknown as Listing;
    const lost = new Failure(0, "UNREACHABLE", ""), busy = new Failure(503, "OVERLOADED", ""), gone = new Failure(409, "WORKING_ROOT_INACCESSIBLE", "");
    for (const error of [null, lost, busy]) {
      expect(reset(typed, availableOf("/p", listing, error)!)).toEqual({ selection: typed, cleared: "" });
      expect(availableOf("/p", undefined, error)).toBeUndefined();
    }
    for (const data of [listing, undefined]) expect(reset(typed, availableOf("/p", data, gone)!).selection).toEqual(task({}));
  });
  it("goes back to deliverables without the marker", () => {
    expect(reset(typed, { ...project, marker: false }).selection).toEqual(task({}));
  });
  it("clears an unknown knowledge type and keeps the mode", () => {
    expect(reset({ ...typed, knowledgeType: "atlas" }, project).selection).toEqual({ ...typed, knowledgeType: "", targets: [] });
  });
  it("clears targets that the type does not have, and keeps the type", () => {
    expect(reset({ ...typed, targets: [a, b] }, project).selection).toEqual({ ...typed, targets: [a] });
    expect(reset(typed, { ...project, deliverables: new Set([b]) }).selection).toEqual({ ...typed, targets: [] });
  });
  it("clears a deliverable that is not in the scan", () => {
    const got = reset(task({ targets: [a, "PKG-01_Bridge::DEL-01-09"] }), project);
    expect(got).toEqual({ selection: task({ targets: [a] }), cleared: "One chosen deliverable is not there any more." });
  });
});

describe("the selection of an address", () => {
  it("is read as the original wrote it", () => {
    expect(fromQuery("?category=TASK&taskScopeMode=DELIVERABLES", [a, a, ""])).toEqual({ ...task({ targets: [a] }), type: "" });
    expect(fromQuery("?category=AUDIT&type=AGENTS", [])).toEqual({ ...nothing, category: "AUDIT", type: "AGENTS" });
    expect(fromQuery("?category=PREP*", [])).toEqual({ ...nothing, category: "PREP" });
  });
  it("is DECOMP where the category is unknown", () => {
    expect(fromQuery("?category=NONE&taskScopeMode=KNOWLEDGE_TYPES", [])).toEqual(nothing);
  });
  it("comes back the same", () => {
    for (const s of [typed, task({ targets: [a, b] }), nothing]) expect(fromQuery(new URLSearchParams(toQuery(s)).toString(), s.targets)).toEqual(s);
  });
});

it("offers the deliverables of the knowledge type that are there", () => {
  expect([...offered(typed, project)]).toEqual([a]);
  expect([...offered(task({}), project)]).toEqual([a, b]);
});

it("keeps the chosen deliverables in another category", () => {
  expect(inCategory(typed, "PREP")).toEqual({ ...nothing, category: "PREP", targets: [a] });
});

describe("the type of a category", () => {
  const types = [{ id: "TASK", enabled: true }, { id: "ESTIMATING", enabled: false }];
  it("is chosen where only one can be", () => {
    expect(withOnlyType(task({ type: "" }), types).type).toBe("TASK");
    expect(withOnlyType(task({ type: "ESTIMATING" }), types).type).toBe("ESTIMATING");
    expect(withOnlyType(task({ type: "" }), [...types, { id: "SCOPE", enabled: true }]).type).toBe("");
  });
});
