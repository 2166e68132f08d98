import { createElement } from "react";
import { expect, it, vi } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { TurnView } from "../workbench/turn-view";
import { Closed } from "./closed";
import { Kept } from "./kept";

const trick = "a\u202eb\u200b", shown = "a&lt;U+202E&gt;b&lt;U+200B&gt;";

vi.mock("../../route", async (real) => ({ ...await real<object>(), useParam: () => "" }));
vi.mock("./tabs", () => ({ InboxTabs: () => null }));
vi.mock("./effect-view", () => ({ EffectView: () => null }));
vi.mock("../workbench/turn-actions", () => ({ TurnActions: () => null }));
vi.mock("../../app-state", async (real) => ({
  ...await real<object>(), useRefresh: () => () => undefined, useModelName: () => () => "m",
  useKept: () => ({ rows: [{ root: `/p/${"a\u202eb\u200b"}`, change: { id: "k" } }], isPending: false, error: null }),
  useClosed: () => ({ data: [{ decisionId: "d", verdict: "allow", by: "a\u202eb\u200b", time: "2026-01-01T00:00:00Z", summary: "s", projectRoot: `/p/${"a\u202eb\u200b"}` }], isPending: false, error: null }),
}));

it("names of projects and of people who answered show what is not seen", () => {
  const question = { decisionId: "d", name: "bash", input: {}, reason: "" };
  const turn = { id: "t", key: "t", state: "done", changedFiles: [], parts: [{ kind: "question", key: "q", question, answer: { verdict: "allow", by: trick } }] };
  const html = [drawn(Kept, {}).html, drawn(Closed, {}).html, drawn(() => createElement(TurnView, { turn: turn as never, sessionId: "s", open: [], lost: false }), {}).html];
  expect(html.map((one) => one.split(shown).length - 1)).toEqual([2, 3, 1]);
  expect(html.join("")).not.toMatch(/[\u202e\u200b]/);
});
