// A message on its way to the server. This browser keeps it until there is an answer, so that a page
// that is closed or reloaded meanwhile gives it back, and sends it again under its key.
import { newKey } from "../../api/request-key";
import { isRefusal } from "../../api/http";
import { keptNames, readRecord, writeRecord } from "../../ui/keep";
import type { DraftState } from "./drafts";

/** What is kept of one message under its draft and its key; `taken` is missing once the draft has it again. */
interface Sending { taken?: unknown; body: string; key: string }

const before = (name: string) => `belay.sending.${name}`;
const entryOf = (name: string, key: string) => `${before(name)}.${key}`;
const stored = (entry: string) => readRecord(entry, 1, valid);
const keep = (entry: string, is: Sending | undefined) => writeRecord(entry, 1, is);

/** What is sent; a message into a running turn has no options. */
interface Body { message: string; opts?: { subagentGovernance?: unknown } }

/** By draft, the messages that it has again and of which nobody knows whether the server got them. */
const unsure = new Map<string, Sending[]>();

/**
 * Sends a body under a key. Both are those of a message that was sent before if this one is the same and
 * nobody knows whether the server got that, so that it runs once. Its approval comes with it then, and
 * with no other message. Where it is not taken, `refused` gives back what the draft had.
 */
export async function sendOnce<B extends Body>(name: string, taken: DraftState, body: B, send: (key: string, body: B) => Promise<void>, refused: (err: unknown, body: B) => void): Promise<void> {
  const text = JSON.stringify(body);
  const again = unsure.get(name)?.find((s) => s.body === text || (approvalOf(body) === "" && bare(s.body) === text));
  if (again) unsure.set(name, unsure.get(name)!.filter((s) => s !== again));
  giveUp(name); // what the draft has instead is another message
  const is = again ?? { body: text, key: newKey() }, whole = again ? JSON.parse(again.body) as B : body;
  const entry = entryOf(name, is.key);
  keep(entry, { taken, body: is.body, key: is.key });
  const sent = send(is.key, whole);
  hold(entry, sent);
  try {
    await sent;
    keep(entry, undefined);
  } catch (err) {
    const unknown = isRefusal(err) ? undefined : { body: is.body, key: is.key };
    if (unknown) addUnsure(name, unknown);
    refused(err, whole);
    keep(entry, unknown);
  }
}

function addUnsure(name: string, is: Sending): void { unsure.set(name, [...(unsure.get(name) ?? []).filter((s) => s.key !== is.key), is]); }

/** Calls with what was on its way when its page was left, for each message. */
export function whenLeft(name: string, giveBack: (taken: unknown) => void): void {
  for (const end of keptNames(before(name))) {
    // Without an end: an earlier page kept the latest message only.
    if (end !== "" && !/^\.[0-9a-f]{32}$/.test(end)) continue;
    const entry = before(name) + end;
    const take = () => {
      const is = stored(entry);
      if (!is) return;
      addUnsure(name, { body: is.body, key: is.key });
      if (is.taken !== undefined) giveBack(is.taken);
      if (end === "") keep(entry, undefined);
      if (end === "" || is.taken !== undefined) keep(entryOf(name, is.key), { body: is.body, key: is.key });
    };
    // Another tab may be sending it at this moment.
    if (locks) void locks.request(entry, { ifAvailable: true }, (lock) => { if (lock) take(); });
    else take();
  }
}

/** What a turn was approved as, "" for nothing. */
export const approvalOf = (body: Body): string => (body.opts?.subagentGovernance as { approvalRef?: string } | undefined)?.approvalRef ?? "";

/** A kept body without its approval. */
function bare(text: string): string {
  try {
    const body = JSON.parse(text) as Body;
    delete body.opts?.subagentGovernance;
    return JSON.stringify(body);
  } catch {
    return text;
  }
}

/** Forgets messages that the person has given up, with their keys and approvals: the words again are another message. */
export function giveUp(name: string): void {
  for (const { key } of unsure.get(name) ?? []) {
    const entry = entryOf(name, key);
    if (stored(entry)?.taken === undefined) keep(entry, undefined); // another tab may send it again now
  }
  unsure.delete(name);
}

/** Plain HTTP on a network has no locks. There a message may be given back that another tab sends; its key is the same. */
const locks = globalThis.navigator?.locks as LockManager | undefined;

/** Holds a lock for as long as a message is on its way. The browser frees it when the page is gone. */
function hold(entry: string, sent: Promise<void>): void {
  void locks?.request(entry, { mode: "shared" }, () => sent.catch(() => undefined));
}

function valid(value: unknown): Sending | undefined {
  const { taken, body, key } = (value ?? {}) as Record<string, unknown>;
  if (typeof body !== "string" || typeof key !== "string") return undefined;
  return { body, key, ...(taken === undefined ? {} : { taken }) };
}
