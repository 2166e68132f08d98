// The calls about workflow files and their runs.
import { get, jsonBody, post, request, withQuery } from "./http";
import type { components } from "./schema";
import { readStream } from "./stream";

type Schemas = components["schemas"];
export type WorkflowFile = Schemas["catalog.File"];
export type Checked = Schemas["catalog.Checked"];
export type Plan = Schemas["run.Plan"];
export type PlannedTask = Schemas["run.PlannedTask"];
export type RunRecord = Schemas["run.Record"];
export type RunTask = Schemas["run.Task"];
export type RunFailure = Schemas["run.Failure"];
export type Kept = Schemas["run.Kept"];
export type Started = NonNullable<Schemas["startAnswer"]["run"]>;
export type RunBody = Schemas["startBody"];
export type Attachment = Schemas["gather.Report"];
export type Waiting = Schemas["run.Waiting"];

export const workflows = (projectRoot: string, signal?: AbortSignal) => get<Schemas["workflowsAnswer"]>(withQuery("/api/workflow/list", { projectRoot }), signal);

/** Every problem of a workflow file with its place. Nothing runs. */
export const check = (projectRoot: string, path: string) => post<Checked>("/api/workflow/check", { projectRoot, path });

export const plan = (body: RunBody) => post<Schemas["startAnswer"]>("/api/workflow/run", { ...body, dryRun: true }).then((a) => a.plan!);

/** Starts a run. The same key and body start once, however often they are sent. */
export async function run(body: RunBody, key: string): Promise<Started> {
  const res = await request("/api/workflow/run", jsonBody(body, { "Idempotency-Key": key }));
  return ((await res.json()) as Schemas["startAnswer"]).run!;
}

/** Takes a run up again, with a corrected file where one is named. */
export const resume = (body: RunBody) => post<Schemas["startAnswer"]>("/api/workflow/run", body).then((a) => a.run!);

/** Which finished tasks of a run stay with a corrected file. Nothing is started. */
export const corrected = (projectRoot: string, resume: string, path: string) =>
  post<Schemas["startAnswer"]>("/api/workflow/run", { projectRoot, resume, path, dryRun: true }).then((a) => a.kept ?? []);

export const record = (projectRoot: string, id: string, signal?: AbortSignal) =>
  get<Schemas["recordAnswer"]>(withQuery(`/api/workflow/runs/${encodeURIComponent(id)}`, { projectRoot }), signal).then((a) => a.run);

/** What a run was given and what came out of it, whole. */
export const values = (projectRoot: string, id: string, signal?: AbortSignal) =>
  get<Schemas["valuesAnswer"]>(withQuery(`/api/workflow/runs/${encodeURIComponent(id)}/values`, { projectRoot }), signal);

/** One task of a run, whole. */
export const task = (projectRoot: string, id: string, key: string, signal?: AbortSignal) =>
  get<Schemas["taskAnswer"]>(withQuery(`/api/workflow/runs/${encodeURIComponent(id)}/task`, { projectRoot, key }), signal).then((a) => a.task);

export const answer = (projectRoot: string, id: string, question: { task: string; decisionId: string }, verdict: "continue" | "refuse", note: string) =>
  post<unknown>(`/api/workflow/runs/${encodeURIComponent(id)}/answer`, { projectRoot, ...question, answer: verdict, ...(note.trim() ? { note: note.trim() } : {}) });

/** Calls back for each batch of a run's events until the stream ends. */
export const follow = (projectRoot: string, id: string, signal: AbortSignal, onEvents: () => void) =>
  readStream(withQuery(`/api/workflow/runs/${encodeURIComponent(id)}/events`, { projectRoot }), "", signal, 45_000, onEvents, onEvents);
