// The calls about one deliverable.
import { Failure, get, isFailure, jsonBody, post, request, withQuery } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type DeliverableView = Schemas["deliverableAnswer"];
export type TransitionChoice = Schemas["transitionChoice"];
export type Commits = Schemas["commitsAnswer"];
export type Commit = Schemas["commitRow"];
export type Finding = Schemas["finding.Finding"];
export type PlacedFinding = Schemas["placedFinding"];
export type DocumentFile = Schemas["view.Document"];
export type Proposal = Schemas["proposal.Shown"];
export type Row = Readonly<Record<string, string>>;

export const deliverable = (projectRoot: string, key: string, signal?: AbortSignal): Promise<DeliverableView> =>
  get(withQuery("/api/project/deliverable", { projectRoot, key }), signal);

export const commits = (projectRoot: string, path: string, signal?: AbortSignal): Promise<Commits> =>
  get(withQuery("/api/project/commits", { projectRoot, path, limit: 30 }), signal);

export interface TransitionRequest { projectRoot: string; deliverablePath: string; targetState: string; actor: string; approvalSha?: string; note?: string }

/** Makes a transition, unless the status is no longer the one of the tag. */
export async function transition(body: TransitionRequest, etag: string): Promise<Schemas["statusfile.View"]> {
  const res = await request("/api/working-root/deliverable/status/transition", jsonBody(body, etag ? { "If-Match": etag } : {}));
  return res.json() as Promise<Schemas["statusfile.View"]>;
}

/** A register with the tag that a change of it sends. */
export interface Register { headers: string[]; rows: Row[]; findings: Finding[]; numbers: number[]; tag: string; exists: boolean;
  /** Why _DEPENDENCIES.md was not brought in line. Only the answer to a change says it. */
  summaryProblem: string;
}

const registerPath = "/api/working-root/deliverable/dependencies";

function registerOf(a: Schemas["dependenciesAnswer"], tag: string): Register {
  return {
    headers: a.headers ?? [], rows: a.rows ?? [], findings: a.findings ?? [], tag, summaryProblem: a.summaryProblem ?? "", exists: true,
    numbers: a.numbers ?? (a.rows ?? []).map((_, i) => i + 2),
  };
}

/** A deliverable's register; one that is not there is empty. */
export async function register(projectRoot: string, deliverablePath: string, signal?: AbortSignal): Promise<Register> {
  try {
    const res = await request(withQuery(registerPath, { projectRoot, deliverablePath }), signal ? { signal } : {});
    return registerOf(await res.json() as Schemas["dependenciesAnswer"], res.headers.get("ETag") ?? "");
  } catch (err) {
    if (!isFailure(err, "DEPENDENCY_REGISTER_NOT_FOUND")) throw err;
    return { headers: [], rows: [], findings: [], numbers: [], tag: "", summaryProblem: "", exists: false };
  }
}

/** Writes every row of a register, unless it is no longer the one of the tag. */
export async function putRegister(projectRoot: string, deliverablePath: string, rows: readonly Row[], tag: string): Promise<Register> {
  const res = await request(registerPath, {
    ...jsonBody({ projectRoot, deliverablePath, rows }, tag ? { "If-Match": tag } : { "If-None-Match": "*" }), method: "PUT",
  });
  return registerOf(await res.json() as Schemas["dependenciesAnswer"], res.headers.get("ETag") ?? "");
}

/**
 * Takes rows of a proposal over, unless the register is no longer the one that the diff was made
 * with. It returns why _DEPENDENCIES.md was not brought in line, "" where it was.
 */
export async function applyProposal(p: Proposal, projectRoot: string, only: readonly string[] | undefined, retire: boolean): Promise<string> {
  const match: Record<string, string> = p.registerTag ? { "If-Match": `"${p.registerTag}"` } : { "If-None-Match": "*" };
  const res = await request(`/api/project/proposals/${encodeURIComponent(p.id)}/apply`, jsonBody({ projectRoot, ...(only ? { only } : {}), retire }, match));
  return (await res.json() as Schemas["applyAnswer"]).register.summaryProblem ?? "";
}

export const dismissProposal = (id: string, projectRoot: string) =>
  post<unknown>(`/api/project/proposals/${encodeURIComponent(id)}/dismiss`, { projectRoot });

/** A file of a project. It is cut where the server shows no more of it. */
export interface ProjectFile { blob: Blob; type: string; size: number; cut: boolean; tag: string;
  /** Set where the server sends any part of the file. */
  parts: boolean;
}

export const filePath = (projectRoot: string, path: string) => withQuery("/api/project/file", { projectRoot, path });

/** The whole file, for a link that downloads it. */
export const downloadPath = (projectRoot: string, path: string) => withQuery("/api/project/file", { projectRoot, path, download: "true" });

/** Bytes of a file from an offset up to another one, of the content with the tag. */
export async function filePart(projectRoot: string, path: string, tag: string, begin: number, end: number): Promise<Uint8Array> {
  const res = await request(filePath(projectRoot, path), { headers: { Range: `bytes=${begin}-${end - 1}`, "If-Range": tag } });
  if (res.status !== 206) {
    res.body?.cancel().catch(() => undefined);
    throw new Failure(412, "CONTENT_CHANGED", "The file changed while it was shown.");
  }
  return new Uint8Array(await res.arrayBuffer());
}

export async function projectFile(projectRoot: string, path: string, signal?: AbortSignal): Promise<ProjectFile> {
  const res = await request(filePath(projectRoot, path), signal ? { signal } : {});
  const blob = await res.blob();
  return {
    blob, type: res.headers.get("Content-Type") ?? "", size: Number(res.headers.get("Belay-Size") ?? blob.size), cut: res.headers.get("Belay-Truncated") === "true",
    tag: res.headers.get("ETag") ?? "", parts: res.headers.get("Accept-Ranges") === "bytes",
  };
}
