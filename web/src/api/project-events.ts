// What changes in a project, told to every tab that shows it. One tab reads the stream of a
// project and tells the others, as a browser opens only few connections.
import { useEffect, useRef } from "react";
import { whileVisible } from "../ui/visible";
import { withQuery } from "./http";
import { objectOf, pause, readStream } from "./stream";

/** Files that were written, made or removed, relative to the project. All is set where they are not known one by one. */
export interface ProjectChange { paths: readonly string[]; all: boolean }

/** How long a stream may be silent, in milliseconds; the server sends a comment every 15 seconds. */
const silence = 40_000;

/** The longest wait before the next try, in milliseconds. */
const longest = 10_000;

const everything: ProjectChange = { paths: [], all: true };

/**
 * Reads the changes of a project until the signal is aborted. After a connection that was
 * lost, everything may have changed.
 */
async function read(project: string, tell: (change: ProjectChange) => void, signal: AbortSignal): Promise<void> {
  for (let wait = 500, first = true; !signal.aborted; wait = Math.min(longest, wait * 2)) {
    try {
      await readStream(withQuery("/api/project/events", { project }), "", signal, silence, () => undefined, (messages) => {
        for (const m of messages) {
          if (m.event === "project:ready") {
            if (!first) tell(everything);
            first = false;
            wait = 500;
          } else if (m.event === "project:reset") tell(everything);
          else if (m.event === "project:changed") {
            const data = objectOf(m.data) as { paths?: string[]; more?: boolean } | undefined;
            tell({ paths: data?.paths ?? [], all: data?.more ?? true });
          }
        }
      });
    } catch {
      // It is tried again.
    }
    await pause(wait, signal);
  }
}

/** Follows a project's changes until the signal is aborted, through whichever tab reads them. */
export function followProject(project: string, tell: (change: ProjectChange) => void, signal: AbortSignal): void {
  if (typeof navigator === "undefined" || !("locks" in navigator) || typeof BroadcastChannel !== "function") {
    void read(project, tell, signal);
    return;
  }
  const name = `belay.project.${project}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = (e: MessageEvent<ProjectChange>) => tell(e.data);
  signal.addEventListener("abort", () => channel.close(), { once: true });
  const lead = () => read(project, (change) => { channel.postMessage(change); tell(change); }, signal);
  void navigator.locks.request(name, { signal }, () => {
    tell(everything); // the tab that read before may have gone between two changes
    return lead();
  }).catch(() => undefined);
}

/** Calls back when files of a project change, while the page is seen. */
export function useProjectChanges(project: string, onChange: (change: ProjectChange) => void): void {
  const to = useRef(onChange);
  useEffect(() => { to.current = onChange; });
  useEffect(() => {
    let before = false;
    const work = () => whileVisible((signal) => {
      if (before) to.current(everything); // nobody told while it was hidden
      before = true;
      followProject(project, (change) => to.current(change), signal);
    });
    // A page that the browser keeps for the way back would keep the lock, too.
    let end = work();
    const leave = () => end();
    const back = (e: PageTransitionEvent) => { if (e.persisted) end = work(); };
    addEventListener("pagehide", leave);
    addEventListener("pageshow", back);
    return () => {
      removeEventListener("pagehide", leave);
      removeEventListener("pageshow", back);
      end();
    };
  }, [project]);
}
