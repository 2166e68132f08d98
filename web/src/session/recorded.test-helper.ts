// Reads recorded event streams, for tests.
import { readFileSync } from "node:fs";
import { createParser } from "eventsource-parser";
import type { LogEvent } from "./event";

/** The events of a stream that was recorded from a server. */
export function recorded(name: string): LogEvent[] {
  const events: LogEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => { events.push({ seq: Number(id ?? 0), type: event, data: JSON.parse(data) } as LogEvent); },
  });
  parser.feed(readFileSync(new URL(`testdata/${name}`, import.meta.url), "utf8"));
  return events;
}
