// The part of the shared stream that the reading tab has: it chooses the sessions, reads the
// stream, and tells all tabs what came.
import { concernedBy, type List } from "./changes";
import type { follow } from "./events";
import { isFailure, isLasting, withQuery, type Failure } from "./http";
import { objectOf, pause, type readStream } from "./stream";
import type { LogEvent } from "../session/event";

/** How many sessions one stream follows; the server refuses more. */
const mostSessions = 8;

/** How many sessions beyond these have a stream of their own. More would take all connections. */
const mostAlone = 2;

export type Places = [session: string, after: number][];

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

/** The tab that a reader belongs to. */
export interface Home {
  /** Whether the stream is open, and how far its lists were read. */
  live: boolean;
  feed: string;
  setLive(live: boolean): void;
  /** What this tab wants itself. */
  places(): Places;
  /** Tells all tabs, this one included. */
  tell(m: Message): void;
}

export class Lead {
  private readonly ways: Ways;
  private readonly home: Home;
  /** Whether this tab is the one that reads. */
  reading = false;
  private readonly at = new Map<string, number>();
  private readonly others = new Map<string, Places>();
  private streaming: Places = [];
  private restart: AbortController | undefined;
  private absent = false;

  constructor(ways: Ways, home: Home) {
    this.ways = ways;
    this.home = home;
  }

  /** Notes what another tab wants now. */
  hear(m: Extract<Message, { kind: "want" | "bye" }>): void {
    if (!this.reading) return;
    if (m.kind === "want") this.others.set(m.tab, m.sessions);
    else this.others.delete(m.tab);
    this.rearrange();
  }

  /** Reads the stream for all tabs until the signal is aborted. */
  async read(signal: AbortSignal): Promise<void> {
    this.reading = true;
    this.absent = false; // the server may be another one since
    this.others.clear();
    this.at.clear();
    this.ways.channel?.postMessage({ kind: "who" });
    await pause(this.ways.channel ? this.ways.gather : 0, signal);
    let wait = 300;
    while (!signal.aborted && !this.absent) {
      this.streaming = this.chosen();
      const restart = this.restart = new AbortController();
      const both = AbortSignal.any([signal, restart.signal]);
      let asked = 0;
      try {
        await this.readOnce(both, () => { wait = 300; });
      } catch (err) {
        if (both.aborted) continue;
        if (isFailure(err) && this.refuse(err)) continue;
        if (isFailure(err)) asked = err.retryAfter;
      }
      if (restart.signal.aborted || signal.aborted) continue;
      this.home.setLive(false);
      this.tellPlaces();
      if (!this.absent) await pause(Math.max(asked, wait * (0.75 + Math.random() / 2)), both);
      wait = Math.min(wait * 2, 10_000);
    }
    if (this.absent) await until(signal);
    this.reading = false;
    this.home.setLive(false);
  }

  private readOnce(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const path = withQuery("/api/events", { sessions: this.streaming.map(([id, after]) => `${id}:${after}`).join(",") });
    const placed = this.home.feed !== "";
    return this.ways.read(path, this.home.feed, signal, 45_000, () => {
      onOpen();
      this.home.setLive(true);
      this.tellPlaces();
    }, (messages) => {
      if (signal.aborted) return; // the places are those of the next stream already
      const lists = new Set<List>();
      let feed = this.home.feed;
      const events = new Map<string, LogEvent[]>();
      for (const { id, event, data } of messages) {
        feed = id?.split(",")[0] || feed;
        for (const list of concernedBy(event, placed)) lists.add(list);
        const value = event?.startsWith("session:") ? objectOf(data) as { sessionId?: string; seq?: number; turn?: string; type?: string; data?: unknown; error?: string; message?: string } : undefined;
        if (!value?.sessionId) continue;
        if (event === "session:event") {
          const e = { seq: value.seq ?? 0, type: value.type, data: value.data, ...(value.seq ? {} : { turn: value.turn }) } as LogEvent;
          this.at.set(value.sessionId, e.type === "log:gap" ? e.data.next - 1 : e.seq || (this.at.get(value.sessionId) ?? 0));
          const list = events.get(value.sessionId);
          if (list) list.push(e);
          else events.set(value.sessionId, [e]);
        } else if (event === "session:end") {
          this.at.delete(value.sessionId);
          this.streaming = this.streaming.filter(([s]) => s !== value.sessionId);
          this.home.tell({ kind: "end", session: value.sessionId, status: 404, type: value.error ?? "NOT_FOUND", message: value.message ?? "" });
        }
      }
      for (const [session, list] of events) {
        this.home.tell({ kind: "events", session, events: list });
        this.raise(session);
      }
      if (lists.size > 0 || feed !== this.home.feed) this.home.tell({ kind: "lists", lists: [...lists], feed });
    });
  }

  /** Notes that other tabs have been told all of a session up to its place, so that the stream does not begin before it again. */
  private raise(session: string): void {
    const at = this.at.get(session) ?? 0;
    for (const [tab, places] of this.others) {
      if (places.some(([s, after]) => s === session && after < at)) this.others.set(tab, places.map(([s, after]) => [s, s === session ? Math.max(after, at) : after]));
    }
  }

  /** Acts on a refusal, and reports whether to ask again at once. */
  private refuse(err: Failure): boolean {
    const session = String(err.details.sessionId ?? "");
    if (isFailure(err, "SESSION_NOT_FOUND") && this.streaming.some(([s]) => s === session)) {
      this.at.delete(session);
      for (const [tab, places] of this.others) this.others.set(tab, places.filter(([s]) => s !== session));
      this.home.tell({ kind: "end", session, status: err.status, type: err.type, message: err.message });
      return true;
    }
    if (this.home.feed !== "" && isFailure(err, "INVALID_REQUEST")) {
      this.home.feed = "";
      return true;
    }
    // A server without the stream, or one that refuses this browser: each session says why itself.
    this.absent = isLasting(err);
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
    for (const places of [...this.others.values(), this.home.places()]) {
      for (const [id, after] of places) all.set(id, Math.min(all.get(id) ?? after, after));
    }
    return all;
  }

  /** Opens the stream anew where it lacks something that a tab wants. */
  rearrange(): void {
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
    else if (this.home.live) this.tellPlaces();
  }

  /** Tells which sessions the stream has, and how far each was read. */
  private tellPlaces(): void {
    const sessions: Places = this.absent ? [] : this.streaming.map(([id, from]) => [id, this.at.get(id) ?? from]);
    const streamed = new Set(sessions.map(([id]) => id));
    const alone = [...this.at.keys()].filter((id) => !streamed.has(id)).slice(-mostAlone);
    this.home.tell({ kind: "lead", sessions, alone, live: this.home.live, absent: this.absent });
  }
}

/** Resolves when the signal is aborted. */
export const until = (signal: AbortSignal) => new Promise<void>((resolve) => {
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
});
