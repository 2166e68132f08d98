// One event stream for all tabs of a browser, which opens only six connections to one
// server. The tab that holds the lock reads the stream, and tells the others over a channel.
import type { List } from "./changes";
import type { Following } from "./events";
import { Failure } from "./http";
import { Lead, type Message, type Places, type Ways } from "./share-lead";
import type { LogEvent } from "../session/event";

/** A session that this tab follows. */
interface Want {
  session: string; last: number; to: Following; done: () => void;
  /** Set while the shared stream has all that comes after `last`. */
  covered: boolean;
  own?: AbortController;
}

type OnLists = (lists: ReadonlySet<List>) => void;

export class Share {
  private readonly ways: Ways;
  private readonly tab = Math.random().toString(36).slice(2);
  private readonly wants = new Set<Want>();
  private readonly listeners = new Set<{ onLists: OnLists; onState: (live: boolean) => void }>();
  private candidate: AbortController | undefined;
  private readonly lead: Lead;
  live = false;
  feed = "";

  constructor(ways: Ways) {
    this.ways = ways;
    this.lead = new Lead(ways, this);
    if (ways.channel) ways.channel.onmessage = (e) => this.hear(e.data);
  }

  /** Follows a session's log as [follow] does. */
  follow(session: string, after: number, to: Following, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const want: Want = { session, last: after, to, covered: false, done: () => { this.leave(want); resolve(); } };
      if (signal.aborted) { resolve(); return; }
      signal.addEventListener("abort", want.done, { once: true });
      this.wants.add(want);
      this.join();
      this.announce();
    });
  }

  /** Tells which lists have changed, until the signal is aborted. */
  changes(onLists: OnLists, onState: (live: boolean) => void, signal: AbortSignal): void {
    const listener = { onLists, onState };
    this.listeners.add(listener);
    onState(this.live);
    signal.addEventListener("abort", () => {
      this.listeners.delete(listener);
      onState(false);
      this.rest();
    }, { once: true });
    this.join();
  }

  /**
   * Lets another tab read, as a page does that is left. The browser may keep such a page
   * for the way back, together with the lock and without running it.
   */
  suspend(): void {
    this.bye();
    this.candidate?.abort();
    this.candidate = undefined;
    for (const w of this.wants) w.covered = false; // what comes meanwhile is not heard
    this.setLive(false);
  }

  /** Goes on after [Share.suspend]. */
  resume(): void {
    if (this.wants.size === 0 && this.listeners.size === 0) return;
    this.join();
    this.announce();
  }

  private bye(): void { this.ways.channel?.postMessage({ kind: "bye", tab: this.tab }); }

  private leave(want: Want): void {
    want.own?.abort();
    if (this.wants.delete(want)) this.rest();
  }

  private join(): void {
    if (this.candidate) return;
    this.candidate = new AbortController();
    this.ways.elect((signal) => this.lead.read(signal), this.candidate.signal);
  }

  /** A tab that follows nothing lets another one read. */
  private rest(): void {
    if (this.wants.size > 0 || this.listeners.size > 0) { this.announce(); return; }
    this.suspend();
  }

  places(): Places {
    const at = new Map<string, number>();
    for (const w of this.wants) at.set(w.session, Math.min(at.get(w.session) ?? w.last, w.last));
    return [...at];
  }

  private announce(): void {
    if (this.lead.reading) this.lead.rearrange();
    else this.ways.channel?.postMessage({ kind: "want", tab: this.tab, sessions: this.places() });
  }

  private hear(m: Message): void {
    if (!this.candidate) return; // it follows nothing, or is suspended
    switch (m.kind) {
      case "who":
        if (this.wants.size > 0) this.announce();
        return;
      case "want":
      case "bye":
        this.lead.hear(m);
        return;
      default:
        this.take(m);
    }
  }

  tell(m: Message): void {
    this.ways.channel?.postMessage(m);
    this.take(m);
  }

  /** Takes what the reading tab says, which may be this one. */
  private take(m: Message): void {
    switch (m.kind) {
      case "lead": {
        const from = new Map(m.sessions);
        this.setLive(m.live);
        for (const w of this.wants) {
          const at = from.get(w.session);
          w.covered = at !== undefined && (w.covered || at <= w.last);
          if (w.covered) {
            w.own?.abort();
            delete w.own;
            w.to.onState(m.live ? "live" : "lost");
          } else if (m.absent || m.alone.includes(w.session)) this.goAlone(w);
          else if (!w.own) w.to.onState("connecting"); // until there is a place
        }
        return;
      }
      case "events":
        for (const w of this.wants) if (w.covered && w.session === m.session) give(w, m.events);
        return;
      case "lists":
        this.feed = m.feed;
        if (m.lists.length > 0) for (const l of this.listeners) l.onLists(new Set(m.lists));
        return;
      case "end":
        for (const w of this.wants) {
          if (w.session !== m.session) continue;
          w.to.onState("refused", new Failure(m.status, m.type, m.message));
          w.done();
        }
    }
  }

  setLive(live: boolean): void {
    if (live === this.live) return;
    this.live = live;
    for (const l of this.listeners) l.onState(live);
  }

  /** Follows a session without the others. */
  private goAlone(w: Want): void {
    if (w.own || w.covered || !this.wants.has(w)) return;
    const own = w.own = new AbortController();
    void this.ways.alone(w.session, w.last, {
      onEvents: (events) => { if (!own.signal.aborted) give(w, events); },
      onState: (state, err) => {
        if (own.signal.aborted) return;
        w.to.onState(state, err);
        if (state === "refused") w.done();
      },
    }, own.signal);
  }
}

/** Gives events that a follower does not have yet. */
function give(w: Want, events: readonly LogEvent[]): void {
  const fresh: LogEvent[] = [];
  for (const e of events) {
    if (e.type === "log:gap") {
      if (e.data.reason !== "reset" && e.data.next - 1 <= w.last) continue;
      w.last = e.data.next - 1;
    } else if (e.seq > 0) {
      if (e.seq <= w.last) continue;
      w.last = e.seq;
    }
    fresh.push(e);
  }
  if (fresh.length > 0) w.to.onEvents(fresh);
}
