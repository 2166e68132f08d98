import { expect, test } from "vitest";
import { visible, worked } from "./format";

test("the pauses of a resumed run are no time of work", () => {
  const run = { startedAt: "2026-01-02T03:00:00Z", endedAt: "2026-01-02T05:00:00Z" };
  expect(worked(run)).toBe(2 * 3600 * 1000);
  expect(worked({ ...run, pausedMs: 3600 * 1000 })).toBe(3600 * 1000);
});

// The table of TestVisible in internal/render, and the sign for the same is the same.
test("what nobody sees is shown", () => {
  for (const [text, want] of [
    ["plain\ttext\n", "plain\ttext\n"],
    ["echo ok\rrm -rf docs", "echo ok␍rm -rf docs"],
    ["a line\r\nanother\r", "a line\nanother␍"],
    ["\u001b[2J\u0000\u007f\u009b", "␛[2J␀␡<U+009B>"],
    ["a\u200bb\u2060c\u00add", "a<U+200B>b<U+2060>c<U+00AD>d"],
    ["\ufeffls \u202e\u2028", "<U+FEFF>ls <U+202E><U+2028>"],
    ["r\u200dm r\u200cm x\ufe0f", "r<U+200D>m r<U+200C>m x<U+FE0F>"],
    ["tag\u{e0041} \u3164\u2800", "tag<U+E0041> <U+3164><U+2800>"],
    ...["❤\ufe0f 👩\u200d👩\u200d👧\u200d👦 🇩🇪 1\ufe0f\u20e3 👍🏽", "क्\u200dष می\u200cخواهم", "日本 é e\u0301"].map((same) => [same, same]),
  ]) expect(visible(text!)).toBe(want);
});
