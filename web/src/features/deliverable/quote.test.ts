import { expect, test } from "vitest";
import { filesOf, findQuote, headingsOf, lineOf, placesOf } from "./quote";

test("a quotation is found across line ends, blanks and Markdown signs", () => {
  const text = "| Deck | The **deck level** shall be\n| `4.20 m`   above datum.";
  const [from, to] = findQuote(text, "The deck level shall be 4.20 m above datum")!;
  expect(text.slice(from, to)).toBe("The **deck level** shall be\n| `4.20 m`   above datum");
});

test("quotation marks, dashes and dots at the ends do not count", () => {
  expect(findQuote("the “north” pier – only", "\"the 'north\" pier - only\"")).toBeUndefined();
  expect(findQuote("the “north” pier – only", "“the \"north\" pier — only”")).toEqual([0, 23]);
  expect(findQuote("all of it is here", "...of it is...")).toEqual([4, 12]);
});

test("other words are not found, and nothing is no quotation", () => {
  expect(findQuote("The deck level shall be 4.20 m", "The deck level shall be 4.30 m")).toBeUndefined();
  expect(findQuote("The deck", "the deck")).toBeUndefined();
  expect(findQuote("anything", "  ")).toBeUndefined();
  expect(findQuote("anything", "…")).toBeUndefined();
});

test("the place after a heading comes before others, and another one still counts", () => {
  const text = "see REQ-1 first. Later: see REQ-1 again";
  expect(findQuote(text, "see REQ-1", 10)![0]).toBe(24);
  expect(findQuote(text, "see REQ-1 first", 10)![0]).toBe(0);
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
