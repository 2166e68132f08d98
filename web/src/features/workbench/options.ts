// What a person chose below the message: persona, mode, model, limits. Empty means as
// the session, the persona and the server have it.
import { useSyncExternalStore } from "react";
import type { TurnOpts } from "../../api/types";
import { Kept, onKeptElsewhere } from "../../ui/keep";

/** The options of a turn as texts. */
export interface Options {
  persona: string; mode: string; model: string;
  /** Names with commas between them. */
  tools: string;
  maxTurns: string; maxTokens: string; maxCostUsd: string; minutes: string;
  /**
   * What a delegation was approved as. It is of one turn: it leaves the options with its message, and comes
   * back where that is refused. They never keep it; the record of a message on its way does, for that alone.
   */
  approval: string;
}

const names = ["persona", "mode", "model", "tools", "maxTurns", "maxTokens", "maxCostUsd", "minutes", "approval"] as const;

/** The options that are not in sight below the message. */
export const further = ["tools", "maxTurns", "maxTokens", "maxCostUsd", "minutes", "approval"] as const;

/** The version of what this browser keeps of options and presets. */
const version = 1;

export const modes = [
  { id: "direct", label: "Ask", title: "Asks before it changes something" },
  { id: "acceptEdits", label: "Accept edits", title: "Changes ordinary files in the write scope without a question" },
  { id: "plan", label: "Plan", title: "Reads and plans; changes nothing" },
  { id: "dontAsk", label: "Don't ask", title: "Does only what rules allow, and never asks" },
] as const;

const optionsName = "belay.options.";

export const none: Options = { persona: "", mode: "", model: "", tools: "", maxTurns: "", maxTokens: "", maxCostUsd: "", minutes: "", approval: "" };
const listeners = new Set<() => void>();
const cache = new Map<string, { kept: Kept<Options>; is: Options }>();

function of(key: string): Options { return cache.get(key)?.is ?? fresh(key); }

/** The options with what another tab has chosen since. */
function fresh(key: string): Options {
  const before = cache.get(key), kept = before?.kept ?? new Kept(optionsName + key, version, valid);
  const is = { ...(kept.fresh() ?? none), approval: before?.is.approval ?? "" };
  cache.set(key, { kept, is });
  return is;
}

/** Changes one option, and leaves the others as they are kept now. */
export function setOption(key: string, name: keyof Options, value: string): void { setOptions(key, { ...fresh(key), [name]: value }); }

export function setOptions(key: string, options: Options): void {
  const kept = cache.get(key)?.kept ?? new Kept(optionsName + key, version, valid);
  const rest = { ...options, approval: "" };
  kept.set(rest, names.every((name) => rest[name] === ""));
  cache.set(key, { kept, is: options });
  changed();
}

/** Forgets an approval that a turn has. One that was written meanwhile is of the next turn. */
export function approvalUsed(key: string, approval: string): void {
  if (approval.trim() !== "" && approvalNow(key).trim() === approval.trim()) setOption(key, "approval", "");
}

/** Gives the approval of a turn back that the server has refused. One that was written meanwhile stays. */
export function approvalBack(key: string, approval: string): void {
  if (approval !== "" && approvalNow(key).trim() === "") setOption(key, "approval", approval);
}

export const approvalNow = (key: string): string => of(key).approval;

onKeptElsewhere((name) => {
  for (const key of cache.keys()) if ((name ?? optionsName + key) === optionsName + key) fresh(key);
  presets.fresh();
  changed();
});

function changed(): void { for (const listener of listeners) listener(); }

export function useOptions(key: string): Options {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => of(key));
}

function valid(value: unknown): Options {
  const kept = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return { ...Object.fromEntries(names.map((name) => [name, typeof kept[name] === "string" ? kept[name] : ""])) as unknown as Options, approval: "" };
}

/** The options as a turn takes them. What is as the session has it is left out. */
export function turnOpts(options: Options, session: { persona?: string | undefined; mode?: string | undefined; preferredModel?: string | undefined } | undefined): TurnOpts {
  const own = (name: "persona" | "mode" | "model", now: string | undefined) => (options[name] && options[name] !== now ? { [name]: options[name] } : {});
  const number = (name: "maxTurns" | "maxTokens" | "maxCostUsd") => (Number(options[name]) > 0 ? { [name]: Number(options[name]) } : {});
  return {
    // A person reads along, so a question may wait for as long as it takes.
    onQuestion: "wait", ...own("persona", session?.persona), ...own("mode", session?.mode), ...own("model", session?.preferredModel), ...number("maxTurns"), ...number("maxTokens"), ...number("maxCostUsd"),
    ...(Number(options.minutes) > 0 ? { timeoutMs: Math.round(Number(options.minutes) * 60_000) } : {}),
    ...(options.tools ? { tools: options.tools.split(",") } : {}),
    ...(options.approval.trim() ? { subagentGovernance: { contextSealed: true, pipelineRunApproved: true, approvalRef: options.approval.trim(), approvedBy: "operator" } } : {}),
  };
}

/** Options under a name, to be used again. */
export interface Preset { name: string; options: Options }

const noPresets: readonly Preset[] = [];
const presets = new Kept<readonly Preset[]>("belay.presets", version, (value) => (Array.isArray(value) ? value : []).flatMap((p: unknown) => {
  const { name, options } = (p ?? {}) as { name?: unknown; options?: unknown };
  return typeof name === "string" && name !== "" ? [{ name, options: valid(options) }] : [];
}));

export function usePresets(): readonly Preset[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => presets.get() ?? noPresets);
}

/** Keeps a preset, in place of one with the same name. */
export function savePreset({ name, options }: Preset): void { keepPresets([...presetsBut(name), { name, options: { ...options, approval: "" } }]); }

export function removePreset(name: string): void { keepPresets(presetsBut(name)); }

/** The presets that are kept now, which another tab may have added to. */
const presetsBut = (name: string): readonly Preset[] => (presets.fresh() ?? noPresets).filter((p) => p.name !== name);

function keepPresets(to: readonly Preset[]): void {
  presets.set(to, to.length === 0);
  changed();
}

/**
 * The personas that the selector offers: those of the matrix that the workbench is for
 * (specification, 14.2). An instruction root that has none of them offers all that
 * converse. Personas of class TASK work in pipelines and under others.
 */
export function selectable<P extends { id: string; class?: string }>(personas: readonly P[]): P[] {
  const matrix = personas.filter((p) => inWorkbench(p.id)).sort((a, b) => matrixIds.indexOf(sameAgent(a.id)) - matrixIds.indexOf(sameAgent(b.id)));
  return matrix.length > 0 ? matrix : personas.filter((p) => p.class !== "TASK");
}

const matrixIds: readonly string[] = ["HELP", "ORCHESTRATE", "WORKING_ITEMS", "AGGREGATE", "AGENTS", "DEPENDENCIES", "CHANGE", "RECONCILING"];

/** An agent's name in the matrix, where it has one. */
export function sameAgent(id: string): string {
  const upper = id.trim().toUpperCase();
  return aliases[upper] ?? upper;
}

/** Whether an agent is one of the matrix that the workbench is for (14.2). */
export const inWorkbench = (id: string): boolean => matrixIds.includes(sameAgent(id));

/** Ids under which instruction roots have personas of the matrix. */
const aliases: Record<string, string> = {
  HELP_HUMAN: "HELP", HELPS_HUMANS: "AGENTS", ORCHESTRATOR: "ORCHESTRATE", AGGREGATION: "AGGREGATE", RECONCILIATION: "RECONCILING",
};
