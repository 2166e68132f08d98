// One way to ask the server, and one kind of failure.

/** A refusal of the server, or of the way to it. status is 0 if no answer came. */
export class Failure extends Error {
  readonly status: number;
  readonly type: string;
  readonly hint: string;
  readonly details: Record<string, unknown>;
  /** How long the answer asks to wait before the next try, in milliseconds; 0 where it does not say. */
  retryAfter = 0;

  constructor(status: number, type: string, message: string, hint = "", details: Record<string, unknown> = {}) {
    super(message);
    this.name = "Failure";
    this.status = status;
    this.type = type;
    this.hint = hint;
    this.details = details;
  }
}

/** Reports whether err is a failure of this type. */
export function isFailure(err: unknown, type?: string): err is Failure {
  return err instanceof Failure && (type === undefined || err.type === type);
}

/** Reports whether the server itself has refused, so that what was asked for was not done. */
export const isRefusal = (err: unknown): boolean => isFailure(err) && err.status >= 400 && err.status < 500 && err.type !== "UNKNOWN";

/** Reports whether err is a refusal that the next try gets as well: a proxy or a busy server refuses some for a moment only. */
export const isLasting = (err: unknown): err is Failure => isFailure(err) && err.status >= 400 && err.status < 500 && ![408, 425, 429].includes(err.status);

/** Reports whether err says that a project is not there, or cannot be read, until somebody does something about it. */
export const isProjectGone = (err: unknown): boolean =>
  isFailure(err) && ["NOT_FOUND", "WORKING_ROOT_INACCESSIBLE", "INVALID_PROJECT_ROOT"].includes(err.type);

/** The folder of a query, without the parameters that are undefined or empty. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** Sends a request. It returns the response if that is a success, and throws a Failure if not. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let res: Response;
  try {
    res = await fetch(path, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (err) {
    if (err instanceof DOMException && err.name === "AbortError") throw err;
    throw new Failure(0, "UNREACHABLE", "The request did not get through.", "", { action: (init.method ?? "GET") !== "GET" });
  }
  if (res.ok) return res;
  const failure = await failureOf(res);
  failure.retryAfter = waitOf(res);
  throw failure;
}

/** The longest wait that an answer is believed, in milliseconds. */
const longestWait = 60_000;

/** What Retry-After says: seconds, or a date. */
function waitOf(res: Response): number {
  const text = res.headers.get("Retry-After")?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? Math.min(ms, longestWait) : 0;
}

async function failureOf(res: Response): Promise<Failure> {
  const body: unknown = await res.json().catch(() => null);
  const error = (body as { error?: { type?: unknown; message?: unknown; hint?: unknown; details?: unknown } } | null)?.error;
  if (typeof error?.type !== "string" || typeof error.message !== "string") {
    return new Failure(res.status, "UNKNOWN", `The server answered ${res.status} ${res.statusText}.`);
  }
  const hint = typeof error.hint === "string" ? error.hint : "";
  const details = typeof error.details === "object" && error.details !== null ? error.details : {};
  return new Failure(res.status, error.type, error.message, hint, details as Record<string, unknown>);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const res = await request(path, signal ? { signal } : {});
  return res.json() as Promise<T>;
}

export function jsonBody(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const res = await request(path, jsonBody(body));
  return res.json() as Promise<T>;
}
