import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";
import { toggle } from "../../ui/choosing";
import { drawn } from "../../ui/drawn.test-helper";
import Proposals from "../deliverable/proposals";
import { QuestionCard } from "./question-card";
import { Kept } from "./kept";
import { partOf } from "./part";

vi.mock("../../route", async (real) => ({ ...await real<object>(), useParam: () => "", useRoute: () => ({ view: "inbox" }) }));
// Without a browser a store has no other state than the one that it has now.
vi.mock("react", async (real) => {
  const react = await real<typeof import("react")>();
  return { ...react, useSyncExternalStore: (subscribe: never, get: () => unknown) => react.useSyncExternalStore(subscribe, get, get) };
});
vi.stubGlobal("matchMedia", () => ({ matches: false }));
vi.stubGlobal("document", { hidden: false });

let sent: Record<string, unknown>[];
beforeEach(() => {
  sent = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => { sent.push(JSON.parse(init.body as string) as Record<string, unknown>); return new Response("{}"); });
});

const ask = { id: "d1", tool: "bash", reason: "r", session: false, effect: { tool: "bash", command: "x", paths: ["a", "b"], done: { files: 2 }, diff: "" } };

/** The card as it is drawn anew, and what its parts are. */
function card() {
  const client = new QueryClient(), { html, elements } = drawn(QuestionCard, { ask } as never, client);
  const press = (text: string) => elements.find((e) => e.type === "button" && [e.props.children].flat().some((c) => typeof c === "string" && c.startsWith(text)))!.props.onClick();
  return { html, press, field: elements.find((e) => e.type === "textarea"), toggle: (path: string) => elements.find((e) => e.props.choice)!.props.choice.toggle(path), client };
}

it("what a person leaves out of a question stays left out until it is answered", async () => {
  card().toggle("b");
  expect(card().html).toContain("Apply 1 of 2 files");
  const { press, client } = card();
  press("Apply ");
  await vi.waitFor(() => expect(client.isMutating()).toBe(0));
  expect(sent[0]).toMatchObject({ only: ["a"] });
  expect(card().html).toContain("Apply changes");
});

it("a note that is left stays on the screen and is sent, and an empty one is put away", async () => {
  const leave = () => card().field!.props.onKeyDown({ key: "Escape", stopPropagation: () => undefined });
  const write = (value: string) => card().field!.props.onChange({ target: { value } });
  card().press("Note");
  write(" ");
  leave();
  expect(card().field).toBeUndefined();
  card().press("Note");
  write("no, wait");
  leave();
  expect(card().field!.props.value).toBe("no, wait");
  const { press, client } = card();
  press("Discard");
  await vi.waitFor(() => expect(client.isMutating()).toBe(0));
  expect(sent[0]).toMatchObject({ note: "no, wait" });
  expect(card().field).toBeUndefined();
});

it("what a person leaves out of a kept change or a proposal stays left out", () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(["projects"], [{ id: "p", path: "/p", exists: true }]);
  client.setQueryData(["kept", "/p"], [{ id: "k1", effect: ask.effect }]);
  expect(drawn(Kept, {}, client).html).toContain("Apply changes");
  toggle("k1", "b");
  expect(drawn(Kept, {}, client).html).toContain("Apply 1 of 2 files");
  const d = { key: "P::D", id: "D", path: "/p/D", projectRoot: "/p", documents: [], etags: {}, proposals: [{ id: "pr1", createdAt: "2026-01-01T00:00:00Z", diff: { new: [{ dependencyId: "DEP-1", changes: [] }, { dependencyId: "DEP-2", changes: [] }] } }] };
  toggle("pr1", "DEP-1");
  expect(drawn(Proposals, { project: { id: "p", path: "/p" }, d } as never, client).html).toContain("Apply 1 of 2 rows");
});

it("files that a question does not list have no tick, and it says what becomes of them", () => {
  const all = Array.from({ length: 31 }, (_, i) => `f${i}`);
  const diff = all.map((p) => `--- /dev/null\n+++ b/${p}\n@@ -0,0 +1,1 @@\n+x\n`).join("");
  const many = { ...ask, id: "d31", effect: { ...ask.effect, paths: all.slice(0, 20), diff, done: { files: 34, ignored: [{ path: "build", files: 3 }] } } };
  const html = () => drawn(QuestionCard, { ask: many } as never).html;
  const ticks = (of: string) => of.match(/<label class="pick"><input type="checkbox"( checked="")?/g)!;
  expect(ticks(html())).toHaveLength(21);
  expect(ticks(html()).every((t) => t.includes("checked"))).toBe(true);
  expect(html()).toContain("11 more files without a tick are applied with the others.");
  toggle("d31", "f7");
  expect(html()).toContain("Apply 22 of 34 files");
  expect(html()).toContain("11 more files without a tick are discarded.");
});

it("what has a tick is applied, also repositories and folders that git ignores", async () => {
  const mixed = { ...ask, id: "d3", effect: { ...ask.effect, paths: [".git", "a"], repositories: [{ path: ".git", does: ["1 commit"] }], done: { files: 5, ignored: [{ path: "build", files: 3 }] } } };
  const boxes = (html: string) => [...html.matchAll(/type="checkbox"( checked="")?\/?><span class="hidden">Apply (.*?)<\/span>/g)].map((m) => (m[1] ? "+" : "-") + m[2]);
  const draw = () => drawn(QuestionCard, { ask: mixed } as never);
  expect(boxes(draw().html)).toEqual(["+.git", "+a", "+build"]);
  toggle("d3", ".git");
  expect(boxes(draw().html)).toEqual(["-.git", "+a", "+build"]);
  expect(draw().html).toContain("Apply 4 of 5 files");
});

it("a path has no tick while something below it has none, and none where something is in its way", () => {
  const part = (left: string[], conflicts: string[]) => partOf("d", { tool: "bash", paths: [".git", "out/a", "x", "x/y"], done: { files: 4 } } as never, new Set(left), conflicts);
  expect(part(["x/y"], []).only).toEqual([".git", "out/a"]);
  expect(part([], [".git/HEAD", "out"])).toMatchObject({ only: ["x", "x/y"], count: 2, total: 4 });
  expect(part([], []).only).toBeUndefined();
});

it("more paths than an answer may name have no tick", () => {
  const paths = Array.from({ length: 200 }, (_, i) => `f${i}`);
  const html = drawn(QuestionCard, { ask: { ...ask, id: "d200", effect: { ...ask.effect, paths, done: { files: 203, ignored: [{ path: "build", files: 3 }] } } } } as never).html;
  expect(html.match(/class="pick"/g)).toHaveLength(200);
  expect(html).toContain("3 ignored files below <code>build</code>, applied with the others");
});

it("of a kept change, files that something else changed are left out", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(["projects"], [{ id: "p", path: "/p", exists: true }]);
  client.setQueryData(["kept", "/p"], [{ id: "k2", effect: ask.effect, conflicts: ["b"] }, { id: "k3", effect: { ...ask.effect, paths: ["b"] }, conflicts: ["b"] }]);
  const html = drawn(Kept, {}, client).html;
  expect(html).toContain("Apply 1 of 2 files");
  expect(html.match(/class="pick"/g)).toHaveLength(1);
  client.setQueryData(["kept", "/p"], [{ id: "k3", effect: { ...ask.effect, paths: ["b"], done: { files: 1 } }, conflicts: ["b"] }]);
  expect(drawn(Kept, {}, client).html).toContain('id="keep" class="button primary" disabled=""');
});
