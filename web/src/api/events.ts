// The event stream of a session: it comes back by itself and loses nothing.
import { createParser } from "eventsource-parser";
import { sessionPath } from "./client";
import { type Failure, isFailure, request } from "./http";
import type { LogEvent } from "../session/event";

export type LinkState = "connecting" | "live" | "lost" | "refused";

export interface Following {
  /** Gets events in their order, those that came together in one call. */
  onEvents(events: LogEvent[]): void;
  /** Tells how the connection is. err is set with "refused", which is final. */
  onState(state: LinkState, err?: Failure): void;
}

/** How the stream waits; tests have their own. Times are in milliseconds. */
export interface Timing { first: number; most: number; silence: number }

const timing: Timing = { first: 300, most: 10_000, silence: 45_000 };

/**
 * Follows a session's log behind an event (0: from its beginning) until the signal is aborted. After a
 * dropped connection it continues behind the last event (Last-Event-ID). A server
 * that sends nothing for `silence`, not even a keep-alive, counts as gone. A refusal
 * (4xx) ends it.
 */
export async function follow(
  sessionId: string, after: number, to: Following, signal: AbortSignal, times: Timing = timing,
): Promise<void> {
  let last = after;
  let wait = times.first;
  while (!signal.aborted) {
    try {
      await readOnce(sessionId, last, signal, times.silence, () => {
        wait = times.first;
        to.onState("live");
      }, (events) => {
        for (const e of events) last = e.type === "log:gap" ? e.data.next - 1 : e.seq || last;
        to.onEvents(events);
      });
    } catch (err) {
      if (signal.aborted) return;
      if (isFailure(err) && err.status >= 400 && err.status < 500 && err.status !== 429) {
        to.onState("refused", err);
        return;
      }
    }
    if (signal.aborted) return;
    to.onState("lost");
    await pause(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(wait * 2, times.most);
  }
}

/** Reads one connection to its end. */
async function readOnce(
  sessionId: string, last: number, signal: AbortSignal, silence: number, onOpen: () => void, onEvents: (events: LogEvent[]) => void,
): Promise<void> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  signal.addEventListener("abort", abort);
  let timer = setTimeout(abort, silence);
  try {
    const res = await request(sessionPath(sessionId, "/events"), {
      headers: { Accept: "text/event-stream", ...(last > 0 ? { "Last-Event-ID": String(last) } : {}) },
      signal: gone.signal,
    });
    onOpen();
    if (!res.body) return;
    let batch: LogEvent[] = [];
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        const parsed = parse(id, event, data);
        if (parsed) batch.push(parsed);
      },
    });
    const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(abort, silence);
      parser.feed(value);
      if (batch.length > 0) {
        onEvents(batch);
        batch = [];
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    gone.abort();
  }
}

function parse(id: string | undefined, type: string | undefined, data: string): LogEvent | undefined {
  if (!type) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  return { seq: id && /^\d+$/.test(id) ? Number(id) : 0, type, data: value } as LogEvent;
}

/** Waits, less long if the signal is aborted or the browser comes back online. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      globalThis.removeEventListener?.("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    globalThis.addEventListener?.("online", done);
  });
}
