// The events of a session's log, as docs/events.md describes them. The reducer
// ignores types and fields that it does not know.
import type { components } from "../api/schema";
import type { Effect } from "../api/types";

type Schemas = components["schemas"];

export interface Warning { code: string; message: string; paths?: string[] }

export interface Question {
  decisionId: string; toolCallId: string; name: string; input: unknown; reason: string;
  expiresAt?: string; effect?: Effect; session?: boolean; persona?: string;
}

interface Data {
  "session:init": { model: string; answeredBy?: string; turnId: string; warnings?: Warning[] | null };
  "chat:delta": { text: string };
  "chat:thinking": { text: string };
  "chat:complete": { text: string };
  "tool:call": { toolCallId: string; name: string; input: unknown; parentToolCallId?: string };
  "tool:result": Schemas["event.ToolOutcome"];
  "tool:output": { toolCallId: string; offset: number; text: string; tail?: boolean; parentToolCallId?: string };
  "permission:request": Question;
  "permission:resolved": { decisionId: string; verdict: string; by?: string; note?: string };
  "attachment:input": Schemas["event.Attachment"];
  "attachment:add": Schemas["event.SentFile"];
  "subagent:start": Schemas["event.Subagent"];
  "subagent:complete": Schemas["event.Subagent"];
  "turn:input": { message: string; mode: string; attachments?: number };
  usage: { totals?: Schemas["event.Tokens"] } & Schemas["event.Tokens"];
  "turn:warning": Warning;
  "turn:error": { errorType: string; message: string; details?: Record<string, unknown> };
  "session:complete": { stopReason?: string };
  "process:exit": {
    exitCode: number; error?: string; errorType?: string; errorDetails?: Record<string, unknown>;
    calls?: { refused?: number; expired?: number; leftOut?: number };
  };
  "changes:undone": { turnId: string; paths: string[]; by?: string };
  "log:gap": { reason: string; next: number };
}

export type EventType = keyof Data;

/** One event. seq is its place in the log, or 0 if it is in no log. The turn is known of some of those. */
export type LogEvent = { [T in EventType]: { seq: number; type: T; data: Data[T]; turn?: string } }[EventType];
