import { expect, it } from "vitest";
import { waitChip } from "./words";

it("asks only where there is a question", () => {
  expect(waitChip(undefined)).toBeUndefined();
  expect(waitChip([])).toBeUndefined();
  expect(waitChip([{}])?.[0]).toBe("waits");
  expect(waitChip([{}, { message: "Publish?" }])?.[0]).toBe("asks you");
});
