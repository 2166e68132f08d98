import { expect, test } from "vitest";
import type { Listing, Progress } from "../../api/portal";
import { age, filtered, filterOf, isRow, linesOf, noFilter, queryOf, rowsOf, tally } from "./rows";

const listing = {
  projectRoot: "/p", deliverables: [
    { id: "DEL-01-01", name: "Deck Levels", pkg: "PKG-01_Bridge", status: "open", path: "/p/PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels" },
    { id: "DEL-02-01", name: "Piles", pkg: "PKG-02_Ground", status: "issued", path: "/p/PKG-02_Ground/1_Working/DEL-02-01_Piles" },
    { id: "DEL-01-02", name: "Bearings", pkg: "PKG-01_Bridge", status: "unknown", recordedState: "RETIRED", path: "/p/PKG-01_Bridge/1_Working/DEL-01-02_Bearings" },
    { id: "DEL-01-03", name: "Joints", pkg: "PKG-01_Bridge", status: "of_the_future", path: "/p/PKG-01_Bridge/1_Working/DEL-01-03_Joints" },
  ],
} as unknown as Listing;
const progress = {
  deliverables: [
    { path: "PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels", since: "2026-01-02", ready: "blocked", blockers: 1, waitsFor: ["DEL-02-01"], errors: 2 },
    { path: "PKG-02_Ground/1_Working/DEL-02-01_Piles", ready: "done" },
  ],
} as unknown as Progress;
const rows = rowsOf(listing, progress);
const ids = (f: Partial<typeof noFilter>) => filtered(rows, { ...noFilter, ...f }).map((r) => r.id);

test("rows join what is listed with where it stands", () => {
  expect(rows[0]).toMatchObject({ key: "PKG-01_Bridge::DEL-01-01", since: "2026-01-02", blockers: 1, errors: 2, state: "open" });
  expect(rows[2]).toMatchObject({ state: "unknown", recorded: "RETIRED", errors: 0, since: "" });
  expect(rows[3]).toMatchObject({ state: "unknown" });
});

test("filters narrow the list together", () => {
  expect(ids({})).toHaveLength(4);
  expect(ids({ q: "LEVELS deck" })).toEqual(["DEL-01-01"]);
  expect(ids({ state: "unknown" })).toEqual(["DEL-01-02", "DEL-01-03"]);
  expect(ids({ pkg: "PKG-02_Ground" })).toEqual(["DEL-02-01"]);
  expect(ids({ findings: true })).toEqual(["DEL-01-01"]);
  expect(ids({ blocked: true, state: "issued" })).toEqual([]);
});

test("a filter survives its address, and nonsense is no filter", () => {
  const f = { q: "a b", state: "open", pkg: "PKG-01_Bridge", findings: true, blocked: false };
  expect(filterOf(`?${new URLSearchParams(queryOf(f))}`)).toEqual(f);
  expect(filterOf("?state=nowhere&findings=yes")).toEqual(noFilter);
});

test("packages stand before all of their deliverables", () => {
  expect(linesOf(rows).map((l) => (isRow(l) ? l.id : `${l.pkg} ${l.rows.length}`))).toEqual(
    ["PKG-01_Bridge 3", "DEL-01-01", "DEL-01-02", "DEL-01-03", "PKG-02_Ground 1", "DEL-02-01"]);
  expect(tally(rows)).toEqual([["open", 1], ["issued", 1], ["unknown", 2]]);
});

test("ages are short", () => {
  const now = Date.parse("2026-11-26T12:00:00Z");
  expect(["2026-11-26", "2026-11-20", "2026-10-20", "2026-01-02", "2020-01-01", "soon", "2027-01-01"].map((d) => age(d, now))).toEqual(["today", "6 d", "5 w", "10 mo", "6 y", "", "today"]);
});

/** The least time of ten tries, in milliseconds: what else the machine did meanwhile is in none. */
function least(work: () => void): number {
  return Math.min(...Array.from({ length: 10 }, () => { const begin = performance.now(); work(); return performance.now() - begin; }));
}

test("ten thousand deliverables are filtered about as fast as texts are searched", () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ ...rows[0]!, id: `DEL-${i}`, text: `del-${i} deck levels`, path: String(i) }));
  expect(linesOf(filtered(many, { ...noFilter, q: "del-999" }))).toHaveLength(12);
  const searched = least(() => many.filter((row) => row.text.includes("del-999")));
  expect(least(() => linesOf(filtered(many, { ...noFilter, q: "del-999" })))).toBeLessThan(100 * Math.max(searched, 0.2));
});
