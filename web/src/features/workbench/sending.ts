// A message on its way to the server. This browser keeps it until there is an answer, so that a page
// that is closed or reloaded meanwhile gives it back, and sends it again under its key.
import { RequestKey } from "../../api/request-key";
import { isRefusal } from "../../api/http";
import { Kept } from "../../ui/keep";
import type { DraftState } from "./drafts";
import { setOption } from "./options";

/** What is kept by the name of a draft; `taken` is missing once the draft has it again. */
interface Sending { taken?: unknown; body: string; key: string }

const kept = (name: string) => new Kept<Sending>(`belay.sending.${name}`, 1, valid);

/** The keys of drafts whose latest message was not taken. Sending it again says nothing twice where its fate is unknown. */
const unsure = new Map<string, RequestKey>();

/**
 * Sends a body under a key, which is the same again where nobody knows whether the server got it.
 * Where it is not taken, `refused` gives back what the draft had.
 */
export async function sendOnce(name: string, taken: DraftState, body: object, send: (key: string) => Promise<void>, refused: (err: unknown) => void): Promise<void> {
  const keys = unsure.get(name) ?? new RequestKey();
  unsure.delete(name);
  const key = keys.of(body), text = JSON.stringify(body);
  kept(name).set({ taken, body: text, key });
  const sent = send(key);
  hold(name, sent);
  try {
    await sent;
    kept(name).set(undefined);
  } catch (err) {
    keys.renew(err as Error);
    unsure.set(name, keys);
    refused(err);
    kept(name).set(isRefusal(err) ? undefined : { body: text, key });
  }
}

/** Calls with what was on its way when its page was left, and with its body. */
export function whenLeft(name: string, giveBack: (taken: unknown) => void): void {
  if (!kept(name).get()) return;
  const take = () => {
    const is = kept(name).get();
    if (!is) return;
    unsure.set(name, new RequestKey(is.body, is.key));
    const approval = approvalOf(is.body);
    // Without it the body would be another one. Later: this may be while a view is drawn.
    if (approval !== "") queueMicrotask(() => setOption(name, "approval", approval));
    if (is.taken === undefined) return;
    giveBack(is.taken);
    kept(name).set({ body: is.body, key: is.key });
  };
  // Another tab may be sending it at this moment.
  if (locks) void locks.request(lockOf(name), { ifAvailable: true }, (lock) => { if (lock) take(); });
  else take();
}

function approvalOf(body: string): string {
  try {
    return String((JSON.parse(body) as { opts?: { subagentGovernance?: { approvalRef?: unknown } } }).opts?.subagentGovernance?.approvalRef ?? "");
  } catch {
    return "";
  }
}

/** Forgets the key of a message that the person has given up: the words again are another message. */
export function giveUp(name: string): void {
  if (unsure.delete(name)) kept(name).set(undefined);
}

/** Plain HTTP on a network has no locks. There a message may be given back that another tab sends; its key is the same. */
const locks = globalThis.navigator?.locks as LockManager | undefined;
const lockOf = (name: string) => `belay.sending.${name}`;

/** Holds a lock for as long as a message is on its way. The browser frees it when the page is gone. */
function hold(name: string, sent: Promise<void>): void {
  void locks?.request(lockOf(name), { mode: "shared" }, () => sent.catch(() => undefined));
}

function valid(value: unknown): Sending | undefined {
  const { taken, body, key } = (value ?? {}) as Record<string, unknown>;
  if (typeof body !== "string" || typeof key !== "string") return undefined;
  return { body, key, ...(taken === undefined ? {} : { taken }) };
}
