// What changes in a project, told to every tab that shows it. One tab reads the stream of a
// project and tells the others, as a browser opens only few connections.
import { isFailure, withQuery } from "./http";
import { objectOf, pause, readStream } from "./stream";

/** Files that were written, made or removed, relative to the project. All is set where they are not known one by one. */
export interface ProjectChange { paths: readonly string[]; all: boolean }

export interface ProjectListener {
  onChange(change: ProjectChange): void;
  /** Tells whether the server reports changes as they happen. */
  onLive(live: boolean): void;
}

/** How long a stream may be silent, in milliseconds; the server sends a comment every 15 seconds. */
const silence = 40_000;

/** The first and the longest wait before the next try, in milliseconds. */
const shortest = 500, longest = 10_000;

export const everything: ProjectChange = { paths: [], all: true };

/**
 * Reads the changes of a project until the signal is aborted, or the server refuses. After a
 * connection that was lost, everything may have changed.
 */
async function read(project: string, to: ProjectListener, signal: AbortSignal): Promise<void> {
  for (let wait = shortest, first = true; !signal.aborted; wait = Math.min(longest, wait * 2)) {
    try {
      await readStream(withQuery("/api/project/events", { project }), "", signal, silence, () => undefined, (messages) => {
        for (const m of messages) {
          const data = objectOf(m.data) as { paths?: string[]; more?: boolean; watch?: string } | undefined;
          if (m.event === "project:ready") {
            if (!first) to.onChange(everything);
            first = false;
            wait = shortest;
            to.onLive(data?.watch === "events");
          } else if (m.event === "project:reset") to.onChange(everything);
          else if (m.event === "project:changed") to.onChange({ paths: data?.paths ?? [], all: data?.more ?? true });
        }
      });
    } catch (err) {
      // A project that is gone is refused for good. Anything else is tried again.
      if (isFailure(err) && err.status >= 400 && err.status < 500 && err.status !== 429) break;
    }
    to.onLive(false);
    await pause(wait, signal);
  }
  to.onLive(false);
}

/** What tabs say to each other: what changed, whether the server tells, and a question for the latter. */
type Word = { change: ProjectChange } | { live: boolean } | "live?";

/** Follows a project's changes until the signal is aborted, through whichever tab reads them. */
export function followProject(project: string, to: ProjectListener, signal: AbortSignal): void {
  if (typeof navigator === "undefined" || !("locks" in navigator) || typeof BroadcastChannel !== "function") {
    void read(project, to, signal);
    return;
  }
  const name = `belay.project.${project}`;
  const channel = new BroadcastChannel(name);
  const say = (word: Word) => { if (!signal.aborted) channel.postMessage(word); };
  let leads = false, live = false;
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data === "live?") {
      if (leads) say({ live });
    } else if ("change" in data) to.onChange(data.change);
    else to.onLive(data.live);
  };
  say("live?");
  signal.addEventListener("abort", () => channel.close(), { once: true });
  void navigator.locks.request(name, { signal }, () => {
    leads = true;
    to.onChange(everything); // the tab that read before may have gone between two changes
    return read(project, {
      onChange: (change) => { say({ change }); to.onChange(change); },
      onLive: (is) => { live = is; say({ live }); to.onLive(is); },
    }, signal);
  }).catch(() => undefined);
}
