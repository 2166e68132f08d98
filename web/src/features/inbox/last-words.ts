import type { TranscriptEntry } from "../../api/types";

/** The last text that the agent of a turn wrote, "" for none. */
export function lastWords(entries: readonly TranscriptEntry[], turn: string): string {
  for (const entry of entries.toReversed()) {
    if (entry.turn !== turn || entry.agent || entry.kind !== "assistant") continue;
    const text = (entry.blocks ?? []).filter((b) => b.type === "text").map((b) => b.text ?? "").join("\n\n").trim();
    if (text) return text;
  }
  return "";
}
