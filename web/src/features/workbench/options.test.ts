import { beforeEach, describe, expect, it, vi } from "vitest";
import { emptyStorage } from "../../ui/storage.test-helper";
import { none, type Options, turnOpts } from "./options";

describe("the options of a turn", () => {
  it("name what the session does not have", () => {
    const session = { persona: "HELP", mode: "direct", model: "answered-last", preferredModel: "kept" };
    expect(turnOpts({ ...none, persona: "HELP", mode: "plan", model: "answered-last" }, session)).toMatchObject({ mode: "plan", model: "answered-last" });
    expect(turnOpts({ ...none, persona: "HELP", model: "kept" }, session)).toEqual({ onQuestion: "wait" });
  });

  it("have the limits as numbers", () => {
    expect(turnOpts({ ...none, maxCostUsd: "0.1", minutes: "2", tools: "read,grep", maxTurns: "x" }, undefined))
      .toEqual({ onQuestion: "wait", maxCostUsd: 0.1, timeoutMs: 120_000, tools: ["read", "grep"] });
  });
});

// Outside of a component a hook gives what its store has.
vi.mock("react", async (real) => ({ ...await real<object>(), useSyncExternalStore: (_: unknown, get: () => unknown) => get() }));

/** A tab: the module has its own memory, and the storage is that of all. */
async function tab() {
  vi.resetModules();
  const options = await import("./options"), keep = await import("../../ui/keep");
  return { ...options, heard: (name: string | null) => keep.keptElsewhere(name) };
}

describe("two tabs", () => {
  let kept: Record<string, string>;
  beforeEach(() => { kept = emptyStorage(); });

  it("keep the presets of both, and each other's options", async () => {
    const a = await tab(), b = await tab();
    a.usePresets(), b.usePresets(), a.useOptions("s"), b.useOptions("s"); // both have opened the sheet
    a.savePreset({ name: "x", options: none });
    b.savePreset({ name: "y", options: none });
    a.setOption("s", "model", "m");
    b.setOption("s", "maxTurns", "3");
    for (const one of [a, b]) {
      one.heard(null);
      expect(one.usePresets().map((p) => p.name)).toEqual(["x", "y"]);
      expect(one.useOptions("s")).toMatchObject({ model: "m", maxTurns: "3" });
    }
    a.removePreset("x");
    b.removePreset("y");
    expect(JSON.parse(kept["belay.presets"]!)).toEqual({ v: 1, is: [] });
    a.setOption("s", "model", "");
    a.setOption("s", "maxTurns", "");
    b.heard("belay.options.s");
    expect(b.useOptions("s")).toEqual(none);
  });

  it("take what is removed for no choice of the other one", async () => {
    const a = await tab();
    a.setOption("s", "model", "m");
    a.savePreset({ name: "x", options: none });
    for (const name of Object.keys(kept)) delete kept[name];
    a.heard(null);
    expect([a.useOptions("s").model, a.usePresets().length]).toEqual(["m", 1]);
  });

  it("have options also where the browser keeps nothing", async () => {
    Object.getPrototypeOf(kept).setItem = () => { throw new Error("full"); };
    const a = await tab();
    a.setOption("s", "model", "m");
    a.setOption("s", "maxTurns", "3");
    a.savePreset({ name: "x", options: none });
    a.heard(null);
    expect(a.useOptions("s")).toMatchObject({ model: "m", maxTurns: "3" });
    expect(a.usePresets()).toHaveLength(1);
  });
});

describe("an approval", () => {
  let kept: Record<string, string>, bodies: string[];
  beforeEach(() => { kept = emptyStorage(); bodies = []; });

  it("is of one turn, and is kept nowhere", async () => {
    const { setOption, useOptions, savePreset, usePresets } = await import("./options"), send = await import("./send"), drafts = await import("./drafts"), { Feed } = await import("../../session/store");
    const feed = new Feed("one", {} as never), draft = new drafts.Draft("one");
    let status = 429;
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => { bodies.push(init.body as string); return new Response(JSON.stringify({ error: { type: "OVERLOADED", message: "busy" } }), { status }); });
    setOption("one", "approval", "TICKET-1");
    setOption("one", "model", "m");
    savePreset({ name: "p", options: useOptions("one") });
    expect(usePresets().at(-1)!.options).toMatchObject({ model: "m", approval: "" });
    expect(JSON.stringify(kept)).not.toContain("TICKET-1");
    for (const next of [429, 200, 200]) {
      status = next;
      draft.setText("m");
      await send.sendTurn(feed, draft, useOptions("one"), undefined);
    }
    expect(bodies.map((b) => b.includes("TICKET-1"))).toEqual([true, true, false]);
    expect(useOptions("one")).toMatchObject({ model: "m", approval: "" });
  });

  it("that was kept once is not used again", async () => {
    kept["belay.options.old"] = JSON.stringify({ v: 1, is: { ...none, approval: "TICKET-1" } satisfies Options });
    expect((await tab()).useOptions("old").approval).toBe("");
  });
});
