// The transcript has what the log does not: the words of the person, and the turns
// whose events are not kept any more.
import type { TranscriptEntry } from "../api/types";
import type { Conversation, Part, SentFile, Turn } from "./model";

/** Adds to a conversation what its transcript knows. */
export function withTranscript(c: Conversation, entries: readonly TranscriptEntry[]): Conversation {
  const turns = new Map(c.turns.map((t) => [t.key, t]));
  const byId = new Map(c.turns.toReversed().map((t) => [t.id, t]));
  const own = ownEntries(entries);
  // What the log does not have yet, or no more, stands behind the turn before it.
  const behind = new Map<string, Turn[]>();
  let before = "";
  for (const entry of entries) {
    if (entry.kind !== "turn") continue;
    const said = { message: entry.message ?? "", files: (entry.attachments ?? []).map(file) };
    const known = byId.get(entry.turn);
    if (known) {
      const warned = entry.warning ? withWarning(known, entry.warning) : known;
      if (!known.said || warned !== known) turns.set(known.key, { ...warned, said });
      before = known.id;
    } else {
      const turn = recorded(entry, said, own.get(entry.turn) ?? []);
      // One that has just begun comes with its events.
      if (turn.state === "running") continue;
      const there = behind.get(before);
      if (there) there.push(turn);
      else behind.set(before, [turn]);
    }
  }
  const after = (id: string) => behind.get(id) ?? [];
  return { ...c, turns: [...after(""), ...c.turns.flatMap((t) => [turns.get(t.key) ?? t, ...(t.id === "" ? [] : after(t.id))])] };
}

/** What each turn has itself, without its subagents. */
function ownEntries(entries: readonly TranscriptEntry[]): Map<string, TranscriptEntry[]> {
  const all = new Map<string, TranscriptEntry[]>();
  for (const e of entries) {
    if (e.agent) continue;
    const own = all.get(e.turn);
    if (own) own.push(e);
    else all.set(e.turn, [e]);
  }
  return all;
}

/** A turn of which only the transcript knows. */
function recorded(entry: TranscriptEntry, said: Turn["said"], own: readonly TranscriptEntry[]): Turn {
  const parts: Part[] = [];
  for (const e of own) {
    if (e.kind !== "assistant") continue;
    for (const block of e.blocks ?? []) {
      if (block.type === "text" && block.text) parts.push({ kind: "text", key: `r${parts.length}`, text: block.text });
    }
  }
  const end = own.find((e) => e.kind === "end");
  const code = end?.exitCode ?? 0;
  return {
    id: entry.turn, key: entry.turn, ...(said ? { said } : {}), parts, changedFiles: [], recorded: true,
    state: !end ? "running" : code === 0 ? "done" : code === 130 ? "interrupted" : code === 124 ? "timeout" : "failed",
    ...(end?.usage ? { usage: end.usage } : {}),
  };
}

function file(item: { name?: string; bytes?: number; sha256?: string; mimeType?: string }): SentFile {
  return {
    name: item.name ?? "a file",
    ...(item.bytes !== undefined ? { bytes: item.bytes } : {}),
    ...(item.sha256 ? { sha256: item.sha256 } : {}),
    ...(item.mimeType ? { mimeType: item.mimeType } : {}),
  };
}

function withWarning(t: Turn, message: string): Turn {
  if (t.parts.some((p) => p.kind === "warning" && p.warning.message === message)) return t;
  return { ...t, parts: [{ kind: "warning", key: "said", warning: { code: "", message } }, ...t.parts] };
}
