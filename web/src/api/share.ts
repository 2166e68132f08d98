// One event stream for all tabs of a browser, which opens only six connections to one
// server. The tab that holds the lock reads the stream, and tells the others over a channel.
import { follow, type Following } from "./events";
import { Failure, isFailure, withQuery } from "./http";
import { concerns, type List } from "./changes";
import { objectOf, pause, readStream } from "./stream";
import type { LogEvent } from "../session/event";

/** How many sessions one stream follows; the server refuses more. */
const mostSessions = 8;

/** How many sessions beyond these have a stream of their own. More would take all connections. */
const mostAlone = 2;

type Places = [session: string, after: number][];

/** What tabs tell each other. */
export type Message =
  | { kind: "want"; tab: string; sessions: Places }
  | { kind: "bye"; tab: string }
  | { kind: "who" }
  | { kind: "lead"; sessions: Places; alone: string[]; live: boolean; absent: boolean }
  | { kind: "events"; session: string; events: LogEvent[] }
  | { kind: "lists"; lists: List[]; feed: string }
  | { kind: "end"; session: string; status: number; type: string; message: string };

/** What the shared stream needs from outside. Tests have their own. */
export interface Ways {
  read: typeof readStream;
  /** Follows one session without the others: for the ninth one, and for servers without a shared stream. */
  alone: typeof follow;
  /** Runs lead when this tab is the one that reads, until the signal is aborted. */
  elect(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void;
  /** Reaches the other tabs; undefined where the browser has no channel. */
  channel: { postMessage(message: Message): void; onmessage: ((e: { data: Message }) => void) | null } | undefined;
  /** How long the tab that reads waits for the others to say what they want, in milliseconds. */
  gather: number;
}

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
  private live = false;
  private feed = "";
  // Of the tab that reads:
  private leading = false;
  private readonly at = new Map<string, number>();
  private readonly others = new Map<string, Places>();
  private streaming: Places = [];
  private restart: AbortController | undefined;
  private absent = false;

  constructor(ways: Ways) {
    this.ways = ways;
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
    this.ways.elect((signal) => this.lead(signal), this.candidate.signal);
  }

  /** A tab that follows nothing lets another one read. */
  private rest(): void {
    if (this.wants.size > 0 || this.listeners.size > 0) { this.announce(); return; }
    this.suspend();
  }

  private places(): Places {
    const at = new Map<string, number>();
    for (const w of this.wants) at.set(w.session, Math.min(at.get(w.session) ?? w.last, w.last));
    return [...at];
  }

  private announce(): void {
    if (this.leading) this.rearrange();
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
        if (!this.leading) return;
        if (m.kind === "want") this.others.set(m.tab, m.sessions);
        else this.others.delete(m.tab);
        this.rearrange();
        return;
      default:
        this.take(m);
    }
  }

  private tell(m: Message): void {
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

  private setLive(live: boolean): void {
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

  /** Reads the stream for all tabs. */
  private async lead(signal: AbortSignal): Promise<void> {
    this.leading = true;
    this.others.clear();
    this.at.clear();
    this.ways.channel?.postMessage({ kind: "who" });
    await pause(this.ways.channel ? this.ways.gather : 0, signal);
    let wait = 300;
    while (!signal.aborted && !this.absent) {
      this.streaming = this.chosen();
      const restart = this.restart = new AbortController();
      const both = AbortSignal.any([signal, restart.signal]);
      try {
        await this.readOnce(both, () => { wait = 300; });
      } catch (err) {
        if (both.aborted) continue;
        if (isFailure(err) && this.refuse(err)) continue;
      }
      if (restart.signal.aborted || signal.aborted) continue;
      this.setLive(false);
      this.tellPlaces();
      if (!this.absent) await pause(wait * (0.75 + Math.random() / 2), both);
      wait = Math.min(wait * 2, 10_000);
    }
    if (this.absent) await until(signal);
    this.leading = false;
    this.setLive(false);
  }

  private readOnce(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const path = withQuery("/api/events", { sessions: this.streaming.map(([id, after]) => `${id}:${after}`).join(",") });
    return this.ways.read(path, this.feed, signal, 45_000, () => {
      onOpen();
      this.setLive(true);
      this.tellPlaces();
    }, (messages) => {
      const lists = new Set<List>();
      let feed = this.feed;
      const events = new Map<string, LogEvent[]>();
      for (const { id, event, data } of messages) {
        feed = id?.split(",")[0] || feed;
        for (const list of concerns[event ?? ""] ?? []) lists.add(list);
        const value = event?.startsWith("session:") ? objectOf(data) as { sessionId?: string; seq?: number; type?: string; data?: unknown; error?: string; message?: string } : undefined;
        if (!value?.sessionId) continue;
        if (event === "session:event") {
          const e = { seq: value.seq ?? 0, type: value.type, data: value.data } as LogEvent;
          this.at.set(value.sessionId, e.type === "log:gap" ? e.data.next - 1 : e.seq || (this.at.get(value.sessionId) ?? 0));
          events.set(value.sessionId, [...(events.get(value.sessionId) ?? []), e]);
        } else if (event === "session:end") {
          this.at.delete(value.sessionId);
          this.streaming = this.streaming.filter(([s]) => s !== value.sessionId);
          this.tell({ kind: "end", session: value.sessionId, status: 404, type: value.error ?? "NOT_FOUND", message: value.message ?? "" });
        }
      }
      for (const [session, list] of events) this.tell({ kind: "events", session, events: list });
      if (lists.size > 0 || feed !== this.feed) this.tell({ kind: "lists", lists: [...lists], feed });
    });
  }

  /** Acts on a refusal, and reports whether to ask again at once. */
  private refuse(err: Failure): boolean {
    const session = String(err.details.sessionId ?? "");
    if (isFailure(err, "SESSION_NOT_FOUND") && this.streaming.some(([s]) => s === session)) {
      this.at.delete(session);
      for (const [tab, places] of this.others) this.others.set(tab, places.filter(([s]) => s !== session));
      this.tell({ kind: "end", session, status: err.status, type: err.type, message: err.message });
      return true;
    }
    if (this.feed !== "" && isFailure(err, "INVALID_REQUEST")) {
      this.feed = "";
      return true;
    }
    // A server without the stream, or one that refuses this browser: each session says why itself.
    this.absent = err.status >= 400 && err.status < 500 && err.status !== 429;
    return false;
  }

  /** All sessions that tabs want, each with the earliest place; the last wanted ones if there are too many. */
  private chosen(): Places {
    const wanted = this.wanted();
    for (const id of [...this.at.keys()]) if (!wanted.has(id)) this.at.delete(id);
    for (const [id, after] of wanted) if (!this.at.has(id)) this.at.set(id, after);
    return [...this.at].slice(-mostSessions);
  }

  private wanted(): Map<string, number> {
    const all = new Map<string, number>();
    for (const places of [...this.others.values(), this.places()]) {
      for (const [id, after] of places) all.set(id, Math.min(all.get(id) ?? after, after));
    }
    return all;
  }

  /** Opens the stream anew where it lacks something that a tab wants. */
  private rearrange(): void {
    if (this.absent) { this.tellPlaces(); return; }
    let lacks = false;
    for (const [id, after] of this.wanted()) {
      const now = this.at.get(id);
      if (now !== undefined && now <= after) continue;
      this.at.set(id, after);
      lacks = true;
    }
    const streamed = new Set(this.streaming.map(([id]) => id));
    if (lacks || this.chosen().some(([id]) => !streamed.has(id))) this.restart?.abort();
    else if (this.live) this.tellPlaces();
  }

  /** Tells which sessions the stream has, and how far each was read. */
  private tellPlaces(): void {
    const sessions: Places = this.absent ? [] : this.streaming.map(([id, from]) => [id, this.at.get(id) ?? from]);
    const streamed = new Set(sessions.map(([id]) => id));
    const alone = [...this.at.keys()].filter((id) => !streamed.has(id)).slice(-mostAlone);
    this.tell({ kind: "lead", sessions, alone, live: this.live, absent: this.absent });
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

/** Resolves when the signal is aborted. */
export const until = (signal: AbortSignal) => new Promise<void>((resolve) => {
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
});
