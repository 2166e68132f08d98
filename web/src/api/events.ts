// The event stream of a session: it comes back by itself and loses nothing.
import type { EventSourceMessage } from "eventsource-parser";
import { sessionPath } from "./client";
import { type Failure, isFailure, isLasting } from "./http";
import { objectOf, pause, readStream } from "./stream";
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
 * dropped connection it continues after the last event (Last-Event-ID). A server
 * that sends nothing for `silence`, not even a keep-alive, counts as gone. A refusal
 * that lasts ends it.
 */
export async function follow(
  sessionId: string, after: number, to: Following, signal: AbortSignal, times: Timing = timing,
): Promise<void> {
  let last = after;
  let wait = times.first;
  while (!signal.aborted) {
    let asked = 0;
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
      if (isLasting(err)) {
        to.onState("refused", err);
        return;
      }
      if (isFailure(err)) asked = err.retryAfter;
    }
    if (signal.aborted) return;
    to.onState("lost");
    await pause(Math.max(asked, wait * (0.75 + Math.random() / 2)), signal);
    wait = Math.min(wait * 2, times.most);
  }
}

/** Reads one connection of a session's log to its end. */
function readOnce(
  sessionId: string, last: number, signal: AbortSignal, silence: number, onOpen: () => void, onEvents: (events: LogEvent[]) => void,
): Promise<void> {
  return readStream(sessionPath(sessionId, "/events"), last > 0 ? String(last) : "", signal, silence, onOpen, (messages) => {
    const events = messages.flatMap((m) => parse(m) ?? []);
    if (events.length > 0) onEvents(events);
  });
}

function parse({ id, event, data }: EventSourceMessage): LogEvent | undefined {
  const value = objectOf(data);
  if (!event || !value) return undefined;
  return { seq: id && /^\d+$/.test(id) ? Number(id) : 0, type: event, data: value } as LogEvent;
}
