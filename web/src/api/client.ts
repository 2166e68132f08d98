// The calls of the HTTP contract, one function each.
import { get, isFailure, jsonBody, post, request, withQuery } from "./http";
import type { components } from "./schema";
import type { Check, ClosedDecision, DecisionBody, Inspection, KeptChange, Manifest, QueuedInput, SessionRecord, SessionRow, Setting, SteerBody, TreeNode, TurnBody, Uploaded } from "./types";

type Answers = components["schemas"];

export function sessionPath(id: string, part = ""): string {
  return `/api/harness/session/${encodeURIComponent(id)}${part}`;
}

export const exchange = (code: string) => post<unknown>("/api/auth/exchange", { code });

/** The browsers that have the operator's authority. */
export const devices = (signal?: AbortSignal) => get<Answers["deviceList"]>("/api/auth/devices", signal).then((a) => a.devices ?? []);

export const removeDevice = (id: string) => request(`/api/auth/device/${encodeURIComponent(id)}`, { method: "DELETE" });

export const logout = () => post<unknown>("/api/auth/logout", {});

/** The known projects, the last used first. */
export const projects = (signal?: AbortSignal) =>
  get<Answers["allProjectsAnswer"]>("/api/projects", signal).then((a) => a.projects ?? []);

/** How many sessions the page asks for at once. */
const sessionLimit = 100;

export interface SessionList { sessions: SessionRow[]; total: number; next?: string }

/**
 * The sessions of a project, or of all for "", the last used first. A server that has no
 * overview of all sessions is asked for those of the project.
 */
export async function listSessions(
  projectRoot: string, query: string, signal?: AbortSignal, { state = "", cursor = "", limit = sessionLimit } = {},
): Promise<SessionList> {
  try {
    const path = withQuery("/api/harness/sessions", { projectRoot, query, state, cursor, limit });
    const page = await get<Answers["overview.Page"]>(path, signal);
    return { sessions: page.sessions ?? [], total: page.total, ...(page.nextCursor ? { next: page.nextCursor } : {}) };
  } catch (err) {
    if (!isFailure(err, "NOT_FOUND") || projectRoot === "" || state !== "") throw err;
  }
  const path = withQuery("/api/harness/session/list", { projectRoot, limit: sessionLimit, order: "used" });
  const { sessions } = await get<Answers["listAnswer"]>(path, signal);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = (sessions ?? []).map(rowOf).filter((s) => words.every((w) => `${s.title} ${s.sessionId} ${s.persona}`.toLowerCase().includes(w)));
  return { sessions: rows, total: rows.length };
}

const rowOf = (s: SessionRecord): SessionRow => ({
  ...s, title: s.title ?? "", projectId: "", projectName: s.projectRoot.split("/").at(-1) ?? "", state: s.damaged ? "damaged" : "idle",
  openQuestions: 0, turns: 0,
});

export const getSession = (id: string, signal?: AbortSignal) =>
  get<Answers["sessionAnswer"]>(sessionPath(id), signal).then((a) => a.session);

export const createSession = (projectRoot: string, persona: string, mode: string) =>
  post<Answers["sessionAnswer"]>("/api/harness/session/create", { projectRoot, persona, mode }).then((a) => a.session);

export const forkSession = (sessionId: string, turnId: string) =>
  post<Answers["sessionAnswer"]>("/api/harness/session/fork", { sessionId, turnId }).then((a) => a.session);

/** Gives a session a title; "" goes back to its first words. */
export async function renameSession(id: string, title: string): Promise<SessionRecord> {
  const res = await request(sessionPath(id), { ...jsonBody({ title }), method: "PATCH" });
  return ((await res.json()) as Answers["sessionAnswer"]).session;
}

export const deleteSession = (id: string) => request(sessionPath(id), { method: "DELETE" });

export const exportPath = (id: string) => sessionPath(id, "/export");

export async function importSession(projectRoot: string, archive: File): Promise<SessionRecord> {
  const form = new FormData();
  form.append("file", archive, archive.name);
  const res = await request(withQuery("/api/harness/session/import", { projectRoot }), { method: "POST", body: form });
  return ((await res.json()) as Answers["importedAnswer"]).session;
}

/** What people said into the running turn and it has not taken yet. */
export const queue = (id: string, signal?: AbortSignal): Promise<QueuedInput[]> =>
  get<Answers["queueAnswer"]>(sessionPath(id, "/queue"), signal).then((a) => a.inputs ?? []);

export const dropInput = (id: string, input: string) => request(sessionPath(id, `/queue/${encodeURIComponent(input)}`), { method: "DELETE" });

export const transcript = (id: string, signal?: AbortSignal) =>
  get<Answers["transcriptAnswer"]>(sessionPath(id, "/transcript"), signal).then((a) => a.entries ?? []);

export const turnChanges = (id: string, turn: string, signal?: AbortSignal) =>
  get<Answers["changesAnswer"]>(withQuery(sessionPath(id, "/changes"), { turn }), signal).then((a) => a.turns ?? []);

export const undoTurn = (sessionId: string, turnId: string, runsByItself: boolean) =>
  post<Answers["undoAnswer"]>("/api/harness/undo", { sessionId, turnId, ...(runsByItself ? { runsByItself } : {}) })
    .then((a) => a.undo);

export const personas = (signal?: AbortSignal) =>
  get<Answers["personasAnswer"]>("/api/harness/personas", signal).then((a) => a.personas ?? []);

/** The models that the server knows of its provider. */
export const models = (signal?: AbortSignal) => get<Answers["ModelList"]>("/api/harness/models", signal).then((a) => a.models ?? []);

/** Personas and the tools that turns can have. */
export const tools = (signal?: AbortSignal) => get<Answers["personasAnswer"]>("/api/harness/personas", signal).then((a) => a.tools ?? []);

/** Every open question: of tool calls, and of the wait tasks of runs. */
export const openQuestions = (signal?: AbortSignal) =>
  get<Answers["decisionsAnswer"]>("/api/harness/decisions", signal)
    .then((a) => ({ decisions: a.decisions ?? [], waits: a.waits ?? [] }));

export const question = (id: string, signal?: AbortSignal) =>
  get<Answers["questionAnswer"]>(`/api/harness/decision/${encodeURIComponent(id)}`, signal);

export const closedQuestions = (signal?: AbortSignal): Promise<ClosedDecision[]> =>
  get<Answers["closedDecisionsAnswer"]>(withQuery("/api/harness/decisions/closed", { limit: 200 }), signal).then((a) => a.decisions ?? []);

/** What commands of a project changed that is neither applied nor discarded. */
export const keptChanges = (projectRoot: string, signal?: AbortSignal): Promise<KeptChange[]> =>
  get<Answers["keptAnswer"]>(withQuery("/api/project/changes", { projectRoot }), signal).then((a) => a.changes ?? []);

/** One kept change with its diff. */
export const keptChange = (projectRoot: string, id: string, signal?: AbortSignal): Promise<KeptChange> =>
  get<Answers["keptChangeAnswer"]>(withQuery("/api/project/change", { projectRoot, id }), signal).then((a) => a.change);

export const applyKept = (body: Answers["keepBody"]) => post<Answers["settledAnswer"]>("/api/project/change/keep", body).then((a) => a.change);
export const dropKept = (body: Answers["dropBody"]) => post<Answers["settledAnswer"]>("/api/project/change/drop", body).then((a) => a.change);

export const decide = (body: DecisionBody) =>
  post<Answers["decisionAnswer"]>("/api/harness/decision", body).then((a) => a.decision);

/**
 * Starts a turn and returns its id. The answer's own stream is let go: the page
 * reads the session's log, and the turn goes on without this connection. The same
 * key and body start a turn once, however often they are sent.
 */
export async function startTurn(body: TurnBody, key: string): Promise<string> {
  const res = await request("/api/harness/turn", jsonBody(body, { "Idempotency-Key": key }));
  const turn = res.headers.get("Belay-Turn") ?? "";
  res.body?.cancel().catch(() => undefined);
  return turn;
}

export async function steer(body: SteerBody, key: string): Promise<void> {
  await request("/api/harness/steer", jsonBody(body, { "Idempotency-Key": key }));
}

export const interrupt = (sessionId: string, turnId: string) =>
  post<unknown>("/api/harness/interrupt", { sessionId, ...(turnId ? { turnId } : {}) });

/** What a turn would make of files that are on the server. */
export const inspect = (about: { sessionId?: string; projectRoot?: string; model?: string }, attachments: string[]): Promise<Inspection[]> =>
  post<Answers["inspectionsAnswer"]>("/api/harness/attachments/inspect", { ...about, attachments }).then((a) => a.attachments ?? []);

export const projectFile = (projectRoot: string, path: string) => withQuery("/api/project/file", { projectRoot, path });

/** A folder of a project with what is directly in it. */
export const folder = (projectRoot: string, path: string, signal?: AbortSignal): Promise<TreeNode> =>
  get<Answers["treeAnswer"]>(withQuery("/api/working-root/tree", { projectRoot, path, depth: 1, limit: 500 }), signal).then((a) => a.root);

/** Stores a file on the server. The answer's path is what a turn takes. */
export async function upload(about: { sessionId?: string; projectRoot?: string }, file: File, signal: AbortSignal): Promise<Uploaded> {
  const form = new FormData();
  form.append("file", file, file.name);
  const res = await request(withQuery("/api/harness/attachments", about), { method: "POST", body: form, signal });
  return res.json() as Promise<Uploaded>;
}

export const blobPath = (sha256: string, sessionId: string) =>
  withQuery(`/api/harness/blob/${encodeURIComponent(sha256)}`, { sessionId });

export const manifest = (sessionId: string, turn: string, signal?: AbortSignal): Promise<Manifest> =>
  get<Answers["manifestAnswer"]>(withQuery(sessionPath(sessionId, "/manifest"), { turn }), signal).then((a) => a.manifest);

/** The runs of a project, the newest first. */
export const runs = (projectRoot: string, signal?: AbortSignal) =>
  get<Answers["runsAnswer"]>(withQuery("/api/workflow/runs", { projectRoot, limit: 20 }), signal).then((a) => a.runs ?? []);

export const cancelRun = (projectRoot: string, id: string) => post<unknown>(`/api/workflow/runs/${encodeURIComponent(id)}/cancel`, { projectRoot });

export const usage = (since: string, signal?: AbortSignal) =>
  get<Answers["usageAnswer"]>(withQuery("/api/usage", { since }), signal).then((a) => a.usage ?? []);

export const info = (signal?: AbortSignal) => get<Answers["SystemInfo"]>("/api/system/info", signal);

export const doctor = (signal?: AbortSignal) => get<Check[]>("/api/system/doctor", signal);
export const settings = (signal?: AbortSignal) => get<Setting[]>("/api/system/config", signal);
