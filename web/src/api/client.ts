// The calls of the HTTP contract, one function each.
import { get, jsonBody, post, request, withQuery } from "./http";
import type {
  ChangeSet, Check, Decision, DecisionBody, OpenDecision, Persona, RecentProject, SessionRecord, Setting,
  TranscriptEntry, TurnBody, UndoResult, Uploaded, Wait,
} from "./types";

export function sessionPath(id: string, part = ""): string {
  return `/api/harness/session/${encodeURIComponent(id)}${part}`;
}

export const exchange = (code: string) => post<unknown>("/api/auth/exchange", { code });

export const recentProjects = (signal?: AbortSignal) =>
  get<{ projects: RecentProject[] | null }>("/api/project/recent", signal).then((a) => a.projects ?? []);

export const makeExample = (projectRoot: string) =>
  post<{ projectRoot: string }>("/api/project/example", { projectRoot });

/** The sessions of a project, the last used first. */
export const listSessions = (projectRoot: string, signal?: AbortSignal) =>
  get<{ sessions: SessionRecord[] | null }>(
    withQuery("/api/harness/session/list", { projectRoot, limit: 200, order: "used" }), signal,
  ).then((a) => a.sessions ?? []);

export const getSession = (id: string, signal?: AbortSignal) =>
  get<{ session: SessionRecord }>(sessionPath(id), signal).then((a) => a.session);

export const createSession = (projectRoot: string, persona: string, mode: string) =>
  post<{ session: SessionRecord }>("/api/harness/session/create", { projectRoot, persona, mode }).then((a) => a.session);

export const forkSession = (sessionId: string, turnId: string) =>
  post<{ session: SessionRecord }>("/api/harness/session/fork", { sessionId, turnId }).then((a) => a.session);

export const deleteSession = (id: string) => request(sessionPath(id), { method: "DELETE" });

export const transcript = (id: string, signal?: AbortSignal) =>
  get<{ entries: TranscriptEntry[] | null }>(sessionPath(id, "/transcript"), signal).then((a) => a.entries ?? []);

export const turnChanges = (id: string, turn: string, signal?: AbortSignal) =>
  get<{ changes: ChangeSet[] | null }>(withQuery(sessionPath(id, "/changes"), { turn }), signal)
    .then((a) => a.changes ?? []);

export const undoTurn = (sessionId: string, turnId: string, runsByItself: boolean) =>
  post<{ undo: UndoResult }>("/api/harness/undo", { sessionId, turnId, ...(runsByItself ? { runsByItself } : {}) })
    .then((a) => a.undo);

export const personas = (signal?: AbortSignal) =>
  get<{ personas: Persona[] | null }>("/api/harness/personas", signal).then((a) => a.personas ?? []);

/** Every open question: of tool calls, and of the wait tasks of runs. */
export const openQuestions = (signal?: AbortSignal) =>
  get<{ decisions: OpenDecision[] | null; waits?: Wait[] | null }>("/api/harness/decisions", signal)
    .then((a) => ({ decisions: a.decisions ?? [], waits: a.waits ?? [] }));

export const decide = (body: DecisionBody) =>
  post<{ decision: Decision }>("/api/harness/decision", body).then((a) => a.decision);

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

export const steer = (sessionId: string, message: string, mode: "steer" | "followUp", attachments: string[]) =>
  post<unknown>("/api/harness/steer", { sessionId, message, mode, ...(attachments.length ? { attachments } : {}) });

export const interrupt = (sessionId: string, turnId: string) =>
  post<unknown>("/api/harness/interrupt", { sessionId, ...(turnId ? { turnId } : {}) });

/** Stores a file on the server. The answer's path is what a turn takes. */
export async function upload(sessionId: string, file: File, signal: AbortSignal): Promise<Uploaded> {
  const form = new FormData();
  form.append("file", file, file.name);
  const res = await request(withQuery("/api/harness/attachments", { sessionId }), { method: "POST", body: form, signal });
  return res.json() as Promise<Uploaded>;
}

export const blobPath = (sha256: string, sessionId: string) =>
  withQuery(`/api/harness/blob/${encodeURIComponent(sha256)}`, { sessionId });

export const manifestPath = (sessionId: string, turn: string) => withQuery(sessionPath(sessionId, "/manifest"), { turn });

export const doctor = (signal?: AbortSignal) => get<Check[]>("/api/system/doctor", signal);
export const settings = (signal?: AbortSignal) => get<Setting[]>("/api/system/config", signal);
