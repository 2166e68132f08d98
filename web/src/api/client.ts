// The calls of the HTTP contract, one function each.
import { get, isFailure, jsonBody, post, request, withQuery } from "./http";
import type { components } from "./schema";
import type { Check, DecisionBody, SessionRecord, SessionRow, Setting, TurnBody, Uploaded } from "./types";

type Answers = components["schemas"];

export function sessionPath(id: string, part = ""): string {
  return `/api/harness/session/${encodeURIComponent(id)}${part}`;
}

export const exchange = (code: string) => post<unknown>("/api/auth/exchange", { code });

/** The known projects, the last used first. */
export const projects = (signal?: AbortSignal) =>
  get<Answers["allProjectsAnswer"]>("/api/projects", signal).then((a) => a.projects ?? []);

/** How many sessions the page lists at once. */
const sessionLimit = 100;

export interface SessionList { sessions: SessionRow[]; total: number }

/**
 * The sessions of a project, or of all for "", the last used first. A server that has no
 * overview of all sessions is asked for those of the project.
 */
export async function listSessions(projectRoot: string, query: string, signal?: AbortSignal): Promise<SessionList> {
  try {
    const path = withQuery("/api/harness/sessions", { projectRoot, query, limit: sessionLimit });
    const page = await get<Answers["overview.Page"]>(path, signal);
    return { sessions: page.sessions ?? [], total: page.total };
  } catch (err) {
    if (!isFailure(err, "NOT_FOUND") || projectRoot === "") throw err;
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

/** Every open question: of tool calls, and of the wait tasks of runs. */
export const openQuestions = (signal?: AbortSignal) =>
  get<Answers["decisionsAnswer"]>("/api/harness/decisions", signal)
    .then((a) => ({ decisions: a.decisions ?? [], waits: a.waits ?? [] }));

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
