// The HTTP contract as the page uses it: requests, errors, the event stream.

/** An error answer of the server, or of the way to it. */
export class Failure extends Error {
  constructor(status, type, message, details = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = details;
  }
}

/** Sends a request and returns the response if it is a success. */
async function request(path, options) {
  let res;
  try {
    res = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Failure(0, "UNREACHABLE", "The server does not answer. Is belay serve still running?");
  }
  if (res.ok) return res;
  const body = await res.json().catch(() => null);
  const error = body?.error;
  if (!error) throw new Failure(res.status, "UNKNOWN", `The server answered ${res.status} ${res.statusText}.`);
  throw new Failure(res.status, error.type, error.message, error.details);
}

export async function get(path) {
  return (await request(path)).json();
}

export async function post(path, body) {
  return (await request(path, jsonBody(body))).json();
}

function jsonBody(body) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

export function sessionPath(id, part = "") {
  return `/api/harness/session/${encodeURIComponent(id)}${part}`;
}

/** Stores a file on the server; the answer's path is what a turn takes. */
export async function upload(sessionId, file, signal) {
  const form = new FormData();
  form.append("file", file, file.name);
  const res = await request(`/api/harness/attachments?sessionId=${encodeURIComponent(sessionId)}`,
    { method: "POST", body: form, signal });
  return res.json();
}

/**
 * Starts a turn and returns its id. The answer's own stream is let go: the page
 * reads the session's log, and the turn goes on without this connection.
 */
export async function startTurn(body) {
  const res = await request("/api/harness/turn", jsonBody(body));
  const turn = res.headers.get("Belay-Turn") ?? "";
  res.body?.cancel().catch(() => {});
  return turn;
}

const eventNames = ["session:init", "chat:delta", "chat:thinking", "permission:request", "permission:resolved",
  "tool:result", "attachment:add", "chat:complete", "usage", "turn:warning", "turn:error", "session:complete", "process:exit", "changes:undone", "log:gap"];

/**
 * Follows a session's log from its beginning for as long as the page likes. The
 * browser reconnects by itself and says where it was (Last-Event-ID); where it
 * gives up, this tries again. Returns a function that ends it.
 */
export function follow(sessionId, { onEvent, onState }) {
  let source, timer, last = 0, wait = 500, over = false;
  const open = () => {
    source = new EventSource(sessionPath(sessionId, `/events?after=${last}`));
    source.onopen = () => { wait = 500; onState("live"); };
    source.onerror = () => {
      if (over) return;
      onState("lost");
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, 15000);
    };
    for (const name of eventNames) {
      source.addEventListener(name, (message) => {
        if (/^\d+$/.test(message.lastEventId)) last = Number(message.lastEventId);
        let data;
        try { data = JSON.parse(message.data); } catch { return; }
        onEvent(name, data, last);
      });
    }
  };
  open();
  return () => {
    over = true;
    clearTimeout(timer);
    source.close();
  };
}
