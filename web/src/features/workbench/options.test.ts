import { describe, expect, it } from "vitest";
import { none, turnOpts } from "./options";

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
