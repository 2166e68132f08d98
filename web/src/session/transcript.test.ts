import { expect, it } from "vitest";
import type { TranscriptEntry } from "../api/types";
import { emptyConversation } from "./model";
import { withTranscript } from "./transcript";

/** A transcript of turns with ten answers each, which counts how often its entries are looked at. */
function transcript(turns: number): { entries: TranscriptEntry[]; looks: () => number } {
  let looks = 0;
  const entries = Array.from({ length: turns }, (_, i) => [
    { kind: "turn", turn: `t${i}`, message: "m" },
    ...Array.from({ length: 10 }, () => ({ kind: "assistant", turn: `t${i}`, blocks: [{ type: "text", text: "x" }] })),
    { kind: "end", turn: `t${i}`, exitCode: 0 },
  ]).flat().map((e) => new Proxy(e, { get: (of, name) => { looks++; return Reflect.get(of, name) as unknown; } })) as unknown as TranscriptEntry[];
  return { entries, looks: () => looks };
}

it("a long transcript is read once, not once for each turn", () => {
  const small = transcript(50), large = transcript(500);
  expect(withTranscript(emptyConversation, small.entries).turns).toHaveLength(50);
  const { turns } = withTranscript(emptyConversation, large.entries);
  expect(turns.map((t) => t.id)).toEqual(Array.from({ length: 500 }, (_, i) => `t${i}`));
  expect(turns[7]!.parts).toHaveLength(10);
  expect(large.looks()).toBeLessThanOrEqual(small.looks() * 11);
});
