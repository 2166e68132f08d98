// Notifications of the browser for questions, where a person wants them.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { navigate, questionLink } from "../../route";
import { visible } from "../../ui/format";
import { read, write } from "../../ui/keep";
import { type Ask, wordsOf } from "../inbox/ask";

const name = "belay.notify";
const listeners = new Set<() => void>();
/** Set once one could not be made: phones have the name and refuse to show any. */
let refused = false;

export type Notifying = "on" | "off" | "denied" | "missing";

export function notifying(): Notifying {
  if (typeof Notification === "undefined" || refused) return "missing";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && read(name) === "on" ? "on" : "off";
}

export function useNotifying(): Notifying {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, notifying);
}

/** Turns notifications on or off. The browser asks the person the first time. */
export async function setNotifying(on: boolean): Promise<void> {
  if (on && typeof Notification !== "undefined" && Notification.permission === "default") await Notification.requestPermission();
  write(name, on ? "on" : null);
  for (const listener of listeners) listener();
}

/** Shows a notification for each question that is new while nobody looks at the page. */
export function useNotifications(asks: readonly Ask[], known: boolean): void {
  const seen = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (!known) return;
    const before = seen.current;
    seen.current = new Set(asks.map((a) => a.id));
    if (!before || document.visibilityState === "visible" && document.hasFocus() || notifying() !== "on") return;
    for (const ask of asks) {
      if (before.has(ask.id)) continue;
      if (!notify(ask)) return;
    }
  }, [asks, known]);
}

/** Shows a notification, and reports whether this browser does. */
export function notify(ask: Ask): boolean {
  try {
    // All tabs show the same one: the tag makes it one.
    const note = new Notification(wordsOf(ask).title, { tag: ask.id, body: visible(ask.effect?.command ?? ask.reason), icon: "/icon.svg" });
    note.onclick = () => { focus(); navigate(questionLink(ask.id)); note.close(); };
    return true;
  } catch {
    refused = true;
    for (const listener of listeners) listener();
    return false;
  }
}
