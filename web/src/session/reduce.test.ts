import { describe, expect, it } from "vitest";
import type { LogEvent } from "./event";
import { type Conversation, emptyConversation, type Part } from "./model";
import { recorded } from "./recorded.test-helper";
import { reduce, reduceAll } from "./reduce";
import { withTranscript } from "./transcript";

const all = (events: LogEvent[], from: Conversation = emptyConversation) => reduceAll(from, events);
const kinds = (parts: readonly Part[]) => parts.map((p) => (p.kind === "tool" ? p.name : p.kind)).join(" ");

describe("a recorded turn with a subagent and questions", () => {
  const events = recorded("engineer.sse");
  const end = all(events);
  const turn = end.turns[0]!;

  it("becomes one turn with its parts in order", () => {
    expect(end.turns).toHaveLength(1);
    expect(kinds(turn.parts)).toBe("thinking text read read read thinking text edit edit question question text agent.CHECKER text bash text");
    expect(turn.state).toBe("done");
    expect(end.running).toBe("");
    expect(end.seq).toBe(67);
    expect(turn.usage?.inputTokens).toBe(29818);
  });

  it("keeps a subagent's calls, whose ids repeat those of its parent, below the call that started it", () => {
    const agent = turn.parts.find((p) => p.kind === "tool" && p.name === "agent.CHECKER");
    if (agent?.kind !== "tool") throw new Error("no call");
    expect(agent.persona).toBe("CHECKER");
    expect(agent.calls.map((c) => `${c.name} ${c.id} ${c.state}`)).toEqual(["read call_1_2 ok", "grep call_1_3 ok"]);
    const own = turn.parts.filter((p) => p.kind === "tool" && p.id === "call_1_3");
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({ name: "read", output: expect.stringContaining("RegisterSchemaVersion") });
  });

  it("shows each answer, and no question stays open", () => {
    const asked = turn.parts.filter((p) => p.kind === "question");
    expect(asked.map((p) => p.answer?.verdict)).toEqual(["allow", "allow"]);
    expect(end.open).toEqual([]);
    expect(turn.changedFiles.map((f) => f.split("/").at(-1))).toEqual(["deck.csv", "Datasheet.md"]);
  });

  it("has the question open until its answer", () => {
    const until = events.findIndex((e) => e.type === "permission:resolved");
    expect(all(events.slice(0, until)).open).toHaveLength(1);
  });

  it("is the same however its events are cut, and when some come twice", () => {
    for (let cut = 0; cut <= events.length; cut++) {
      const first = all(events.slice(0, cut));
      const again = all(events.slice(Math.max(0, cut - 5)), first); // a server that repeats five
      expect(again).toEqual(end);
    }
  });

  it("changes nothing of what it was given", () => {
    const frozen = deepFreeze(all(events.slice(0, 30)));
    expect(() => all(events.slice(30), frozen)).not.toThrow();
  });
});

const init: LogEvent = { seq: 1, type: "session:init", data: { model: "m", turnId: "t1", warnings: [{ code: "W", message: "careful" }] } };
const delta = (seq: number, text: string): LogEvent => ({ seq, type: "chat:delta", data: { text } });
const exit = (seq: number, data: Partial<Extract<LogEvent, { type: "process:exit" }>["data"]> = {}): LogEvent => ({ seq, type: "process:exit", data: { exitCode: 0, ...data } });

describe("single events", () => {
  it("has a text once that stands above calls and notices, and another one below them", () => {
    const call: LogEvent = { seq: 3, type: "tool:call", data: { toolCallId: "a", name: "glob", input: {} } };
    const warning: LogEvent = { seq: 4, type: "turn:warning", data: { code: "MAX_TURNS", message: "limit" } };
    for (const [text, want] of [["Hello", "warning text glob warning"], ["Done", "warning text glob warning text"]] as const) {
      const c = all([init, delta(2, "Hello"), call, warning, { seq: 5, type: "chat:complete", data: { text } }, exit(6)]);
      expect(kinds(c.turns[0]!.parts)).toBe(want);
    }
  });

  it("the whole answer replaces its pieces", () => {
    const c = all([init, delta(2, "Hel"), delta(3, "o"), { seq: 4, type: "chat:complete", data: { text: "Hello" } }, exit(5)]);
    expect(c.turns[0]!.parts.at(-1)).toMatchObject({ kind: "text", text: "Hello" });
  });

  it.each([[0, undefined, "done"], [0, "max_tokens", "cut"], [124, undefined, "timeout"], [130, undefined, "interrupted"], [1, undefined, "failed"]] as const)(
    "exit code %s with stop reason %s is %s", (exitCode, stopReason, state) => {
      const complete: LogEvent[] = stopReason ? [{ seq: 2, type: "session:complete", data: { stopReason } }] : [];
      expect(all([init, ...complete, exit(3, { exitCode })]).turns[0]!.state).toBe(state);
    });

  it("a failure is shown once", () => {
    const failed = exit(3, { exitCode: 1, error: "broken", errorType: "SDK_FAILURE" });
    const told: LogEvent = { seq: 2, type: "turn:error", data: { errorType: "SDK_FAILURE", message: "broken" } };
    for (const events of [[init, failed], [init, told, failed]]) {
      expect(all(events).turns[0]!.parts.filter((p) => p.kind === "error")).toHaveLength(1);
    }
  });

  it("a gap stands where events are missing, and the rest of the turn is shown", () => {
    const c = all([{ seq: 0, type: "log:gap", data: { reason: "expired", next: 8 } }, delta(8, "rest"), exit(9)]);
    expect(kinds(c.turns.flatMap((t) => t.parts))).toBe("gap text");
    expect(c.seq).toBe(9);
  });

  it("an end without an id ends the turn, and a second one does nothing", () => {
    const c = all([init, delta(2, "x"), exit(0, { exitCode: 1, error: "gone" })]);
    expect(c.turns[0]!.state).toBe("failed");
    expect(reduce(c, exit(0, { exitCode: 1 }))).toBe(c);
  });

  it("events of types that it does not know are passed over", () => {
    const c = all([init, delta(2, "x")]);
    const unknown = { seq: 3, type: "new:thing", data: {} } as unknown as LogEvent;
    expect(reduce(c, unknown).turns).toEqual(c.turns);
  });

  it("changes that are taken back are shown with their turn", () => {
    const c = all([init, exit(2), { seq: 3, type: "changes:undone", data: { turnId: "t1", paths: ["a"] } }]);
    expect(c.turns[0]!.undone).toEqual(["a"]);
  });
});

describe("the transcript", () => {
  const entry = (turn: string, kind: string, more: object = {}) => ({ kind, turn, time: "2026-01-01T00:00:00Z", ...more });

  it("gives the words, and turns that the log has no more", () => {
    const entries = [
      entry("t0", "turn", { message: "before" }), entry("t0", "assistant", { blocks: [{ type: "text", text: "old" }] }), entry("t0", "end", { exitCode: 0 }),
      entry("t1", "turn", { message: "now", warning: "one file was refused" }),
    ];
    const c = withTranscript(all([init, delta(2, "x")]), entries);
    expect(c.turns.map((t) => [t.said?.message, kinds(t.parts)])).toEqual([["before", "text"], ["now", "warning warning text"]]);
    expect(withTranscript(c, entries)).toEqual(c);
  });

  it("puts a turn behind the one before it, whether the log has it no more or not yet", () => {
    const entries = ["t0", "t1", "t2", "t3"].flatMap((t) => [entry(t, "turn", { message: t }), entry(t, "end", { exitCode: 0 })]);
    const c = withTranscript(all([init, exit(2)]), entries);
    expect(c.turns.map((t) => t.id)).toEqual(["t0", "t1", "t2", "t3"]);
    const more: LogEvent[] = [{ seq: 3, type: "session:init", data: { model: "m", turnId: "t2" } }];
    expect(all(more, c).turns.map((t) => [t.id, t.state])).toEqual([["t0", "done"], ["t1", "done"], ["t2", "running"], ["t3", "done"]]);
  });

  it("gives way to the events when they come later", () => {
    const entries = [entry("t1", "turn", { message: "now" }), entry("t1", "assistant", { blocks: [{ type: "text", text: "x" }] }), entry("t1", "end", { exitCode: 0 })];
    const c = all([init, delta(2, "x"), exit(3)], withTranscript(emptyConversation, entries));
    expect(c.turns).toHaveLength(1);
    expect(kinds(c.turns[0]!.parts)).toBe("warning text");
    expect(c.turns[0]!.said?.message).toBe("now");
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const v of Object.values(value)) deepFreeze(v);
  return Object.freeze(value);
}

describe("the output of a command that runs", () => {
  const call: LogEvent[] = [
    { seq: 1, type: "session:init", data: { model: "m", turnId: "t1" } },
    { seq: 2, type: "tool:call", data: { toolCallId: "c1", name: "bash", input: { command: "make" } } },
  ];
  const out = (seq: number, offset: number, text: string, tail?: boolean): LogEvent => ({ seq, type: "tool:output", data: { toolCallId: "c1", offset, text, ...(tail ? { tail } : {}) } });
  const tool = (events: LogEvent[]) => all([...call, ...events]).turns[0]!.parts[0];

  it("grows, says where some is left out, and gives way to its end", () => {
    expect(tool([out(3, 0, "zwölf\n"), out(4, 7, "two\n")])).toMatchObject({ live: "zwölf\ntwo\n" });
    expect(tool([out(3, 0, "one\n"), out(4, 90, "late\n")])).toMatchObject({ live: "one\n…\nlate\n" });
    expect(tool([out(3, 0, "one\n"), out(4, 90, "the end\n", true)])).toMatchObject({ live: "…\nthe end\n" });
  });

  it("goes on after the result of a job, and makes no turn of its own", () => {
    const result: LogEvent = { seq: 3, type: "tool:result", data: { toolCallId: "c1", name: "bash", ok: true } as never };
    expect(tool([result, out(4, 0, "serving\n")])).toMatchObject({ state: "ok", live: "serving\n", goesOn: true });
    expect(all([out(1, 0, "lost\n")]).turns).toHaveLength(0);
  });
});

describe("the end of a turn that the log could not take", () => {
  const end = (turn?: string): LogEvent[] => [
    { seq: 0, type: "turn:error", data: { errorType: "STORAGE_FAILURE", message: "disk full" }, ...(turn ? { turn } : {}) },
    { seq: 0, type: "process:exit", data: { exitCode: 1 }, ...(turn ? { turn } : {}) },
  ];
  const init = (seq: number, turnId: string): LogEvent => ({ seq, type: "session:init", data: { turnId, model: "m" } });
  const again = (c: Conversation, events: LogEvent[]) => [1, 2, 3].reduce((now) => reduceAll(now, events), c);

  it("is shown once, however often it comes", () => {
    for (const events of [end(), [init(0, "t1"), ...end("t1")]]) {
      const c = again(all([init(1, "t1"), ...events]), events);
      expect(c.turns.map((t) => [t.id, t.state, t.parts.length])).toEqual([["t1", "failed", 1]]);
    }
  });

  it("is shown once also where nothing else of the turn is known", () => {
    const before = all([init(1, "t1"), { seq: 2, type: "process:exit", data: { exitCode: 0 } }]);
    expect(again(before, end()).turns.map((t) => t.state)).toEqual(["done", "failed"]);
    expect(reduceAll(again(before, end("t2")), end("t3")).turns.map((t) => t.state)).toEqual(["done", "failed", "failed"]);
  });

  it("is shown of each turn that ends so", () => {
    const c = again(all([init(1, "t1"), ...end(), init(2, "t2"), ...end()]), end());
    expect(c.turns.map((t) => [t.id, t.state])).toEqual([["t1", "failed"], ["t2", "failed"]]);
  });
});
