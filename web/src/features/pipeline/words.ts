// States and amounts in words.
import type { SessionRow } from "../../api/types";

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export type Progress = "waiting" | "running" | "failed" | "interrupted" | "done" | "damaged" | "queued";

/** How far a session of a batch is. */
export function progressOf(s: SessionRow): Progress {
  if (s.state === "damaged") return "damaged";
  if (s.state === "waiting" || s.openQuestions > 0) return "waiting";
  if (s.state === "running") return "running";
  if (s.turns === 0) return "queued";
  if (s.lastExit === undefined) return "running";
  return s.lastExit === 0 ? "done" : s.lastExit === 130 ? "interrupted" : "failed";
}

export const progressWords: Record<Progress, readonly [word: string, chip: string]> = {
  waiting: ["asks you", "chip warn"], running: ["at work", "chip accent"], failed: ["failed", "chip bad"], interrupted: ["interrupted", "chip"],
  done: ["done", "chip good"], damaged: ["damaged", "chip bad"], queued: ["not started", "chip"],
};
