import { expect, test } from "vitest";
import { cells, columns, lastWins } from "./matrix";

const all = cells({ id: "p_1", path: "/a b" });

test("14.1: OPERATIVE leads to the pipeline, all others to the workbench", () => {
  for (const { row, cells } of all) {
    for (const cell of cells) {
      const to = new URL(cell.href, "http://x");
      expect(to.pathname, cell.label).toBe(row === "OPERATIVE" ? "/p/p_1/pipeline" : "/");
      expect(to.searchParams.get("row")).toBe(row === "OPERATIVE" ? null : row);
      expect(to.searchParams.get("column")).toBe(row === "OPERATIVE" ? null : cell.column);
      if (row === "OPERATIVE") expect(`${to.searchParams.get("category")}*`).toBe(cell.label);
      else expect([to.searchParams.get("agent"), to.searchParams.get("root")]).toEqual([cell.label, "/a b"]);
    }
  }
});

test("14.1: three rows with the shared columns", () => {
  expect(all.map((r) => r.row)).toEqual(["NORMATIVE", "OPERATIVE", "EVALUATIVE"]);
  for (const { cells } of all) expect(cells.map((c) => c.column)).toEqual(columns);
});

test("clicks in one turn of the event loop coalesce, and the last wins", () => {
  const queue: (() => void)[] = [], done: number[] = [];
  const run = lastWins((work) => queue.push(work));
  run(() => done.push(1));
  run(() => done.push(2));
  expect(queue.length).toBe(1);
  queue.shift()!();
  expect(done).toEqual([2]);
  run(() => done.push(3));
  queue.shift()!();
  expect(done).toEqual([2, 3]);
});
