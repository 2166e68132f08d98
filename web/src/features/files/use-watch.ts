import { useEffect, useRef } from "react";
import { useProjectChanges, useProjectLive } from "../project/live";
import { pollEvery, Refresher } from "./refresh";

/** Calls act with the paths of the project that changed while the view is there. */
export function useWatch(act: (paths: ReadonlySet<string> | "all") => void): void {
  const latest = useRef(act);
  useEffect(() => { latest.current = act; });
  const refresher = useRef<Refresher>(undefined);
  const live = useProjectLive();
  useEffect(() => {
    const r = new Refresher((paths) => latest.current(paths), {
      hidden: () => document.hidden, now: () => performance.now(),
      later: (run, ms) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); },
    });
    refresher.current = r;
    const poll = setInterval(() => r.tick(), pollEvery);
    const seen = () => r.seen();
    document.addEventListener("visibilitychange", seen);
    addEventListener("focus", seen);
    return () => {
      clearInterval(poll);
      r.stop();
      document.removeEventListener("visibilitychange", seen);
      removeEventListener("focus", seen);
    };
  }, []);
  useEffect(() => { refresher.current?.setLive(live); }, [live]);
  useProjectChanges((change) => refresher.current?.changed(change.all ? "all" : change.paths));
}
