import { expect, test } from "vitest";
import { afterSave, neededOf, newRow, nextId, nextKey, sentOf, takenOf, unsaved, validAdded } from "./added";

const host = { id: "DEL-01-02", name: "Handrails", pkg: "PKG-01_Bridge" };
const row = newRow(host, "DEP-01-02-004", "2026-05-04");

test("a new row has the next id of its deliverable", () => {
  expect(nextId("DEL-01-02", ["DEP-01-02-001", "DEP-01-02-003", "DEP-09-01-900", "odd", "DEP-01-02-x"])).toBe("DEP-01-02-004");
  expect(nextId("DEL-001-02", [])).toBe("DEP-001-02-001");
  expect(nextKey({})).toBe("+1");
  expect(nextKey({ "+1": row, "+7": row })).toBe("+8");
});

test("a new row says what it still needs", () => {
  expect(row).toMatchObject({ FromPackageID: "PKG-01", FromDeliverableID: "DEL-01-02", Origin: "DECLARED", Status: "ACTIVE", FirstSeen: "2026-05-04" });
  expect(neededOf(row)).toEqual(["Statement", "TargetDeliverableID"]);
  expect(neededOf({ ...row, Statement: "x", TargetType: "DOCUMENT" })).toEqual(["TargetName"]);
  expect(neededOf({ ...row, Statement: "x", TargetType: "DOCUMENT", TargetRefID: "SOW-1", EvidenceFile: " " })).toEqual(["EvidenceFile"]);
});

test("a row that the register has is none that was added, one with another's id is taken", () => {
  expect(unsaved({ "+1": row }, [{ ...row, Notes: "more" }])).toEqual({});
  const other = { ...row, Statement: "theirs" };
  expect(unsaved({ "+1": { ...row, Statement: "mine" } }, [other])).toHaveProperty("+1");
  expect(takenOf({ "+1": { ...row, Statement: "mine" }, "+2": { ...row, DependencyID: "DEP-01-02-005" } }, [other])).toEqual(["+1"]);
});

test("what was typed while a row was sent is an edit of it", () => {
  const { added, edits } = afterSave({ "+1": { ...row, Notes: "late" }, "+2": row }, { "+1": row }, {});
  expect(added).toEqual({ "+2": row });
  expect(edits).toEqual({ "DEP-01-02-004": { Notes: { was: "", now: "late" } } });
});

test("empty cells are not sent, and only rows are read from what this browser kept", () => {
  expect(sentOf({ "+1": { DependencyID: "A", Notes: "" } })).toEqual([{ DependencyID: "A" }]);
  expect(validAdded({ "+1": { a: "b" } })).toEqual({ "+1": { a: "b" } });
  for (const bad of [null, 1, { A: { a: "b" } }, { "+1": null }, { "+1": { a: 1 } }]) expect(validAdded(bad)).toBeUndefined();
});
