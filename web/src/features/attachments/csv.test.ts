import { expect, it } from "vitest";
import { readTable } from "./csv";

it("reads quoted cells, other separators and a mark at the beginning", () => {
  expect(readTable('\ufeffa,b\r\n"x, ""y""","two\nlines"\n')).toEqual([["a", "b"], ['x, "y"', "two\nlines"]]);
  expect(readTable("a;b\n1,5;2")).toEqual([["a", "b"], ["1,5", "2"]]);
  expect(readTable("")).toEqual([]);
});

it("stops at its limit", () => {
  expect(readTable("a,b\n".repeat(1000), 3)).toHaveLength(3);
});
