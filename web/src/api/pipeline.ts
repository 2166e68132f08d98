// The calls that start agents on a project's work.
import { get, jsonBody, post, request, withQuery } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Choices = Schemas["pipeline.Choices"];
export type Category = Schemas["pipeline.Category"];
export type WorkType = Schemas["pipeline.Type"];
export type Preview = Schemas["pipeline.Preview"];
export type Started = Schemas["pipeline.Started"];
export type Batch = Schemas["pipeline.Batch"];
export type BatchSessions = Schemas["batchAnswer"];
export type Listing = Schemas["scan.Listing"];
export type Deliverable = Schemas["scan.ListedDeliverable"];
export type StartBody = Schemas["pipelineBody"];

export const options = (projectRoot: string, signal?: AbortSignal) => get<Choices>(withQuery("/api/pipeline/options", { projectRoot }), signal);

export const listing = (projectRoot: string, signal?: AbortSignal) => get<Listing>(withQuery("/api/project/deliverables", { projectRoot }), signal);

/** What a start would send and may cost. It makes nothing. */
export const preview = (body: StartBody) => post<Schemas["pipelineAnswer"]>("/api/pipeline/start", { ...body, dryRun: true }).then((a) => a.preview!);

/** Starts the work. The same key and body start once, however often they are sent. */
export async function start(body: StartBody, key: string): Promise<Started> {
  const res = await request("/api/pipeline/start", jsonBody(body, { "Idempotency-Key": key }));
  return ((await res.json()) as Schemas["pipelineAnswer"]).started!;
}

export const batches = (projectRoot: string, signal?: AbortSignal) =>
  get<Schemas["batchesAnswer"]>(withQuery("/api/pipeline/batches", { projectRoot }), signal).then((a) => a.batches ?? []);

export const batch = (projectRoot: string, id: string, signal?: AbortSignal) => get<BatchSessions>(withQuery("/api/pipeline/batch", { projectRoot, batch: id }), signal);

export const continueBatch = (projectRoot: string, id: string) => post<BatchSessions>("/api/pipeline/batch/continue", { projectRoot, batch: id });
export const stopBatch = (projectRoot: string, id: string) => post<BatchSessions>("/api/pipeline/batch/stop", { projectRoot, batch: id });
