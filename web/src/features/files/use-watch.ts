import { useEffect, useRef } from "react";
import { watch } from "../../api/files";
import { whileVisible } from "../../ui/visible";
import { pollEvery, Refresher } from "./refresh";

/** Calls act with the paths of a project that changed while the view is there. */
export function useWatch(root: string, act: (paths: ReadonlySet<string> | "all") => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const refresher = new Refresher((paths) => latest.current(paths), {
      hidden: () => document.hidden, now: () => performance.now(),
      later: (run, ms) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); },
    });
    const end = whileVisible((signal) => {
      void watch(root, { onLive: (live) => refresher.setLive(live), onChanged: (paths) => refresher.changed(paths) }, signal).finally(() => refresher.setLive(false));
    });
    const poll = setInterval(() => refresher.tick(), pollEvery);
    const seen = () => refresher.seen();
    document.addEventListener("visibilitychange", seen);
    addEventListener("focus", seen);
    return () => {
      end();
      clearInterval(poll);
      refresher.stop();
      document.removeEventListener("visibilitychange", seen);
      removeEventListener("focus", seen);
    };
  }, [root]);
}
