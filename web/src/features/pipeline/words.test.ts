import { expect, it } from "vitest";
import type { SessionRow } from "../../api/types";
import { dollars, progressOf } from "./words";

it("tells how far a session is", () => {
  const row = { sessionId: "s", projectId: "p", projectName: "p", projectRoot: "/p", title: "t", state: "idle", openQuestions: 0, turns: 1, createdAt: "", updatedAt: "" } satisfies SessionRow;
  expect(progressOf({ ...row, turns: 0 })).toBe("queued");
  expect(progressOf({ ...row, lastExit: 0 })).toBe("done");
  expect(progressOf({ ...row, lastExit: 130 })).toBe("interrupted");
  expect(progressOf({ ...row, lastExit: 124 })).toBe("failed");
  expect(progressOf({ ...row, state: "running", lastExit: 1 })).toBe("running");
  expect(progressOf({ ...row, state: "waiting", openQuestions: 1 })).toBe("waiting");
  expect(progressOf({ ...row, state: "damaged" })).toBe("damaged");
});

it("shows small amounts", () => {
  expect(dollars(0.0006)).toBe("$0.0006");
  expect(dollars(12)).toBe("$12.00");
});
