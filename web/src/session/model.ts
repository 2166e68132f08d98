// What a conversation looks like, made from its events by the reducer.
import type { Effect, Tokens } from "../api/types";
import type { Question, Warning } from "./event";

export interface SentFile { name: string; bytes?: number; sha256?: string; mimeType?: string }

export interface Tool {
  kind: "tool";
  /** Unique in the turn: a subagent counts its calls anew. */
  key: string;
  id: string;
  name: string;
  input: unknown;
  parent?: string;
  state: "running" | "ok" | "failed";
  output?: string;
  truncated?: boolean;
  /** Output while it runs, and where it ends in all of its output, in bytes. */
  live?: string;
  liveEnd?: number;
  /** Set where output came after the result: a job in the background writes on. */
  goesOn?: boolean;
  durationMs?: number;
  changed?: string[];
  removed?: string[];
  outcome?: string;
  leftOut?: number;
  /** What a question about the call showed. */
  effect?: Effect;
  /** The calls of the subagent that it started. */
  calls: Tool[];
  persona?: string;
}

export interface Asked {
  kind: "question";
  key: string;
  question: Question;
  answer?: { verdict: string; by?: string; note?: string };
}

export type Part =
  | { kind: "text"; key: string; text: string }
  | { kind: "thinking"; key: string; text: string }
  | Tool
  | Asked
  | { kind: "file"; key: string; file: SentFile; direction: "to-people" | "to-model" }
  | { kind: "input"; key: string; message: string; mode: string; attachments: number }
  | { kind: "warning"; key: string; warning: Warning }
  | { kind: "error"; key: string; errorType: string; message: string; details?: Record<string, unknown> }
  | { kind: "gap"; key: string; reason: string };

export type TurnState = "running" | "done" | "cut" | "interrupted" | "timeout" | "failed";

export interface Turn {
  /** "" for a turn whose beginning is not kept. */
  id: string;
  key: string;
  said?: { message: string; files: SentFile[] };
  model?: string;
  answeredBy?: string;
  state: TurnState;
  stopReason?: string;
  parts: Part[];
  usage?: Tokens;
  calls?: { refused?: number; expired?: number; leftOut?: number };
  /** Files whose changes were taken back. */
  undone?: string[];
  changedFiles: string[];
  /** Set where only the transcript is known, not the events. */
  recorded?: boolean;
}

export interface Conversation {
  turns: Turn[];
  /** The turn that runs, "" for none. */
  running: string;
  /** The open questions, by id. */
  open: string[];
  /** The sequence of the last event. */
  seq: number;
  /** Counts parts, for keys. */
  made: number;
  /** What came since the last event of the log and is in no log, so that it counts once. */
  unrecorded?: readonly string[];
}

export const emptyConversation: Conversation = { turns: [], running: "", open: [], seq: 0, made: 0 };
