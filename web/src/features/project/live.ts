// What changes in a project's files, while one of its views is looked at. The frame of the
// views follows the project; the views listen to the frame.
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import { followProject, type ProjectChange } from "../../api/project-events";
import { whileVisible } from "../../ui/visible";

/** The key of what is known of a project. All that begins with it is asked for again when a file changes. */
export const projectKey = (root: string, ...more: string[]) => ["project", root, ...more] as const;

/** What the frame knows: whether the server tells of changes, and whom to tell. */
export interface ProjectNews { live: boolean; listen(onChange: (change: ProjectChange) => void): () => void }

export const NewsContext = createContext<ProjectNews>({ live: false, listen: () => () => undefined });

/** Follows a project while the page is seen, and asks again for what is known of it when it changes. */
export function useNews(project: { id: string; path: string }): ProjectNews {
  const { id, path } = project;
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  const listeners = useRef(new Set<(change: ProjectChange) => void>());
  useEffect(() => {
    const onChange = (change: ProjectChange) => {
      void client.invalidateQueries({ queryKey: projectKey(path) });
      if (change.all) void client.invalidateQueries({ queryKey: ["projects"] }); // it may be gone
      for (const listener of listeners.current) listener(change);
    };
    const work = () => whileVisible((signal) => followProject(id, { onChange, onLive: setLive }, signal));
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
  }, [client, id, path]);
  return useMemo(() => ({
    live,
    listen: (onChange) => {
      listeners.current.add(onChange);
      return () => { listeners.current.delete(onChange); };
    },
  }), [live]);
}

/** Whether the server tells of the project's changes as they happen. */
export const useProjectLive = (): boolean => useContext(NewsContext).live;

/** Calls back when files of the project change. */
export function useProjectChanges(onChange: (change: ProjectChange) => void): void {
  const { listen } = useContext(NewsContext);
  const latest = useRef(onChange);
  useEffect(() => { latest.current = onChange; });
  useEffect(() => listen((change) => latest.current(change)), [listen]);
}
