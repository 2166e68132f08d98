// Names for the parts of the HTTP contract that the page uses. schema.ts is made
// from the server's OpenAPI document (npm run types).
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Effect = Schemas["permit.Effect"];
export type OpenDecision = Schemas["openDecision"];
export type Decision = Schemas["permit.Decision"];
export type Wait = Schemas["run.Waiting"];
export type DecisionBody = Schemas["decisionBody"];
export type SessionRecord = Schemas["session.Record"];
export type TranscriptEntry = Schemas["session.Entry"];
export type ChangeSet = Schemas["changes.ChangeSet"];
export type FileChange = Schemas["changes.FileChange"];
export type UndoResult = Schemas["changes.UndoResult"];
export type TurnBody = Schemas["turnBody"];
export type SteerBody = Schemas["steerBody"];
export type TurnOpts = Schemas["turn.Opts"];
export type Persona = Schemas["persona.Summary"];
export type SessionRow = Schemas["overview.Session"];
export type Project = Schemas["overview.Project"];
export type Uploaded = Schemas["turn.Uploaded"];
export type ClosedDecision = Schemas["closedDecision"];
export type KeptChange = Schemas["changes.KeptChange"];
export type QueuedInput = Schemas["queuedInput"];
export type Inspection = Schemas["turn.Inspection"];
export type Manifest = Schemas["session.Manifest"];
export type Delivered = Schemas["session.Delivered"];
export type TreeNode = Schemas["view.Node"];
export type RunSummary = Schemas["run.Summary"];
export type Tokens = Schemas["event.Tokens"];

/** One check of GET /api/system/doctor. */
export interface Check { name: string; level: "ok" | "notice" | "warning" | "problem" | string; detail: string; next?: string }

/** One row of GET /api/system/config. */
export interface Setting { key: string; value?: unknown; origin?: string; default?: string; doc?: string }
