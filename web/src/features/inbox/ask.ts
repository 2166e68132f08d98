// A question as the page shows it, wherever it comes from: the list of open ones, a
// session's log, or a run's wait task.
import type { DecisionBody, Effect, KeptChange, OpenDecision, Wait } from "../../api/types";
import type { Question } from "../../session/event";
import { visible } from "../../ui/format";

export type Verdict = "allow" | "allow_session" | "deny";

export interface Ask {
  id: string;
  sessionId?: string;
  turnId?: string;
  projectRoot?: string;
  persona?: string;
  tool: string;
  input?: unknown;
  reason: string;
  effect?: Effect;
  /** Whether an answer may cover the session. */
  session: boolean;
  created?: string;
  expires?: string;
  /** Set of a run's wait task. */
  wait?: Wait;
}

export function askOf(d: OpenDecision): Ask {
  return {
    id: d.decisionId, sessionId: d.sessionId, turnId: d.turnId, projectRoot: d.projectRoot, persona: d.persona || d.agent, tool: d.effect.tool,
    input: d.input, reason: d.reason, effect: d.effect, session: d.session, created: d.created, ...(d.expires ? { expires: d.expires } : {}),
  };
}

export function askOfEvent(q: Question, sessionId: string): Ask {
  return {
    id: q.decisionId, sessionId, tool: q.name, input: q.input, reason: q.reason, session: q.session ?? false,
    ...(q.persona ? { persona: q.persona } : {}), ...(q.effect ? { effect: q.effect } : {}), ...(q.expiresAt ? { expires: q.expiresAt } : {}),
  };
}

export function askOfWait(w: Wait): Ask {
  return {
    id: w.decisionId, projectRoot: w.projectRoot, tool: "wait", reason: w.message ?? "", session: false, created: w.since, wait: w,
    ...(w.until ? { expires: w.until } : {}),
  };
}

/** A kept change as a question that nobody asks any more. */
export function askOfKept(c: KeptChange, projectRoot: string): Ask {
  return {
    id: c.id, projectRoot, tool: c.effect?.tool ?? "bash", reason: c.why ?? "", session: false,
    ...(c.sessionId ? { sessionId: c.sessionId } : {}), ...(c.effect ? { effect: c.effect } : {}), ...(c.created ? { created: c.created } : {}),
  };
}

/** All that waits, the longest first. */
export function allAsks(answer: { decisions: OpenDecision[]; waits: Wait[] } | undefined): Ask[] {
  if (!answer) return [];
  const all = [...answer.decisions.map(askOf), ...answer.waits.map(askOfWait)];
  return all.sort((a, b) => (a.created ?? "").localeCompare(b.created ?? "") || a.id.localeCompare(b.id));
}

export function bodyOf(ask: Ask, verdict: Verdict, note: string, only: readonly string[] | undefined): DecisionBody {
  return {
    decisionId: ask.id, verdict, ...(ask.sessionId ? { sessionId: ask.sessionId } : {}),
    ...(note.trim() ? { note: note.trim() } : {}), ...(only && verdict === "allow" ? { only: [...only] } : {}),
  };
}

export interface Words { title: string; allow: string; session: string; deny: string; denied: string; allowed: string }

/** The words for a question: what is wanted, and what its buttons do. */
export function wordsOf(ask: Ask): Words {
  const words = rawWords(ask);
  return { ...words, title: visible(words.title) };
}

function rawWords(ask: Ask): Words {
  const e = ask.effect;
  const who = ask.persona || "The agent";
  const plain = { allow: "Allow", session: "Allow for this session", deny: "Deny", allowed: "Allowed", denied: "Denied" };
  if (ask.wait) {
    return { ...plain, title: `${ask.wait.workflow} waits at ${ask.wait.task}`, allow: "Continue", deny: "Refuse", allowed: "Continued", denied: "Refused" };
  }
  if (!e) return { ...plain, title: `${who} wants to use ${ask.tool}` };
  if (e.done) {
    return { ...plain, title: `${who} ran a command that changed ${files(e.done.files)}`, allow: "Apply changes", session: "Apply for this session", deny: "Discard", allowed: "Applied", denied: "Discarded" };
  }
  if (e.outside) return { ...plain, title: `${who} wants to run a command outside the sandbox`, allow: "Run outside" };
  if (e.publication) return { ...plain, title: `${who} wants to send ${files(e.publication.files?.length ?? 0)} to ${e.publication.destination}`, allow: "Send" };
  if (e.kind === "external") return { ...plain, title: `${who} wants to use ${ask.tool}` };
  if (e.command && e.kind !== "network") {
    const how = e.background ? "start a background command" : "run a command";
    return { ...plain, title: `${who} wants to ${how}`, allow: "Run" };
  }
  if (e.hosts?.length) return { ...plain, title: `${who} wants to reach ${e.hosts.join(", ")}` };
  if (e.paths?.length) {
    const verb = e.kind === "read" ? "read" : e.kind === "write" ? (ask.tool === "write" ? "write" : "change") : "use";
    return { ...plain, title: `${who} wants to ${verb} ${e.paths.length === 1 ? short(e.paths[0]!) : files(e.paths.length)}` };
  }
  return { ...plain, title: `${who} wants to use ${ask.tool}` };
}

const files = (n: number) => (n === 1 ? "1 file" : `${n.toLocaleString("en-US")} files`);
const short = (path: string) => path.split("/").at(-1) ?? path;

/**
 * The path that a line such as "FILE is run by git" is about, of those that the
 * question has.
 */
export function pathOfMark(line: string, paths: readonly string[]): string | undefined {
  return paths.filter((p) => line.startsWith(p)).sort((a, b) => b.length - a.length)[0];
}
