// Sending: the message is shown at once, and taken back whole if it is refused.
import * as api from "../../api/client";
import { isFailure, isRefusal } from "../../api/http";
import type { SessionRecord, TurnBody } from "../../api/types";
import type { Feed, Pending } from "../../session/store";
import type { Draft, DraftState } from "./drafts";
import { approvalBack, approvalNow, approvalUsed, type Options, turnOpts } from "./options";
import { approvalOf, sendOnce } from "./sending";

/**
 * Starts a turn with a draft. If it is refused, the draft is as it was, with its files,
 * and the feed has the reason.
 */
export async function sendTurn(feed: Feed, draft: Draft, options: Options, session: SessionRecord | undefined): Promise<void> {
  await startWith(feed, draft, draft.take(), options, session);
}

async function startWith(feed: Feed, draft: Draft, taken: DraftState, options: Options, session: SessionRecord | undefined): Promise<void> {
  const files = taken.files.filter((f) => f.state === "ready").map(({ name, bytes, sha256 }) => ({ name, bytes, ...(sha256 ? { sha256 } : {}) }));
  await start(feed, draft, taken, turnBody(feed.sessionId, taken, options, session), files);
}

/** Starts a turn in which the model summarises all before it, and keeps what the person says in a draft for that. */
export async function sendCompact(feed: Feed, keep: Draft): Promise<void> {
  const taken = keep.take();
  const message = taken.text.trim() || "Keep what is needed to go on.";
  await start(feed, keep, taken, { sessionId: feed.sessionId, message, opts: { compact: true } }, []);
}

/** The name of the draft of what a summary must keep. */
export const compactKey = (sessionId: string): string => `compact:${sessionId}`;

async function start(feed: Feed, draft: Draft, taken: DraftState, body: TurnBody, files: Pending["files"]): Promise<void> {
  approvalUsed(feed.sessionId, approvalOf(body)); // a message that is sent meanwhile is not what was approved
  await sendOnce(draft.key, taken, body, async (key, whole) => {
    feed.sent({ key, message: whole.message, files });
    try {
      feed.accepted(key, await api.startTurn(whole, key));
    } catch (err) {
      feed.rollback(key, err);
      throw err;
    }
  }, (err, whole) => {
    draft.restore(taken);
    if (isRefusal(err)) approvalBack(feed.sessionId, approvalOf(whole));
  });
}

/** Says something into the running turn. If that has just ended, it becomes a turn of its own. */
export async function sendInto(
  feed: Feed, draft: Draft, mode: "steer" | "followUp", options: Options, session: SessionRecord | undefined,
): Promise<void> {
  const taken = draft.take();
  const attachments = paths(taken);
  const body = { sessionId: feed.sessionId, message: taken.text, mode, ...(attachments.length ? { attachments } : {}) };
  let ended = false;
  await sendOnce(draft.key, taken, body, (key) => api.steer(body, key), (err) => {
    ended = isFailure(err, "NO_TURN_IN_PROGRESS");
    if (ended) return;
    draft.restore(taken);
    feed.fail(err);
  });
  // What was typed since stays, and an approval that another message has had since is gone.
  if (ended) await startWith(feed, draft, taken, { ...options, approval: approvalNow(feed.sessionId) }, session);
}

function turnBody(sessionId: string, draft: DraftState, options: Options, session: SessionRecord | undefined): TurnBody {
  const attachments = paths(draft);
  return {
    sessionId, message: draft.text, ...(attachments.length ? { attachments } : {}),
    opts: turnOpts(options, session),
  };
}

const paths = (draft: DraftState) => draft.files.flatMap((f) => (f.state === "ready" && f.path ? [f.path] : []));
