// Snapshots, the audit log, and how a project is coordinated.
import { get, jsonBody, post, request, withQuery } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Snapshot = Schemas["snapshot.Published"];
export type SnapshotState = Schemas["snapshotAnswer"];
export type Comparison = Schemas["comparisonAnswer"];
export type AuditPage = Schemas["auditAnswer"];
export type AuditEntry = Schemas["permit.Recorded"];
export type AuditVerdict = Schemas["AuditVerdict"];

export const snapshots = (projectRoot: string, signal?: AbortSignal): Promise<Schemas["snapshotsAnswer"]> =>
  get(withQuery("/api/project/snapshots", { projectRoot }), signal);

export const verifySnapshot = (projectRoot: string, path: string, signal?: AbortSignal): Promise<SnapshotState> =>
  get(withQuery("/api/project/snapshot", { projectRoot, path }), signal);

export const compareSnapshot = (projectRoot: string, path: string, against: string, signal?: AbortSignal): Promise<Comparison> =>
  get(withQuery("/api/project/snapshot/compare", { projectRoot, path, against }), signal);

export const publishSnapshot = (body: Schemas["publishBody"]) => post<Schemas["snapshot.Snapshot"]>("/api/project/snapshots", body);

export interface AuditFilter { kind: string; actor: string; since: string }

export const audit = (projectRoot: string, f: AuditFilter, cursor: string, signal?: AbortSignal): Promise<AuditPage> =>
  get(withQuery("/api/project/audit", { projectRoot, ...f, cursor, limit: 100 }), signal);

export const verifyAudit = (signal?: AbortSignal) => get<AuditVerdict>("/api/audit/verify", signal);

/** The record and its entity tag, "" where there is no file. */
export interface Coordination { record: Schemas["coordinationAnswer"]; tag: string }

export async function coordination(projectRoot: string, signal?: AbortSignal): Promise<Coordination> {
  const res = await request(withQuery("/api/project/coordination", { projectRoot }), signal ? { signal } : {});
  return { record: await res.json() as Schemas["coordinationAnswer"], tag: res.headers.get("ETag") ?? "" };
}

export async function setCoordination(projectRoot: string, mode: string, tag: string): Promise<void> {
  await request("/api/project/coordination", { ...jsonBody({ projectRoot, mode }, tag ? { "If-Match": tag } : { "If-None-Match": "*" }), method: "PUT" });
}
