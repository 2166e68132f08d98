// The address is the page's state: every view has a link, and the back button works.
import { useSyncExternalStore } from "react";

export type Route =
  | { view: "sessions" }
  | { view: "session"; id: string }
  | { view: "inbox" }
  | { view: "question"; id: string }
  | { view: "settings" }
  | { view: "missing" };

export function routeOf(path: string): Route {
  const [first = "", id = "", more] = path.replace(/^\/+|\/+$/g, "").split("/");
  if (more !== undefined) return { view: "missing" };
  if (id === "") {
    switch (first) {
      case "": return { view: "sessions" };
      case "inbox": return { view: "inbox" };
      case "settings": return { view: "settings" };
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

export const sessionLink = (id: string) => `/s/${encodeURIComponent(id)}`;
export const questionLink = (id: string) => `/q/${encodeURIComponent(id)}`;

const changed = "belay:route";

export function navigate(to: string, how: "push" | "replace" = "push"): void {
  if (to === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", to);
  dispatchEvent(new Event(changed));
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
