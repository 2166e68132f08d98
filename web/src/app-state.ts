// What all views share: live conversations, drafts, and what is read from the server.
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import * as api from "./api/client";
import { shared } from "./api/shared-stream";
import type { KeptChange, RunSummary } from "./api/types";
import { useParam, useRoute } from "./route";
import { Drafts } from "./features/workbench/drafts";
import { Feeds } from "./session/store";
import { lastRoot } from "./ui/keep";
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
    shared.changes((lists) => {
      for (const list of lists) void client.invalidateQueries({ queryKey: [list] });
    }, setLive, signal);
  }), [client]);
  return live;
}

export function useProjects() {
  return useQuery({ queryKey: ["projects"], queryFn: ({ signal }) => api.projects(signal), refetchInterval: 30_000, retry: false });
}

/** The sessions that a search finds in a project, in all with root "*", and in none with "". */
export function useSessions(root: string, query = "", state = "") {
  const live = useContext(LiveContext);
  const { data, ...rest } = useInfiniteQuery({
    queryKey: ["sessions", root, query, state], enabled: root !== "", placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) => api.listSessions(root === everywhere ? "" : root, query, signal, { state, cursor: pageParam }),
    initialPageParam: "", getNextPageParam: (last) => last.next,
    refetchInterval: (q) => (live || (q.state.data?.pages.length ?? 0) > 3 ? 60_000 : 5_000),
  });
  const pages = data?.pages;
  // A session that moved up while pages were read is in two of them.
  const sessions = useMemo(() => [...new Map(pages?.flatMap((p) => p.sessions).map((s) => [s.sessionId, s])).values()], [pages]);
  return { ...rest, known: pages !== undefined, sessions, total: pages?.[0]?.total ?? 0 };
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

/** A model's id as people know it: the offline one says that it is. */
export function useModelName() {
  const models = useModels();
  return (id: string) => models.find((m) => m.id === id)?.name ?? id;
}

/** What the server is set to. A server on a network may keep that from members. */
export function useServer() {
  const { data } = useQuery({
    queryKey: ["settings"], queryFn: ({ signal }) => api.settings(signal), staleTime: Infinity, retry: false,
  });
  const setting = (key: string) => String(data?.find((row) => row.key === key)?.value ?? "");
  return { known: data !== undefined, provider: setting("provider"), project: setting("project"), model: setting("model") || setting("default_model") };
}

/** What the server takes, and what this browser may do. */
export function useInfo() {
  return useQuery({ queryKey: ["info"], queryFn: ({ signal }) => api.info(signal), staleTime: 60_000, retry: false });
}

/** Projects that are asked for kept changes and runs, the last used ones. */
const askedProjects = 12;

function useProjectFolders(): string[] {
  const { data } = useProjects();
  const root = useProjectRoot();
  const known = (data ?? []).filter((p) => p.exists).map((p) => p.path);
  return [...new Set([root, ...known])].filter(Boolean).slice(0, askedProjects);
}

export interface KeptRow { root: string; change: KeptChange }

/** What commands changed that is neither applied nor discarded, in the projects used last. */
export function useKept(enabled = true) {
  const roots = useProjectFolders();
  return useQueries({
    queries: roots.map((root) => ({ queryKey: ["kept", root], queryFn: ({ signal }: { signal: AbortSignal }) => api.keptChanges(root, signal), enabled, staleTime: 5_000, retry: false })),
    combine: (all) => ({
      rows: all.flatMap((one, i) => (one.data ?? []).map((change): KeptRow => ({ root: roots[i]!, change }))),
      isPending: all.some((one) => one.isPending), error: all.find((one) => one.error)?.error ?? null,
    }),
  });
}

export function useClosed(enabled: boolean) {
  return useQuery({ queryKey: ["closed"], queryFn: ({ signal }) => api.closedQuestions(signal), enabled, retry: false });
}

export interface ActiveRun { root: string; run: RunSummary }

/** The turns that run or wait, of all projects. */
export function useActive() {
  const live = useContext(LiveContext);
  return useQuery({
    queryKey: ["active"], retry: false, refetchInterval: live ? 60_000 : 10_000,
    queryFn: async ({ signal }) => {
      const [running, waiting] = await Promise.all(["running", "waiting"].map((state) => api.listSessions("", "", signal, { state })));
      return [...running!.sessions, ...waiting!.sessions];
    },
  });
}

/** The workflow runs that are at work, in the projects used last. */
export function useActiveRuns(enabled: boolean) {
  const roots = useProjectFolders();
  return useQueries({
    queries: roots.map((root) => ({ queryKey: ["active", "runs", root], queryFn: ({ signal }: { signal: AbortSignal }) => api.runs(root, signal), enabled, staleTime: 2_000, retry: false })),
    combine: (all) => all.flatMap((one, i) => (one.data ?? []).filter((run) => run.live).map((run): ActiveRun => ({ root: roots[i]!, run }))),
  });
}

export function useTools() {
  return useQuery({ queryKey: ["tools"], queryFn: ({ signal }) => api.tools(signal), staleTime: 60_000, retry: false }).data ?? [];
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
  if (route.view === "project") return projects?.find((p) => p.id === route.id)?.path ?? "";
  return param || lastRoot() || server.project || projects?.find((p) => p.exists)?.path || "";
}

/** The project that is looked at, once it is known. */
export function useCurrentProject() {
  const root = useProjectRoot();
  const { data } = useProjects();
  return data?.find((p) => p.path === root);
}

/** Asks again for what an action has changed. The promise ends with the answers. */
export function useRefresh() {
  const client = useQueryClient();
  return (...keys: string[]): Promise<unknown> => Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] })));
}
