import { expect, test } from "vitest";
import { arrived, conflictsOf, countEdits, decided, edited, keysOf, onTheWay, refused, settled, validEdits, withEdit } from "./edits";

const rows = [{ DependencyID: "A", Notes: "one", Status: "ACTIVE" }, { DependencyID: "B", Notes: "", Status: "ACTIVE" }, { DependencyID: "A", Notes: "again", Status: "" }, { DependencyID: "", Notes: "x", Status: "" }];
const keys = keysOf(rows);

test("rows without an id of their own have keys", () => {
  expect(keys).toEqual(["A", "B", "A#2", "#1"]);
});

test("an edit that is taken back is none", () => {
  const e = withEdit({}, "A", "Notes", "one", "two");
  expect(withEdit(e, "A", "Notes", "two", "three").A!.Notes).toEqual({ was: "one", now: "three" });
  expect(withEdit(e, "A", "Notes", "two", "one")).toEqual({});
  expect(countEdits(withEdit(e, "A", "Status", "ACTIVE", "RETIRED"))).toEqual({ cells: 2, rows: 1 });
});

test("every row is sent, with the edits alone changed, and an emptied cell is sent", () => {
  const e = withEdit(withEdit({}, "A", "Notes", "one", ""), "A#2", "Notes", "again", "2");
  expect(edited(rows, keys, e)).toEqual([
    { DependencyID: "A", Status: "ACTIVE", Notes: "" }, { DependencyID: "B", Status: "ACTIVE" }, { DependencyID: "A", Notes: "2" }, { Notes: "x" }]);
});

test("a change of another cell is no conflict, one of the same cell is, and a row that is gone", () => {
  const e = withEdit({}, "A", "Notes", "one", "mine");
  expect(conflictsOf(e, [{ DependencyID: "A", Notes: "one", Status: "RETIRED" }], ["A"])).toEqual([]);
  const [c] = conflictsOf(e, [{ DependencyID: "A", Notes: "theirs" }], ["A"]);
  expect(c).toEqual({ key: "A", column: "Notes", was: "one", theirs: "theirs", now: "mine", gone: false });
  expect(conflictsOf(e, [], [])[0]).toMatchObject({ gone: true, now: "mine" });
  expect(decided(e, c!, false)).toEqual({});
  expect(conflictsOf(decided(e, c!, true), [{ DependencyID: "A", Notes: "theirs" }], ["A"])).toEqual([]);
});

test("what the register has already is no edit", () => {
  expect(settled(withEdit({}, "A", "Notes", "one", "two"), [{ DependencyID: "A", Notes: "two" }], ["A"])).toEqual({});
});

test("what is typed while an edit is sent is an edit of what was sent", () => {
  const before = [{ DependencyID: "A", Notes: "x", Status: "ACTIVE" }], after = [{ DependencyID: "A", Notes: "y", Status: "RETIRED" }];
  const sent = onTheWay(withEdit(withEdit({}, "A", "Notes", "x", "y"), "A", "Status", "ACTIVE", "RETIRED"));
  const typed = withEdit(withEdit(sent, "A", "Notes", "x", "z"), "A", "Status", "ACTIVE", "ACTIVE");
  for (const known of [before, after]) { // the register may be asked for before the answer comes
    expect(settled(typed, known, ["A"])).toEqual(typed);
    expect(conflictsOf(typed, known, ["A"])).toEqual([]);
  }
  const left = arrived(typed, after, ["A"]);
  expect(left).toEqual({ A: { Notes: { was: "y", now: "z" }, Status: { was: "RETIRED", now: "ACTIVE" } } });
  expect(conflictsOf(left, after, ["A"])).toEqual([]);
  expect(refused(typed)).toEqual({ A: { Notes: { was: "x", now: "z" } } });
  // What the server wrote in another way is no change of somebody else.
  expect(arrived(sent, [{ DependencyID: "A", Notes: "Y", Status: "RETIRED" }], ["A"])).toEqual({});
  expect(conflictsOf(typed, [{ DependencyID: "A", Notes: "theirs", Status: "RETIRED" }], ["A"])).toMatchObject([{ column: "Notes", theirs: "theirs" }]);
});

test("what this browser kept is read only if it is edits", () => {
  expect(validEdits({ A: { Notes: { was: "1", now: "2" } } })).toEqual({ A: { Notes: { was: "1", now: "2" } } });
  for (const bad of [null, 1, { A: 1 }, { A: { Notes: null } }, { A: { Notes: { was: 1, now: "2" } } }]) expect(validEdits(bad)).toBeUndefined();
});
