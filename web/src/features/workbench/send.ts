// Sending: the message is shown at once, and taken back whole if it is refused.
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import { RequestKey } from "../../api/request-key";
import type { SessionRecord, TurnBody } from "../../api/types";
import type { Feed, Pending } from "../../session/store";
import type { Draft, DraftState } from "./drafts";
import { type Options, turnOpts } from "./options";

/** The keys of sessions whose latest message was not taken. Sending it again says nothing twice where its fate is unknown. */
const unsure = new Map<string, RequestKey>();

/**
 * Starts a turn with a draft. If it is refused, the draft is as it was, with its files,
 * and the feed has the reason.
 */
export async function sendTurn(feed: Feed, draft: Draft, options: Options, session: SessionRecord | undefined): Promise<void> {
  await startWith(feed, draft, draft.take(), options, session);
}

async function startWith(feed: Feed, draft: Draft, taken: DraftState, options: Options, session: SessionRecord | undefined): Promise<void> {
  const files = taken.files.filter((f) => f.state === "ready").map(({ name, bytes, sha256 }) => ({ name, bytes, ...(sha256 ? { sha256 } : {}) }));
  await start(feed, turnBody(feed.sessionId, taken, options, session), files, () => draft.restore(taken));
}

/** Starts a turn in which the model summarises all before it, and keeps what the person says. */
export async function sendCompact(feed: Feed, keep: string): Promise<void> {
  const message = keep.trim() || "Keep what is needed to go on.";
  await start(feed, { sessionId: feed.sessionId, message, opts: { compact: true } }, [], () => undefined);
}

async function start(feed: Feed, body: TurnBody, files: Pending["files"], refused: () => void): Promise<void> {
  await once(body, async (key) => {
    feed.sent({ key, message: body.message, files });
    try {
      feed.accepted(key, await api.startTurn(body, key));
    } catch (err) {
      feed.rollback(key, err);
      throw err;
    }
  }).catch(refused);
}

/** Sends a body under a key, which is the same again where nobody knows whether the server got it. */
async function once(body: { sessionId: string }, send: (key: string) => Promise<void>): Promise<void> {
  const keys = unsure.get(body.sessionId) ?? new RequestKey();
  unsure.delete(body.sessionId);
  try {
    await send(keys.of(body));
  } catch (err) {
    keys.renew(err as Error);
    unsure.set(body.sessionId, keys);
    throw err;
  }
}

/** Says something into the running turn. If that has just ended, it becomes a turn of its own. */
export async function sendInto(
  feed: Feed, draft: Draft, mode: "steer" | "followUp", options: Options, session: SessionRecord | undefined,
): Promise<void> {
  const taken = draft.take();
  const attachments = paths(taken);
  const body = { sessionId: feed.sessionId, message: taken.text, mode, ...(attachments.length ? { attachments } : {}) };
  try {
    await once(body, (key) => api.steer(body, key));
  } catch (err) {
    if (isFailure(err, "NO_TURN_IN_PROGRESS")) return startWith(feed, draft, taken, options, session); // what was typed since stays
    draft.restore(taken);
    feed.fail(err);
  }
}

function turnBody(sessionId: string, draft: DraftState, options: Options, session: SessionRecord | undefined): TurnBody {
  const attachments = paths(draft);
  return {
    sessionId, message: draft.text, ...(attachments.length ? { attachments } : {}),
    opts: turnOpts(options, session),
  };
}

const paths = (draft: DraftState) => draft.files.flatMap((f) => (f.state === "ready" && f.path ? [f.path] : []));
