import { expect, test } from "vitest";
import { visitAt } from "./last-visit";

const at = (time: string) => Date.parse(`2026-01-02T${time}:00.000Z`);

test("a visit begins half an hour after the page was looked at last, and tells since when", () => {
  const first = visitAt(undefined, at("08:00"));
  expect(first.before).toBe("");
  const reloaded = visitAt(first, at("08:20"));
  expect(reloaded).toEqual({ seen: "2026-01-02T08:20:00.000Z", before: "" });
  const next = visitAt(reloaded, at("12:00"));
  expect(next.before).toBe("2026-01-02T08:20:00.000Z");
  expect(visitAt(next, at("12:05")).before).toBe("2026-01-02T08:20:00.000Z");
});
