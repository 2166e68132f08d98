import { expect, test } from "vitest";
import { filesOf, findQuote, headingsOf, lineOf, placesOf } from "./quote";

test("a quotation is found across line ends, blanks and Markdown signs", () => {
  const text = "| Deck | The **deck level** shall be\n| `4.20 m`   above datum.";
  const [[from, to]] = findQuote(text, "The deck level shall be 4.20 m above datum") as [[number, number]];
  expect(text.slice(from, to)).toBe("The **deck level** shall be\n| `4.20 m`   above datum");
});

test("quotation marks, dashes and dots at the ends do not count", () => {
  expect(findQuote("the “north” pier – only", "\"the 'north\" pier - only\"")).toBeUndefined();
  expect(findQuote("the “north” pier – only", "“the \"north\" pier — only”")).toEqual([[0, 23]]);
  expect(findQuote("all of it is here", "...of it is...")).toEqual([[4, 12]]);
  expect(findQuote("OBJ-001 — Pass", "OBJ-001 -- Pass")).toEqual([[0, 14]]);
});

test("what a quotation leaves out divides it, and its pieces follow each other", () => {
  expect(findQuote("one two three four", "one ... three")).toEqual([[0, 3], [8, 13]]);
  expect(findQuote("one two three four", "three … one")).toBeUndefined();
});

test("a colon may stand for the border of a cell", () => {
  expect(findQuote("| Package | PKG-007 |", "Package: PKG-007")).toEqual([[2, 19]]);
});

test("a comma between words may be missing, and one in a number may not", () => {
  expect(findQuote("sheets C-1, C-2; and D", "C-1 C-2 and D")).toEqual([[7, 22]]);
  expect(findQuote("3,45 m", "345 m")).toBeUndefined();
});

test("other words are not found, and nothing is no quotation", () => {
  expect(findQuote("The deck level shall be 4.20 m", "The deck level shall be 4.30 m")).toBeUndefined();
  expect(findQuote("The deck", "the deck")).toBeUndefined();
  expect(findQuote("anything", "  ")).toBeUndefined();
  expect(findQuote("anything", "…")).toBeUndefined();
});

test("the place after a heading comes before others, and another one still counts", () => {
  const text = "see REQ-1 first. Later: see REQ-1 again";
  expect(findQuote(text, "see REQ-1", 10)![0]![0]).toBe(24);
  expect(findQuote(text, "see REQ-1 first", 10)![0]![0]).toBe(0);
});

test("headings are those outside of code", () => {
  expect(headingsOf(["# A", "```", "# no", "```", "### B ###", "#no"])).toEqual([{ level: 1, text: "A", line: 0 }, { level: 3, text: "B", line: 4 }]);
});

test("cells name files, and references name places", () => {
  expect(filesOf("Specification.md; Guidance.md")).toEqual(["Specification.md", "Guidance.md"]);
  expect(filesOf("location TBD")).toEqual([]);
  const known = ["Guidance.md", "Specification.md", "Procedure.md"];
  expect(placesOf("Guidance > Considerations > C2; Specification > Excluded", known)).toEqual([
    { file: "Guidance.md", steps: ["Considerations", "C2"], page: 0 }, { file: "Specification.md", steps: ["Excluded"], page: 0 }]);
  expect(placesOf("Procedure.md#Prerequisites > row 3", known)).toEqual([{ file: "Procedure.md", steps: ["Prerequisites", "row 3"], page: 0 }]);
  expect(placesOf("## Identification > Scope Items", known)).toEqual([{ file: "", steps: ["Identification", "Scope Items"], page: 0 }]);
  expect(placesOf("RFP, page 12", known)[0]?.page).toBe(12);
  expect(placesOf("REQ-08; Excluded > line 1; p. 7", known).map((p) => p.page)).toEqual([0, 0, 7]);
});

test("steps lead to a heading, and to a line below it", () => {
  const lines = ["# Spec", "## 1 Scope", "text", "## Requirements", "| REQ-08 | other |", "| REQ-09 | the one |", "## Scope of others", "REQ-09"];
  expect(lineOf(lines, ["Requirements", "REQ-09"])).toEqual({ line: 5, found: 2 });
  expect(lineOf(lines, ["Scope"])).toEqual({ line: 1, found: 1 });
  expect(lineOf(lines, ["Nowhere", "Requirements table"])).toEqual({ line: 3, found: 1 });
  expect(lineOf(lines, ["Nothing"])).toEqual({ line: 0, found: 0 });
});
