// The files of a project: folders, parts of files, and search.
import { Failure, get, request, withQuery } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type TreeNode = Schemas["view.Node"];
export type SearchAnswer = Schemas["searchAnswer"];
export type FoundFile = Schemas["foundFile"];

/** Entries of one folder that a request asks for, the most that the server lists. */
export const pageOfFolder = 1000;

/** The entries of a folder of a project, and those of its folders down to a depth. */
export const tree = (projectRoot: string, path: string, depth: number, offset: number, signal?: AbortSignal): Promise<TreeNode> =>
  get<{ root: TreeNode }>(withQuery("/api/working-root/tree", { projectRoot, path, depth, offset: offset || undefined, limit: pageOfFolder }), signal).then((a) => a.root);

export const filePath = (projectRoot: string, path: string) => withQuery("/api/project/file", { projectRoot, path });

/** The address of a whole file, whatever its size. */
export const downloadPath = (projectRoot: string, path: string) => withQuery("/api/project/file", { projectRoot, path, download: "true" });

/** What a file is now. The tag names its content. */
export interface FileHead { size: number; type: string; tag: string }

export async function head(projectRoot: string, path: string, signal?: AbortSignal): Promise<FileHead> {
  let res: Response;
  try {
    res = await request(filePath(projectRoot, path), { method: "HEAD", ...(signal ? { signal } : {}) });
  } catch (err) {
    // An answer to HEAD has no body that would say more.
    if (err instanceof Failure && err.status === 404) throw new Failure(404, "NOT_FOUND", `There is no file ${path} any more.`, "Choose another file.");
    if (err instanceof Failure && err.status > 0) throw new Failure(err.status, "WORKSPACE_FILE_READ_FAILED", `${path} cannot be read.`);
    throw err;
  }
  const type = (res.headers.get("Content-Type") ?? "").split(";")[0]!.trim();
  return { size: Number(res.headers.get("Belay-Size") ?? 0), type, tag: res.headers.get("ETag") ?? "" };
}

/** A part of a file came of another content than that which is shown. */
export class Changed extends Error {}

/** Reads the bytes from ≤ i < to of the content that a tag names. */
export async function part(projectRoot: string, path: string, from: number, to: number, tag: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const res = await request(filePath(projectRoot, path), { headers: { Range: `bytes=${from}-${to - 1}`, "If-Range": tag }, ...(signal ? { signal } : {}) });
  if (res.status !== 206) {
    await res.body?.cancel();
    throw new Changed();
  }
  return new Uint8Array(await res.arrayBuffer());
}

export async function whole(projectRoot: string, path: string, signal?: AbortSignal): Promise<Blob> {
  return (await request(downloadPath(projectRoot, path), signal ? { signal } : {})).blob();
}

export interface Search { query: string; in: "name" | "content"; regexp: boolean }

export const search = (projectRoot: string, s: Search, signal?: AbortSignal): Promise<SearchAnswer> =>
  get(withQuery("/api/project/search", { projectRoot, query: s.query, in: s.in, regexp: s.regexp ? "true" : undefined, limit: 500 }), signal);
