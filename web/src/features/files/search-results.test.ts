import { expect, it } from "vitest";
import { beforeMatch } from "./search-results";

it("a match is within the first words of its line in the list", () => {
  expect(beforeMatch("  two ")).toBe("two ");
  expect(beforeMatch("| BD:** Municipal development ")).toBe("…development ");
  expect(beforeMatch("x".repeat(300)).length).toBeLessThan(14);
});
