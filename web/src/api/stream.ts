// One connection of an event stream.
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { request } from "./http";

/**
 * Reads a stream to its end. Messages that came together are given together. A server
 * that sends nothing for `silence` milliseconds, not even a keep-alive, counts as gone.
 */
export async function readStream(
  path: string, lastEventId: string, signal: AbortSignal, silence: number, onOpen: () => void, onMessages: (messages: EventSourceMessage[]) => void,
): Promise<void> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  signal.addEventListener("abort", abort);
  let timer = setTimeout(abort, silence);
  try {
    const res = await request(path, {
      headers: { Accept: "text/event-stream", ...(lastEventId ? { "Last-Event-ID": lastEventId } : {}) },
      signal: gone.signal,
    });
    onOpen();
    if (!res.body) return;
    let batch: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => batch.push(message) });
    const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(abort, silence);
      parser.feed(value);
      if (batch.length > 0) onMessages(batch);
      batch = [];
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    gone.abort();
  }
}

/** The object that a message's data is, undefined where it is none. */
export function objectOf(data: string): object | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Waits, less long if the signal is aborted or the browser comes back online. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
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
