// What a person chose below the message: persona, mode, model. Empty means as the
// session has it.
import { useSyncExternalStore } from "react";
import { read, write } from "../../ui/theme";

export interface Options { persona: string; mode: string; model: string }

export const modes = [
  { id: "direct", label: "Ask", title: "Asks before it changes something" },
  { id: "acceptEdits", label: "Accept edits", title: "Changes ordinary files in the write scope without a question" },
  { id: "plan", label: "Plan", title: "Reads and plans; changes nothing" },
  { id: "dontAsk", label: "Don't ask", title: "Does only what rules allow, and never asks" },
] as const;

const none: Options = { persona: "", mode: "", model: "" };
const listeners = new Set<() => void>();
const cache = new Map<string, Options>();

function of(key: string): Options {
  let options = cache.get(key);
  if (!options) cache.set(key, options = parse(read(`belay.options.${key}`)));
  return options;
}

export function setOption(key: string, name: keyof Options, value: string): void {
  const options = { ...of(key), [name]: value };
  cache.set(key, options);
  write(`belay.options.${key}`, JSON.stringify(options));
  for (const listener of listeners) listener();
}

export function useOptions(key: string): Options {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => of(key));
}

function parse(kept: string | null): Options {
  try {
    const value = JSON.parse(kept ?? "{}") as Record<string, unknown>;
    const text = (name: string) => (typeof value[name] === "string" ? value[name] : "");
    return { persona: text("persona"), mode: text("mode"), model: text("model") };
  } catch {
    return none;
  }
}

/**
 * The personas that converse, in groups: first those of the matrix that the workbench
 * is for (specification, 14.2), then the other ones. Personas of class TASK work in
 * pipelines and under others, and are not offered.
 */
export function selectable<P extends { id: string; class?: string }>(personas: readonly P[]): { matrix: P[]; others: P[] } {
  const ids = ["HELP", "ORCHESTRATE", "WORKING_ITEMS", "AGGREGATE", "AGENTS", "DEPENDENCIES", "CHANGE", "RECONCILING"];
  const same = (id: string) => aliases[id] ?? id;
  const matrix = personas.filter((p) => ids.includes(same(p.id))).sort((a, b) => ids.indexOf(same(a.id)) - ids.indexOf(same(b.id)));
  const others = personas.filter((p) => !ids.includes(same(p.id)) && p.class !== "TASK");
  return { matrix, others };
}

/** Ids under which instruction roots have personas of the matrix. */
const aliases: Record<string, string> = {
  HELPS_HUMANS: "HELP", ORCHESTRATOR: "ORCHESTRATE", AGGREGATION: "AGGREGATE", HELPS_AGENTS: "AGENTS", RECONCILIATION: "RECONCILING",
};
