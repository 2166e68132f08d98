// What changes in a project, told to every tab that shows it. One tab reads the stream of a
// project and tells the others, as a browser opens only few connections.
import { isFailure, isLasting, isProjectGone, withQuery } from "./http";
import { objectOf, pause, readStream } from "./stream";

/**
 * Files that were written, made or removed, relative to the project. All is set where they are not
 * known one by one, proposals where what agents propose for registers changed.
 */
export interface ProjectChange { paths: readonly string[]; all: boolean; proposals?: boolean }

export interface ProjectListener {
  onChange(change: ProjectChange): void;
  /** Tells whether the server reports changes as they happen. */
  onLive(live: boolean): void;
}

interface Data { version?: number; paths?: string[]; more?: boolean; watch?: string; proposals?: boolean }

/** A project:changed event. One that names nothing says that anything may have changed. */
export function changeOf(data: Data | undefined): ProjectChange {
  const paths = data?.paths ?? [], proposals = data?.proposals ?? false;
  return { paths, all: data?.more ?? (paths.length === 0 && !proposals), proposals };
}

/** How long a stream may be silent, in milliseconds; the server sends a comment every 15 seconds. */
const silence = 40_000;

/** The first and the longest wait before the next try, in milliseconds, and the one after a refusal. */
const shortest = 500, longest = 10_000, refused = 30_000;

const everything: ProjectChange = { paths: [], all: true };

/** What tabs say to each other: what changed up to a version of the project, whether the server tells, and a question for both. */
type News = { at: string; live: boolean } | { at: string; change: ProjectChange };
type Word = News | "live?";

/** Where a tab is: the version up to which it has all changes, empty while it knows none. */
interface Place { at: string }

/**
 * Reads the changes of a project after a place until the signal is aborted, or the project
 * is gone. A connection that was lost is continued: the server sends what came meanwhile.
 */
async function read(project: string, place: Readonly<Place>, tell: (news: News) => void, signal: AbortSignal): Promise<void> {
  const quiet = () => tell({ at: place.at, live: false });
  for (let wait = shortest; !signal.aborted; wait = Math.min(longest, wait * 2)) {
    let asked = 0;
    try {
      await readStream(withQuery("/api/project/events", { project }), place.at, signal, silence, () => undefined, (messages) => {
        for (const m of messages) {
          const data = objectOf(m.data) as Data | undefined;
          const at = m.id || place.at;
          if (m.event === "project:ready") {
            wait = shortest;
            // Changes after a place that was named are still to come.
            tell({ at: place.at || String(data?.version ?? ""), live: data?.watch === "events" });
          } else if (m.event === "project:reset") tell({ at, change: everything });
          else if (m.event === "project:changed") tell({ at, change: changeOf(data) });
        }
      });
    } catch (err) {
      // Only a project that is gone ends the stream. A browser that is refused may be let in at any time.
      if (isProjectGone(err)) {
        tell({ at: place.at, change: everything });
        break;
      }
      if (isLasting(err)) wait = refused;
      else if (isFailure(err)) asked = err.retryAfter;
    }
    quiet();
    await pause(Math.max(asked, wait), signal);
  }
  quiet();
}

/** Follows a project's changes until the signal is aborted, through whichever tab reads them. */
export function followProject(project: string, to: ProjectListener, signal: AbortSignal): void {
  const place: Place = { at: "" };
  let live = false;
  const hear = (news: News) => {
    // The first place that a tab hears of may be later than what it has read.
    const first = place.at === "" && news.at !== "";
    place.at = news.at;
    if ("change" in news) to.onChange(first ? everything : news.change);
    else {
      live = news.live;
      if (first) to.onChange(everything);
      to.onLive(live);
    }
  };
  if (typeof navigator === "undefined" || !("locks" in navigator) || typeof BroadcastChannel !== "function") {
    void read(project, place, hear, signal);
    return;
  }
  const name = `belay.project.${project}`;
  const channel = new BroadcastChannel(name);
  const say = (word: Word) => { if (!signal.aborted) channel.postMessage(word); };
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data !== "live?") hear(data);
    else if (leads) say({ at: place.at, live });
  };
  say("live?");
  signal.addEventListener("abort", () => channel.close(), { once: true });
  void navigator.locks.request(name, { signal }, () => {
    leads = true;
    return read(project, place, (news) => { say(news); hear(news); }, signal);
  }).catch(() => undefined);
}
