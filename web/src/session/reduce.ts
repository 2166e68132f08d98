// The reducer: a conversation and an event give the conversation after it. It is
// pure, and what an event does not touch stays the same object.
import type { LogEvent } from "./event";
import type { Asked, Conversation, Part, Tool, Turn, TurnState } from "./model";
import { noted } from "./unrecorded";

/** Live output that is kept of one call, in characters. */
const liveLimit = 64 << 10;

export function reduceAll(c: Conversation, events: readonly LogEvent[]): Conversation {
  return events.reduce(reduce, c);
}

export function reduce(c: Conversation, e: LogEvent): Conversation {
  // After a lost connection the server may send again what was seen.
  if (e.type === "log:gap") return gap(c, e.data.reason, e.data.next - 1);
  const next = noted(c, e);
  if (!next) return c;
  switch (e.type) {
    case "session:init":
      return begin(next, e.data);
    case "changes:undone":
      return mapTurn(next, (t) => t.id === e.data.turnId, (t) => ({ ...t, undone: [...new Set([...(t.undone ?? []), ...(e.data.paths ?? [])])] }));
    case "permission:request":
      return ask(next, e.data);
    case "permission:resolved":
      return { ...answer(next, e.data), open: next.open.filter((id) => id !== e.data.decisionId) };
    case "process:exit":
      return exit(next, e.data);
    case "tool:output":
      // It makes no turn where there is none: output alone says nothing.
      return mapTurn(next, (t) => t.id === next.running || next.running === "" && t === next.turns.at(-1), (t) => output(t, e.data));
    default:
      return current(next, (t, key) => inTurn(t, e, key));
  }
}

function begin(c: Conversation, data: Extract<LogEvent, { type: "session:init" }>["data"]): Conversation {
  const warnings = (data.warnings ?? []).map((warning, i): Part => ({ kind: "warning", key: `w${i}`, warning }));
  const known = c.turns.find((t) => t.id === data.turnId);
  // A turn that goes on after a crash keeps what it has; what the transcript told gives way to the events.
  const parts = known && !known.recorded ? known.parts : [];
  const turn: Turn = {
    id: data.turnId, key: data.turnId, changedFiles: known?.changedFiles ?? [], ...(known?.said ? { said: known.said } : {}),
    model: data.model, ...(data.answeredBy ? { answeredBy: data.answeredBy } : {}),
    state: "running", parts: [...parts, ...warnings],
  };
  const turns = known ? c.turns.map((t) => (t === known ? turn : t)) : [...c.turns, turn];
  return { ...c, turns, running: data.turnId };
}

/** Applies a change to the turn that runs, or to a new one whose beginning is not kept. */
function current(c: Conversation, change: (t: Turn, key: string) => Turn): Conversation {
  const key = `p${c.made}`;
  let index = c.turns.findIndex((t) => t.id === c.running && t.state === "running");
  let turns = c.turns;
  if (index < 0) {
    turns = [...turns, { id: "", key: `t${c.made}`, state: "running", parts: [], changedFiles: [] }];
    index = turns.length - 1;
  }
  const before = turns[index]!;
  const after = change(before, key);
  if (after === before && turns === c.turns) return c;
  turns = turns.with(index, after);
  return { ...c, turns, running: after.id, made: c.made + 1 };
}

function inTurn(t: Turn, e: LogEvent, key: string): Turn {
  switch (e.type) {
    case "chat:delta":
      return grow(t, "text", e.data.text, key);
    case "chat:thinking":
      return grow(t, "thinking", e.data.text, key);
    case "chat:complete":
      return complete(t, e.data.text, key);
    case "tool:call":
      return addCall(t, {
        kind: "tool", key, id: e.data.toolCallId, name: e.data.name, input: e.data.input, state: "running", calls: [],
        ...(e.data.parentToolCallId ? { parent: e.data.parentToolCallId } : {}),
      });
    case "tool:result":
      return result(t, e.data, key);
    case "subagent:start":
      return mapCall(t, e.data.parentToolCallId, undefined, (tool) => ({ ...tool, persona: e.data.persona }));
    case "attachment:add":
    case "attachment:input": {
      const { filename, bytes, sha256, mimeType } = e.data;
      return add(t, {
        kind: "file", key, file: { name: filename, bytes, sha256, mimeType },
        direction: e.type === "attachment:add" ? "to-people" : "to-model",
      });
    }
    case "turn:input":
      return add(t, { kind: "input", key, message: e.data.message, mode: e.data.mode, attachments: e.data.attachments ?? 0 });
    case "usage":
      return { ...t, usage: e.data.totals ?? e.data };
    case "turn:warning":
      return warn(t, e.data, key);
    case "turn:error":
      return add(t, { kind: "error", key, ...pick(e.data, "errorType", "message", "details") });
    case "session:complete":
      return { ...t, stopReason: e.data.stopReason ?? "" };
    default:
      return t;
  }
}

const add = (t: Turn, part: Part): Turn => ({ ...t, parts: [...t.parts, part] });

function grow(t: Turn, kind: "text" | "thinking", text: string, key: string): Turn {
  const last = t.parts.at(-1);
  if (last?.kind !== kind) return add(t, { kind, key, text });
  return { ...t, parts: t.parts.with(-1, { ...last, text: last.text + text }) };
}

/**
 * Puts the whole text of an answer in place of what its pieces made. Of a turn that stops at a
 * limit the last answer may stand above its calls.
 */
function complete(t: Turn, text: string, key: string): Turn {
  const last = t.parts.findLast((p) => p.kind === "text" || p.kind === "input");
  if (last?.kind === "text" && last.text === text) return t;
  const i = t.parts.findLastIndex((p) => p.kind === "text" || p.kind === "tool" || p.kind === "input");
  const part = t.parts[i];
  if (part?.kind !== "text") return text ? add(t, { kind: "text", key, text }) : t;
  return part.text === text ? t : { ...t, parts: t.parts.with(i, { ...part, text }) };
}

function warn(t: Turn, warning: { code: string; message: string; paths?: string[] }, key: string): Turn {
  const known = t.parts.some((p) => p.kind === "warning" && p.warning.message === warning.message);
  return known ? t : add(t, { kind: "warning", key, warning });
}

function addCall(t: Turn, call: Tool): Turn {
  if (!call.parent) return add(t, call);
  const nested = mapCall(t, call.parent, undefined, (tool) => ({ ...tool, calls: [...tool.calls, call] }));
  return nested === t ? add(t, call) : nested;
}

/**
 * Changes the last call with this id. A subagent counts its calls anew, so the id of
 * its parent's call belongs to the name.
 */
function mapCall(t: Turn, id: string | undefined, parent: string | undefined, change: (tool: Tool) => Tool): Turn {
  const within = (tools: readonly Tool[]): Tool[] | undefined => {
    const i = tools.findLastIndex((tool) => tool.id === id && (parent === undefined || tool.parent === parent));
    return i < 0 ? undefined : tools.with(i, change(tools[i]!));
  };
  for (let i = t.parts.length - 1; i >= 0; i--) {
    const part = t.parts[i]!;
    if (part.kind !== "tool") continue;
    if (part.id === id && (parent === undefined || (part.parent ?? "") === parent)) {
      return { ...t, parts: t.parts.with(i, change(part)) };
    }
    const calls = parent === "" ? undefined : within(part.calls);
    if (calls) return { ...t, parts: t.parts.with(i, { ...part, calls }) };
  }
  return t;
}

/** Adds what a command has written. Where something is left out in between, it says so. */
function output(t: Turn, data: Extract<LogEvent, { type: "tool:output" }>["data"]): Turn {
  return mapCall(t, data.toolCallId, data.parentToolCallId ?? "", (tool) => {
    const gap = data.tail || data.offset > (tool.liveEnd ?? 0);
    const before = data.tail ? "" : tool.live ?? "";
    return {
      ...tool, live: (before + (gap ? "…\n" : "") + data.text).slice(-liveLimit),
      liveEnd: data.offset + new TextEncoder().encode(data.text).length, ...(tool.state === "running" ? {} : { goesOn: true }),
    };
  });
}

function result(t: Turn, data: Extract<LogEvent, { type: "tool:result" }>["data"], key: string): Turn {
  const changed = [...(data.changed ?? []), ...(data.removed ?? [])];
  const files = changed.length ? [...new Set([...t.changedFiles, ...changed])] : t.changedFiles;
  const finish = (tool: Tool): Tool => ({
    ...tool, state: data.ok ? "ok" : "failed",
    ...pick(data, "output", "truncated", "durationMs", "changed", "removed", "outcome", "leftOut"),
  });
  const after = mapCall(t, data.toolCallId, data.parentToolCallId ?? "", finish);
  if (after !== t) return { ...after, changedFiles: files };
  // Its call is not kept.
  const alone: Tool = { kind: "tool", key, id: data.toolCallId ?? "", name: data.name, input: undefined, state: "ok", calls: [] };
  return { ...addCall(t, finish(data.parentToolCallId ? { ...alone, parent: data.parentToolCallId } : alone)), changedFiles: files };
}

function ask(c: Conversation, question: Asked["question"]): Conversation {
  const again = c.turns.some((t) => t.parts.some((p) => p.kind === "question" && p.question.decisionId === question.decisionId));
  const open = c.open.includes(question.decisionId) ? c.open : [...c.open, question.decisionId];
  if (again) return { ...c, open };
  const asked = current(c, (t, key) => {
    const { effect } = question;
    const marked = effect ? mapCall(t, question.toolCallId, undefined, (tool) => ({ ...tool, effect })) : t;
    return add(marked, { kind: "question", key, question });
  });
  return { ...asked, open };
}

function answer(c: Conversation, data: { decisionId: string; verdict: string; by?: string; note?: string }): Conversation {
  const isIt = (p: Part) => p.kind === "question" && p.question.decisionId === data.decisionId;
  return mapTurn(c, (t) => t.parts.some(isIt), (t) => ({
    ...t, parts: t.parts.map((p) => (isIt(p) ? { ...(p as Asked), answer: pick(data, "verdict", "by", "note") } : p)),
  }));
}

function exit(c: Conversation, data: Extract<LogEvent, { type: "process:exit" }>["data"]): Conversation {
  if (c.running === "" && c.turns.at(-1)?.state !== "running") return c;
  const ended = current(c, (t, key) => {
    const state = outcome(data.exitCode, t.stopReason);
    const parts = t.parts.map((p) => (p.kind === "tool" && p.state === "running" ? { ...p, state: "failed" as const } : p));
    const told = !data.error || state === "interrupted" || parts.some((p) => p.kind === "error");
    if (!told) parts.push({ kind: "error", key, errorType: data.errorType ?? "UNKNOWN", message: data.error ?? "" });
    return { ...t, state, parts, ...(data.calls ? { calls: data.calls } : {}) };
  });
  return { ...ended, running: "", open: [] };
}

function outcome(code: number, stopReason: string | undefined): TurnState {
  if (code === 0) return stopReason && stopReason !== "end_turn" ? "cut" : "done";
  return code === 124 ? "timeout" : code === 130 ? "interrupted" : "failed";
}

/** Shows where events are missing: in the turn that runs, or between turns. */
function gap(c: Conversation, reason: string, seq: number): Conversation {
  if (c.turns.length === 0 && reason === "reset") return { ...c, seq };
  const part: Part = { kind: "gap", key: `g${c.made}`, reason };
  const last = c.turns.at(-1);
  const turns = last?.state === "running"
    ? c.turns.with(-1, add(last, part))
    : [...c.turns, { id: "", key: `t${c.made}`, state: "done" as const, parts: [part], changedFiles: [] }];
  return { ...c, turns, seq, made: c.made + 1 };
}

function mapTurn(c: Conversation, which: (t: Turn) => boolean, change: (t: Turn) => Turn): Conversation {
  const i = c.turns.findIndex(which);
  return i < 0 ? c : { ...c, turns: c.turns.with(i, change(c.turns[i]!)) };
}

/** The named members of an object that are there. */
function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  const picked: Partial<T> = {};
  for (const name of names) if (from[name] !== undefined) picked[name] = from[name];
  return picked as Pick<T, K>;
}
