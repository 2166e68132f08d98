// The stream of all changes: it says which lists to ask for again.
import { isFailure } from "./http";
import { pause, readStream } from "./stream";

/** The lists that change, by the name under which they are asked for. */
export type List = "questions" | "sessions" | "projects";

const concerns: Record<string, readonly List[]> = {
  "decision:opened": ["questions"], "decision:closed": ["questions"],
  "session:changed": ["sessions"], "session:removed": ["sessions"], "run:changed": ["questions"],
  "projects:changed": ["projects"], "feed:reset": ["questions", "sessions", "projects"],
};

/**
 * Follows the changes until the signal is aborted, and says whether it hears of them at
 * this time. A server without such a stream ends it.
 */
export async function followChanges(onChange: (lists: Set<List>) => void, onState: (live: boolean) => void, signal: AbortSignal): Promise<void> {
  let last = "";
  let wait = 500;
  while (!signal.aborted) {
    try {
      await readStream("/api/events", last, signal, 45_000, () => {
        wait = 500;
        onState(true);
      }, (messages) => {
        const lists = new Set<List>();
        for (const { id, event } of messages) {
          last = id || last;
          for (const list of concerns[event ?? ""] ?? []) lists.add(list);
        }
        if (lists.size > 0) onChange(lists);
      });
    } catch (err) {
      if (isFailure(err) && err.status >= 400 && err.status < 500 && err.status !== 429) break;
    }
    onState(false);
    await pause(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(wait * 2, 15_000);
  }
  onState(false);
}
