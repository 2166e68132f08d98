// Live conversations: each session that is looked at has a feed, which follows its
// log and keeps what it has read for the next visit.
import { transcript } from "../api/client";
import type { follow, LinkState } from "../api/events";
import { shared } from "../api/shared-stream";
import { type Failure, isFailure } from "../api/http";
import type { LogEvent } from "./event";
import { type Conversation, emptyConversation, type SentFile } from "./model";
import { reduceAll } from "./reduce";
import { whileVisible } from "../ui/visible";
import { withTranscript } from "./transcript";

/** A message that was sent and whose turn has not begun yet. */
export interface Pending { key: string; message: string; files: SentFile[]; turn?: string }

export interface FeedState {
  conversation: Conversation;
  link: LinkState;
  refused?: Failure;
  pending?: Pending;
  /** Why a message was not taken. */
  failure?: unknown;
  /** Whether the log was read up to now once. */
  loaded: boolean;
}

/** What a feed needs from outside. Tests have their own. */
export interface Sources {
  follow: typeof follow;
  transcript: typeof transcript;
  /** Runs work soon: once per frame in a browser. */
  soon(work: () => void): void;
  /** Runs work while it is of use, and returns what ends it. */
  whileVisible: typeof whileVisible;
}

const sources: Sources = {
  follow: (session, after, to, signal) => shared.follow(session, after, to, signal), transcript, whileVisible,
  soon: (work) => {
    if (document.hidden) setTimeout(work, 200);
    else requestAnimationFrame(work);
  },
};

/** How many sessions that nobody looks at keep what was read. */
const keptFeeds = 6;

export class Feeds {
  private readonly feeds = new Map<string, Feed>();
  private readonly from: Sources;

  constructor(from: Sources = sources) { this.from = from; }

  /** The feed of a session. It reads while somebody listens. */
  of(sessionId: string): Feed {
    const feed = this.feeds.get(sessionId) ?? new Feed(sessionId, this.from);
    this.feeds.delete(sessionId);
    this.feeds.set(sessionId, feed);
    for (const [id, old] of this.feeds) {
      if (this.feeds.size <= keptFeeds) break;
      if (!old.used) this.feeds.delete(id);
    }
    return feed;
  }
}

export class Feed {
  readonly sessionId: string;
  private readonly from: Sources;
  private state: FeedState = { conversation: emptyConversation, link: "connecting", loaded: false };
  private readonly listeners = new Set<() => void>();
  private queue: LogEvent[] = [];
  private flushing = false;
  private stop: (() => void) | undefined;
  private signal: AbortSignal | undefined;
  /** Turns whose words were asked for. */
  private readonly asked = new Set<string>();
  private learning = false;
  private again = false;

  constructor(sessionId: string, from: Sources) {
    this.sessionId = sessionId;
    this.from = from;
  }

  get used(): boolean { return this.listeners.size > 0; }

  readonly get = (): FeedState => this.state;

  /** Tells of every change, and reads the log until the last listener is gone. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.stop ??= this.from.whileVisible((signal) => this.start(signal));
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.stop?.();
      this.stop = undefined;
    };
  };

  /** Follows the session anew after a refusal, which may be over. */
  retry(): void {
    if (!this.stop) return;
    this.stop();
    this.stop = this.from.whileVisible((signal) => this.start(signal));
  }

  /** Shows a message at once, before the server has accepted it. */
  sent(pending: Pending): void {
    const { failure: _, ...rest } = this.state;
    this.set({ ...rest, pending });
  }

  /** Takes back what was shown at once, and keeps why. */
  rollback(key: string, failure: unknown): void {
    const { pending, ...rest } = this.state;
    this.set(pending?.key === key ? { ...rest, failure } : { ...this.state, failure });
  }

  /** Shows what a person's action failed with; undefined for nothing. */
  fail(failure: unknown): void {
    const { failure: _, ...rest } = this.state;
    this.set(failure === undefined ? rest : { ...rest, failure });
  }

  /** Says which turn a sent message has become. */
  accepted(key: string, turn: string): void {
    const { pending } = this.state;
    if (pending?.key === key) this.set(settle({ ...this.state, pending: { ...pending, turn } }));
  }

  private start(signal: AbortSignal): void {
    this.signal = signal;
    const { refused: _, ...rest } = this.state; // what it was refused for may be over
    this.set({ ...rest, link: "connecting" });
    void this.learn();
    void this.from.follow(this.sessionId, this.state.conversation.seq, {
      onEvents: (events) => {
        this.queue.push(...events);
        this.flush();
      },
      onState: (link, refused) => {
        // The server is back: that it was away is no news any more.
        if (link === "live" && this.state.link !== "live" && isFailure(this.state.failure, "UNREACHABLE")) this.fail(undefined);
        this.set({ ...this.state, link, ...(refused ? { refused } : {}) });
      },
    }, signal);
  }

  /** Events that come close together change the page once. */
  private flush(): void {
    if (this.flushing) return;
    this.flushing = true;
    this.from.soon(() => {
      this.flushing = false;
      const events = this.queue;
      this.queue = [];
      const conversation = reduceAll(this.state.conversation, events);
      this.set(settle({ ...this.state, conversation, loaded: true }));
      const unknown = conversation.turns.filter((t) => t.id && !t.said && !this.asked.has(t.id));
      for (const t of unknown) this.asked.add(t.id);
      if (unknown.length > 0) void this.learn();
    });
  }

  /** Reads what was said in the turns: the log has only the answers. One request at a time. */
  private async learn(): Promise<void> {
    this.again = true;
    if (this.learning) return; // that goes on, also where it was begun for a visit that has ended
    this.learning = true;
    while (this.again && !this.signal?.aborted) {
      this.again = false;
      try {
        const entries = await this.from.transcript(this.sessionId, this.signal);
        this.set(settle({ ...this.state, conversation: withTranscript(this.state.conversation, entries), loaded: true }));
      } catch {
        this.asked.clear(); // the next event tries again; the log itself tells of a refusal
      }
    }
    this.learning = false;
  }

  private set(state: FeedState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** Puts a sent message into its turn as soon as that is there. */
function settle(state: FeedState): FeedState {
  const { pending, ...rest } = state;
  if (!pending?.turn) return state;
  const i = state.conversation.turns.findIndex((t) => t.id === pending.turn);
  const turn = state.conversation.turns[i];
  if (!turn) return state;
  if (turn.said) return rest;
  const said = { message: pending.message, files: pending.files };
  return { ...rest, conversation: { ...state.conversation, turns: state.conversation.turns.with(i, { ...turn, said }) } };
}
