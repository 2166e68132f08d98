import { expect, it } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { TableView } from "../files/table-view";
import { readTable } from "./csv";

it("reads quoted cells, other separators and a mark at the beginning", () => {
  expect(readTable('\ufeffa,b\r\n"x, ""y""","two\nlines"\n')).toEqual([["a", "b"], ['x, "y"', "two\nlines"]]);
  expect(readTable("a;b\n1,5;2")).toEqual([["a", "b"], ["1,5", "2"]]);
  expect(readTable("")).toEqual([]);
});

it("stops at its limit", () => {
  expect(readTable("a,b\n".repeat(1000), 3)).toHaveLength(3);
});

it("a table with more columns than are shown says so", () => {
  const text = (columns: number) => `${Array.from({ length: columns }, (_, i) => `c${i}`).join()}\nx\n`;
  const foot = (columns: number) => /<p[^>]*view-foot">(.*?)<\/p>/.exec(drawn(TableView, { text: text(columns), label: "t" }).html)![1];
  expect(foot(2)).toBe("1 row, 2 columns");
  expect(foot(400)).toBe("1 row, the first 50 columns");
});
