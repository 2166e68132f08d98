import { expect, it } from "vitest";
import { restAfter } from "./run";

it("a run with many tasks is read again at most a fifth of the time", () => {
  expect(restAfter(10)).toBe(250);
  expect(restAfter(2000)).toBe(8000);
});
