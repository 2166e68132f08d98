// What changes in a project's files, while one of its views is looked at.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { isFailure, withQuery } from "../../api/http";
import { pause, readStream } from "../../api/stream";
import { whileVisible } from "../../ui/visible";

/** The key of what is known of a project. All that begins with it is asked for again when a file changes. */
export const projectKey = (root: string, ...more: string[]) => ["project", root, ...more] as const;

/** How long the server may say nothing, and the pause before it is asked again, in milliseconds. */
const silence = 45_000, again = 2_000;

/** Asks again for what is known of a project as soon as its files change. Returns whether the server tells. */
export function useProjectChanges(root: string): boolean {
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  useEffect(() => whileVisible((signal) => {
    void (async () => {
      let first = true;
      while (!signal.aborted) {
        try {
          await readStream(withQuery("/api/project/events", { projectRoot: root }), "", signal, silence, () => {
            setLive(true);
            if (!first) void client.invalidateQueries({ queryKey: projectKey(root) });
            first = false;
          }, (messages) => {
            if (messages.some((m) => m.event !== "project:ready")) void client.invalidateQueries({ queryKey: projectKey(root) });
          });
        } catch (err) {
          if (isFailure(err) && err.status >= 400 && err.status < 500) break; // it is gone, or this server does not tell
        }
        setLive(false);
        await pause(again, signal);
      }
      setLive(false);
    })();
  }), [client, root]);
  return live;
}
