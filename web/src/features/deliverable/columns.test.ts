import { expect, test } from "vitest";
import { columnsIn, coreColumns, shownColumns, widthOf, widthOfAll } from "./columns";

test("only columns on the screen are drawn", () => {
  const columns = shownColumns(coreColumns, true);
  expect(columnsIn(columns, 0, widthOfAll(columns))).toEqual([0, columns.length]);
  for (let left = -15; left < widthOfAll(columns) + 15; left += 0.5) {
    const [first, end] = columnsIn(columns, left, left + 40);
    const begins = widthOfAll(columns.slice(0, first)), ends = widthOfAll(columns.slice(0, end));
    expect(end).toBeGreaterThan(first);
    if (left < widthOfAll(columns)) {
      expect(begins).toBeLessThanOrEqual(Math.max(0, left));
      expect(begins + widthOf(columns[first]!)).toBeGreaterThan(left);
    }
    if (left + 40 > 0 && end < columns.length) {
      expect(ends).toBeGreaterThanOrEqual(left + 40);
      expect(ends - widthOf(columns[end - 1]!)).toBeLessThan(left + 40);
    }
  }
  expect(columnsIn([], 0, 10)).toEqual([0, 0]);
});
