// Light or dark: as the system says, or as a person chose on this machine.
import { useSyncExternalStore } from "react";
import { read, write } from "./keep";

export type Theme = "system" | "light" | "dark";

const key = "belay.theme";
const listeners = new Set<() => void>();

export function theme(): Theme {
  const chosen = read(key);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function setTheme(to: Theme): void {
  write(key, to === "system" ? null : to);
  applyTheme();
  for (const listener of listeners) listener();
}

export function applyTheme(): void {
  const chosen = theme();
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}
