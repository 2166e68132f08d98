import { createElement } from "react";
import { expect, it, vi } from "vitest";
import { Code } from "../../ui/code";
import { CopyButton } from "../../ui/parts";
import { drawn } from "../../ui/drawn.test-helper";
import { ToolCard } from "../workbench/tool-card";
import { wordsOf } from "./ask";
import { QuestionCard } from "./question-card";

// Without a browser a store has no other state than the one that it has now.
vi.mock("react", async (real) => {
  const react = await real<typeof import("react")>();
  return { ...react, useSyncExternalStore: (subscribe: never, get: () => unknown) => react.useSyncExternalStore(subscribe, get, get) };
});
vi.stubGlobal("matchMedia", () => ({ matches: false }));

/** A text that reads otherwise than it is, and its end, for an attribute or a word. */
const trick = "a\u202eb\u2066\u200bc";
const unseen = /[\u202e\u2066\u200b]/;
const diff = `--- a/${trick}\n+++ b/${trick}\n@@ -1 +1 @@\n-a\n+if x ${trick} {\n`;

it("a question shows what is not seen, wherever it stands", () => {
  const effect = {
    tool: "bash", command: trick, dir: trick, why: trick, paths: [trick, `${trick}2`], diff, hosts: [trick], doubt: trick, automatic: [`${trick} is run by git`], runs: [trick],
    onRequest: [`${trick}2 is run by make`], repositories: [{ path: `${trick}3`, does: [trick] }], publication: { destination: trick, files: [{ path: trick }] },
    done: { files: 2, output: trick, ignored: [{ path: trick, files: 1 }] },
  };
  const { html } = drawn(QuestionCard, { ask: { id: "d", tool: "bash", reason: trick, session: false, persona: trick, effect } } as never);
  expect(html).not.toMatch(unseen);
  expect(html.match(/a&lt;U\+202E&gt;b/g)!.length).toBeGreaterThan(15);
  expect(wordsOf({ id: "d", tool: trick, reason: "", session: false }).title).toBe("The agent wants to use a<U+202E>b<U+2066><U+200B>c");
});

it("a question says what it is about: a tool of a server, and a whole address", () => {
  const ask = (effect: object) => ({ id: "d", tool: "mcp.files.put", reason: "", session: false, persona: "A", effect }) as never;
  expect(wordsOf(ask({ kind: "external", command: "{}" })).title).toBe("A wants to use mcp.files.put");
  for (const effect of [{ summary: "fetch https://example.com/?q=end" }, { summary: "fetch https://example…", command: "https://example.com/?q=end" }]) {
    const of = ask({ kind: "network", hosts: ["example.com"], ...effect });
    expect(wordsOf(of).title).toBe("A wants to reach example.com");
    expect(drawn(QuestionCard, { ask: of } as never).html).toContain("https://example.com/?q=end");
  }
});

it("a call shows what is not seen", () => {
  const call = (name: string, input: unknown) => drawn((of: { tool: never }) => createElement(ToolCard, of), {
    tool: { kind: "tool", key: "k", id: "i", name, input, state: "ok", calls: [], output: trick, live: trick, goesOn: true, changed: [trick], removed: [trick], persona: trick } as never,
  }).html;
  for (const [name, input] of [["bash", { command: trick }], ["edit", { path: trick, edits: [{ old: trick, new: trick }] }], ["write", { path: trick, content: trick }], ["x", { task: trick }], ["x", { y: trick }]] as const) {
    expect(call(name, input)).not.toMatch(unseen);
  }
});

it("what is copied stays as it is", () => {
  const { elements } = drawn(Code, { code: trick, language: "" });
  expect(elements.find((e) => e.type === CopyButton)!.props.text()).toBe(trick);
});
