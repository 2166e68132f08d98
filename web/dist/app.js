// The page: a project folder, its sessions, one conversation. It shows what the
// server's log says and sends what a person writes; it decides nothing.
import { Failure, follow, get, post, sessionPath, startTurn } from "./api.js";
import { Composer } from "./composer.js";
import { Log, el } from "./log.js";

const $ = (id) => document.getElementById(id);

const state = { root: "", session: "", stop: null };

const log = new Log($("log"), $("to-end"), {
  onTurn: (id) => setTimeout(() => learn(state.session, id), 400),
  onRunning: (running) => {
    composer.setRunning(running);
    $("interrupt").disabled = !running;
  },
  onEnd: (sentence) => { $("announce").textContent = sentence; },
});

const composer = new Composer({
  form: $("composer"), message: $("message"), pick: $("pick"), attach: $("attach"),
  sendButton: $("send"), list: $("files"), send, onError: complain,
});

/** Says what went wrong, and what to do where the page knows. */
function complain(err) {
  const next = {
    UNAUTHORIZED: "Get a fresh link with “belay open” on the server's machine.",
    TURN_IN_PROGRESS: "Wait for the turn that runs, or interrupt it.",
    MISSING_API_KEY: "Set the provider's key in the server's environment.",
  }[err.type];
  if (!(err instanceof Failure)) console.error(err);
  const lines = [err instanceof Failure ? err.message : `The page failed: ${err}`];
  for (const a of err.details?.attachmentErrors ?? []) lines.push(`${a.path}: ${a.code}: ${a.reason}`);
  if (next) lines.push(next);
  $("notice").textContent = lines.join("\n");
  $("notice").hidden = false;
}

function calm() { $("notice").hidden = true; }

/** Runs what a person asked for, and shows its failure. */
function act(work) {
  return async (...args) => {
    calm();
    try { await work(...args); } catch (err) { complain(err); }
  };
}

async function openRoot(root) {
  const { sessions } = await get(`/api/harness/session/list?projectRoot=${encodeURIComponent(root)}`);
  state.root = root;
  $("root").value = root;
  remember(root);
  $("create").querySelector("button").disabled = false;
  showSessions(sessions);
}

function showSessions(sessions) {
  $("no-sessions").hidden = sessions.length > 0;
  $("no-sessions").textContent = "No session yet. Make one.";
  const items = sessions.toReversed().map((s) => {
    const button = el("button", "", s.persona);
    button.type = "button";
    button.dataset.session = s.sessionId;
    button.setAttribute("aria-current", String(s.sessionId === state.session));
    const when = new Date(s.updatedAt ?? s.createdAt);
    button.append(el("small", "", `${s.mode} · ${when.toLocaleString()}`));
    button.addEventListener("click", act(() => openSession(s.sessionId)));
    const item = el("li");
    item.append(button);
    return item;
  });
  $("sessions").replaceChildren(...items);
}

async function createSession() {
  const { session } = await post("/api/harness/session/create",
    { projectRoot: state.root, persona: $("persona").value, mode: $("mode").value });
  await openSession(session.sessionId);
  await openRoot(state.root);
}

async function openSession(id) {
  const { session } = await get(sessionPath(id));
  state.stop?.();
  state.session = id;
  log.clear(id);
  composer.open(id);
  $("interrupt").disabled = true;
  for (const button of $("sessions").querySelectorAll("button")) {
    button.setAttribute("aria-current", String(button.dataset.session === id));
  }
  if (matchMedia("(max-width: 44rem)").matches) $("side").open = false;
  place();
  if (session.projectRoot !== state.root) await openRoot(session.projectRoot);
  await learn(id, "");
  if (state.session !== id) return;
  state.stop = follow(id, {
    onEvent: (name, data) => log.add(name, data),
    onState: (now) => {
      $("link-state").hidden = false;
      $("link-state").textContent = now === "live" ? "live" : "connection lost, trying again…";
      $("link-state").classList.toggle("warn", now !== "live");
    },
  });
  $("message").focus();
}

/** Learns what was said in the session's turns; the log has only the answers. */
async function learn(sessionId, turn) {
  if (sessionId !== state.session || (turn && log.turns.get(turn)?.known)) return;
  try {
    const { entries } = await get(sessionPath(sessionId, "/transcript"));
    if (sessionId !== state.session) return;
    for (const entry of entries) {
      if (entry.kind === "turn") log.said(entry.turn, entry.message ?? "", entry.attachments ?? [], entry.warning);
    }
  } catch (err) {
    complain(err);
  }
}

async function send(message, files) {
  calm();
  // A person reads along, so a question may wait for as long as it takes.
  const body = { sessionId: state.session, message, opts: { onQuestion: "wait" } };
  if (files.length) body.attachments = files.map((f) => f.path);
  const session = state.session;
  const turn = await startTurn(body);
  if (turn && session === state.session) {
    log.said(turn, message, files.map((f) => ({ name: f.name, bytes: f.size, sha256: f.sha256 })), "");
    log.scroll();
  }
}

/** Keeps the place in the address, so that a reload or a bookmark finds it. */
function place() {
  const params = new URLSearchParams();
  if (state.root) params.set("root", state.root);
  if (state.session) params.set("session", state.session);
  history.replaceState(null, "", `#${params}`);
}

function recent() {
  try { return JSON.parse(localStorage.getItem("belay.recent")) ?? []; } catch { return []; }
}

function remember(root) {
  const roots = [root, ...recent().filter((r) => r !== root)].slice(0, 10);
  try { localStorage.setItem("belay.recent", JSON.stringify(roots)); } catch { /* a private window */ }
  offer(roots);
  place();
}

function offer(roots) {
  $("recent").replaceChildren(...roots.map((root) => {
    const option = el("option");
    option.value = root;
    return option;
  }));
}

async function showPersonas() {
  const { personas } = await get("/api/harness/personas");
  $("persona").replaceChildren(...personas.map((p) => {
    const option = el("option", "", p.id);
    option.value = p.id;
    option.title = p.description ?? "";
    option.selected = p.id === "WORKING_ITEMS";
    return option;
  }));
}

/** Shows who answers, and says plainly when the answers are made up. */
async function showProvider() {
  const [settings, checks] = await Promise.all([get("/api/system/config"), get("/api/system/doctor")]);
  const setting = (key) => settings.find((row) => row.key === key)?.value ?? "";
  const notice = checks.find((c) => c.name === "provider" && c.level !== "ok");
  const provider = setting("provider");
  if (provider) {
    const badge = $("provider");
    badge.textContent = notice ? notice.detail : provider === "scripted" ? "scripted answers" : provider;
    badge.classList.toggle("warn", Boolean(notice));
    badge.title = notice?.next ?? "";
    badge.hidden = false;
  }
  return setting("project");
}

/** Trades the code of a one-time link for the cookie, and forgets the code. */
async function exchange(code) {
  history.replaceState(null, "", "/");
  await post("/api/auth/exchange", { code });
}

async function start() {
  const params = new URLSearchParams(location.hash.slice(1));
  // A failure here is shown, and the page still tries what it can.
  if (params.has("code")) await exchange(params.get("code")).catch(complain);
  await showPersonas().catch(complain);
  const project = await showProvider().catch(() => ""); // a server need not report
  const root = params.get("root") || project || recent()[0];
  if (params.get("session")) await openSession(params.get("session")).catch(complain);
  else if (root) await openRoot(root).catch(complain);
}

$("open-root").addEventListener("submit", (e) => {
  e.preventDefault();
  act(openRoot)($("root").value.trim());
});
$("create").addEventListener("submit", (e) => { e.preventDefault(); act(createSession)(); });
$("interrupt").addEventListener("click", act(() => post("/api/harness/interrupt", { sessionId: state.session })));
offer(recent());
start();
