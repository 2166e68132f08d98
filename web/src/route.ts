// The address is the page's state: every view has a link, and the back button works.
import { useEffect, useState, useSyncExternalStore } from "react";

export type Route =
  | { view: "sessions" }
  | { view: "session"; id: string }
  | { view: "inbox" }
  | { view: "question"; id: string }
  | { view: "settings" }
  | { view: "project"; id: string; part: ProjectPart; item: string }
  /** An address of the original system: it leads to a view of this page. */
  | { view: "old"; path: "portal" | "workbench" | "pipeline" }
  | { view: "missing" };

/** The views of a project, in the order in which they are offered. "" is its overview. */
export const projectParts = ["", "pipeline", "workflows", "graph", "files", "history"] as const;
/** `d` is a deliverable, and `runs` is a run of a workflow; the item names it. */
export type ProjectPart = (typeof projectParts)[number] | "d" | "runs";

export function routeOf(path: string): Route {
  const [first = "", id = "", ...more] = path.replace(/^\/+|\/+$/g, "").split("/");
  if (first === "p" && id !== "") return projectRoute(id, more);
  if (more.length > 0) return { view: "missing" };
  if (id === "") {
    switch (first) {
      case "": return { view: "sessions" };
      case "inbox": return { view: "inbox" };
      case "settings": return { view: "settings" };
      case "portal": case "workbench": case "pipeline": return { view: "old", path: first };
    }
  } else if (first === "s" || first === "q") {
    let decoded: string;
    try {
      decoded = decodeURIComponent(id);
    } catch {
      return { view: "missing" };
    }
    return first === "s" ? { view: "session", id: decoded } : { view: "question", id: decoded };
  }
  return { view: "missing" };
}

function projectRoute(id: string, [part = "", item = "", more]: string[]): Route {
  const named = part === "d" || part === "runs";
  if (more !== undefined || named !== (item !== "") || !named && !(projectParts as readonly string[]).includes(part)) return { view: "missing" };
  try {
    return { view: "project", id: decodeURIComponent(id), part: part as ProjectPart, item: decodeURIComponent(item) };
  } catch {
    return { view: "missing" };
  }
}

export function projectLink(id: string, part: ProjectPart = "", item = "", query: Record<string, string> = {}): string {
  const path = ["/p", encodeURIComponent(id), part, item && encodeURIComponent(item)].filter(Boolean).join("/");
  const params = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== "")).toString();
  return params ? `${path}?${params}` : path;
}

/** The link of a deliverable, by its key PKG::ID. */
export const deliverableLink = (project: string, key: string, query: Record<string, string> = {}) => projectLink(project, "d", key, query);

export const sessionLink = (id: string) => `/s/${encodeURIComponent(id)}`;
export const questionLink = (id: string) => `/q/${encodeURIComponent(id)}`;

/** The link that begins a session in a project. Without the project it would begin where somebody looked last. */
export function newSessionLink(root: string, persona = ""): string {
  return `/?${new URLSearchParams({ new: "1", ...(persona ? { persona } : {}), ...(root ? { root } : {}) })}`;
}

const changed = "belay:route";

export function navigate(to: string, how: "push" | "replace" = "push"): void {
  if (to === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", to);
  dispatchEvent(new Event(changed));
}

/**
 * Changes the entry of the view at a path. What a view does late, in an effect or after an
 * answer, must not take the place of the entry to which the person has gone meanwhile.
 */
export function amend(path: string, to: string): void {
  const shown = JSON.stringify(routeOf(location.pathname)); // a view has more than one spelling
  if (shown === JSON.stringify(routeOf(path))) navigate(to, "replace");
}

/** How soon what a person types is in the address, in milliseconds. A browser allows few changes of it. */
const settles = 250;

/** Amends the entry of the view at a path in a moment, unless that is given up before: it returns how. */
export function amendLater(path: string, to: string): () => void {
  const timer = setTimeout(() => amend(path, to), settles);
  return () => clearTimeout(timer);
}

function subscribe(listener: () => void): () => void {
  addEventListener("popstate", listener);
  addEventListener(changed, listener);
  return () => {
    removeEventListener("popstate", listener);
    removeEventListener(changed, listener);
  };
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => location.pathname));
}

/** A parameter of the address's query. */
export function useParam(name: string): string {
  return useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name) ?? "");
}

/**
 * A parameter that a person types, in the view at a path. What was typed counts at once, and is in
 * the address a moment later. Until then the links of the view have to carry it.
 */
export function useTypedParam(name: string, path: string, linkOf: (typed: string) => string): [typed: string, type: (text: string) => void] {
  const known = useParam(name);
  const [typed, type] = useState(known);
  useEffect(() => { type(known); }, [known]);
  const to = typed === known ? "" : linkOf(typed);
  useEffect(() => (to ? amendLater(path, to) : undefined), [path, to]);
  return [typed, type];
}

/** Whether a fragment asks for something that takeFragment takes. */
export function asks(hash: string): boolean {
  const params = new URLSearchParams(hash.slice(1));
  return ["code", "session", "root"].some((name) => params.get(name));
}

/**
 * What the address's fragment asks for: the code of a one-time link, or a place as the
 * page wrote it before it had paths. The fragment is taken away.
 */
export function takeFragment(): { code: string } {
  const params = new URLSearchParams(location.hash.slice(1));
  const code = params.get("code") ?? "";
  const session = params.get("session");
  const root = params.get("root");
  if (location.hash === "") return { code };
  const path = session ? sessionLink(session) : location.pathname;
  const query = root && !session ? `?root=${encodeURIComponent(root)}` : location.search;
  history.replaceState(null, "", path + query);
  return { code };
}
