import { expect, test } from "vitest";
import { worked } from "./format";

test("the pauses of a resumed run are no time of work", () => {
  const run = { startedAt: "2026-01-02T03:00:00Z", endedAt: "2026-01-02T05:00:00Z" };
  expect(worked(run)).toBe(2 * 3600 * 1000);
  expect(worked({ ...run, pausedMs: 3600 * 1000 })).toBe(3600 * 1000);
});
