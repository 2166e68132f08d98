// Events that are in no log. The end of a turn that the log could not take is one of them, and
// comes again with every connection.
import type { LogEvent } from "./event";
import type { Conversation } from "./model";

/** What comes once while a turn runs, and the exit, which does nothing where no turn runs. */
const uncounted: ReadonlySet<LogEvent["type"]> = new Set(["tool:output", "chat:delta", "chat:thinking", "process:exit"]);

/** Notes an event in the conversation; undefined where it is known already. */
export function noted(c: Conversation, e: LogEvent): Conversation | undefined {
  if (e.seq > 0) {
    const { unrecorded: _, ...rest } = c;
    return e.seq <= c.seq ? undefined : { ...rest, seq: e.seq };
  }
  if (uncounted.has(e.type)) return c;
  const told = JSON.stringify([e.turn, e.type, e.data]);
  if (!c.unrecorded?.includes(told)) return { ...c, unrecorded: [...(c.unrecorded ?? []), told] };
  return c.running === "" ? undefined : c;
}
