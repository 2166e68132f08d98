// What all views share: live conversations, drafts, and what is read from the server.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { followChanges } from "./api/changes";
import * as api from "./api/client";
import { useParam, useRoute } from "./route";
import { Drafts } from "./features/workbench/drafts";
import { Feeds } from "./session/store";
import { read } from "./ui/theme";
import { whileVisible } from "./ui/visible";

export interface Shared { feeds: Feeds; drafts: Drafts }

export const SharedContext = createContext<Shared | null>(null);

export const newShared = (): Shared => ({ feeds: new Feeds(), drafts: new Drafts() });

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (!shared) throw new Error("outside of the app");
  return shared;
}

/** A session's live conversation. */
export function useFeed(sessionId: string) {
  const { feeds } = useShared();
  const feed = useMemo(() => feeds.of(sessionId), [feeds, sessionId]);
  return { feed, state: useSyncExternalStore(feed.subscribe, feed.get) };
}

export function useDraft(key: string) {
  const { drafts } = useShared();
  const draft = drafts.of(key);
  return { draft, state: useSyncExternalStore(draft.subscribe, draft.get) };
}

/** Every open question. */
export function useQuestions() {
  const live = useContext(LiveContext);
  return useQuery({
    queryKey: ["questions"], queryFn: ({ signal }) => api.openQuestions(signal),
    refetchInterval: (q) => (live ? 60_000 : q.state.error || document.hidden ? 15_000 : 2_500), refetchIntervalInBackground: true, retry: false,
  });
}

/** Whether the server tells of changes. Where it does not, lists are asked for again and again. */
export const LiveContext = createContext(false);

/** Asks for lists again as soon as the server says that they have changed. */
export function useChanges(): boolean {
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  useEffect(() => whileVisible((signal) => {
    void followChanges((lists) => {
      for (const list of lists) void client.invalidateQueries({ queryKey: [list] });
    }, setLive, signal);
  }), [client]);
  return live;
}

export function useProjects() {
  return useQuery({ queryKey: ["projects"], queryFn: ({ signal }) => api.projects(signal), refetchInterval: 30_000, retry: false });
}

/** The sessions that a search finds in a project, in all with root "*", and in none with "". */
export function useSessions(root: string, query = "") {
  const live = useContext(LiveContext);
  return useQuery({
    queryKey: ["sessions", root, query], queryFn: ({ signal }) => api.listSessions(root === everywhere ? "" : root, query, signal),
    enabled: root !== "", refetchInterval: live ? 60_000 : 5_000, placeholderData: keepPreviousData,
  });
}

/** Stands for all projects where a project's folder is expected. */
export const everywhere = "*";

export function useSession(id: string) {
  return useQuery({ queryKey: ["session", id], queryFn: ({ signal }) => api.getSession(id, signal), enabled: id !== "" });
}

export function usePersonas() {
  return useQuery({ queryKey: ["personas"], queryFn: ({ signal }) => api.personas(signal), staleTime: 60_000 });
}

/** The models that can be chosen; none where the server does not say. */
export function useModels() {
  return useQuery({ queryKey: ["models"], queryFn: ({ signal }) => api.models(signal), staleTime: Infinity, retry: false }).data ?? [];
}

/** What the server is set to. A server on a network may keep that from members. */
export function useServer() {
  const { data } = useQuery({
    queryKey: ["settings"], queryFn: ({ signal }) => api.settings(signal), staleTime: Infinity, retry: false,
  });
  const setting = (key: string) => String(data?.find((row) => row.key === key)?.value ?? "");
  return { known: data !== undefined, provider: setting("provider"), project: setting("project"), model: setting("model") || setting("default_model") };
}

export function useChecks() {
  return useQuery({ queryKey: ["doctor"], queryFn: ({ signal }) => api.doctor(signal), staleTime: 60_000, retry: false });
}

/** The project folder that is looked at: of the open session, the address, the last visit, or the server. */
export function useProjectRoot(): string {
  const route = useRoute();
  const param = useParam("root");
  const session = useSession(route.view === "session" ? route.id : "");
  const { data: projects } = useProjects();
  const server = useServer();
  if (session.data) return session.data.projectRoot;
  return param || read("belay.root") || server.project || projects?.find((p) => p.exists)?.path || "";
}

/** Asks again for what an action has changed. */
export function useRefresh() {
  const client = useQueryClient();
  return (...keys: string[]) => { for (const key of keys) void client.invalidateQueries({ queryKey: [key] }); };
}
