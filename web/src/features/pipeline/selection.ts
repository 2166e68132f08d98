// What is chosen on the pipeline's page, and what becomes of a choice that does not fit
// any more (specification, 14.3 and 14.5). Pure.

import { isProjectGone } from "../../api/http";
import type { Listing } from "../../api/pipeline";

export type ScopeMode = "DELIVERABLES" | "KNOWLEDGE_TYPES";

export interface Selection {
  category: string; type: string;
  scopeMode: ScopeMode; knowledgeType: string;
  /** Keys PKG::ID of deliverables. */
  targets: readonly string[];
}

/** What a project has to choose from. */
export interface Available {
  root: string;
  /** Whether the project could not be read. */
  failed: boolean;
  deliverables: ReadonlySet<string>;
  /** Whether the decomposition has the marker of knowledge types. */
  marker: boolean;
  knowledgeTypes: readonly { id: string; keys: readonly string[] }[];
}

/** The key PKG::ID of a deliverable. */
export const keyOf = (d: { pkg: string; id: string }) => `${d.pkg}::${d.id}`;

/**
 * What a project has to choose from by its listing, undefined while nobody knows. A listing stays
 * good when it could not be asked for again: only a project that is gone takes a choice away.
 */
export function availableOf(root: string, data: Listing | undefined, error: unknown): Available | undefined {
  const failed = isProjectGone(error);
  if (!data && !failed) return undefined;
  return {
    root, failed, deliverables: new Set(data?.deliverables?.map(keyOf)), marker: data?.knowledgeDecomposition.enabled ?? false,
    knowledgeTypes: (data?.knowledgeTypes ?? []).map((t) => ({ id: t.id, keys: t.matchingDeliverableKeys ?? [] })),
  };
}

export const categories = ["DECOMP", "PREP", "TASK", "AUDIT"] as const;

export const nothing: Selection = { category: "DECOMP", type: "", scopeMode: "DELIVERABLES", knowledgeType: "", targets: [] };

/** The deliverables that can be chosen now. */
export function offered(s: Selection, a: Available): ReadonlySet<string> {
  if (s.category !== "TASK" || s.scopeMode === "DELIVERABLES") return a.deliverables;
  const type = a.knowledgeTypes.find((t) => t.id === s.knowledgeType);
  return new Set(type?.keys.filter((k) => a.deliverables.has(k)));
}

/** Clears what does not fit, and says what was cleared. The selection itself is returned where all fits. */
export function reset(s: Selection, a: Available, before: string = a.root): { selection: Selection; cleared: string } {
  const cleared = (selection: Selection, why: string) => ({ selection, cleared: s.targets.length > 0 || s.knowledgeType || s.scopeMode !== selection.scopeMode ? why : "" });
  const none: Selection = { ...s, scopeMode: "DELIVERABLES", knowledgeType: "", targets: [] };
  if (a.root !== before) return cleared(none, "The project changed, so the scope was cleared.");
  if (a.failed) return { ...cleared(none, "The project cannot be read, so the scope was cleared."), selection: untouched(s) ? s : none };
  if (s.scopeMode === "KNOWLEDGE_TYPES") {
    if (!a.marker) return cleared(none, "The project has no knowledge types any more, so the scope was cleared.");
    if (s.knowledgeType && !a.knowledgeTypes.some((t) => t.id === s.knowledgeType)) {
      return cleared({ ...s, knowledgeType: "", targets: [] }, "The knowledge type is gone, so it was cleared.");
    }
  }
  const may = offered(s, a);
  const targets = s.targets.filter((key) => may.has(key));
  if (targets.length === s.targets.length) return { selection: s, cleared: "" };
  const gone = s.targets.length - targets.length;
  return { selection: { ...s, targets }, cleared: `${gone === 1 ? "One chosen deliverable is" : `${gone} chosen deliverables are`} not there any more.` };
}

const untouched = (s: Selection) => s.scopeMode === "DELIVERABLES" && s.knowledgeType === "" && s.targets.length === 0;

/** The selection of an address, ?category=&type=&taskScopeMode=&knowledgeType=, and of the keys that it names. */
export function fromQuery(query: string, keys: readonly string[]): Selection {
  const q = new URLSearchParams(query);
  const wanted = (q.get("category") ?? "").toUpperCase().replace(/\*$/, "");
  const category = (categories as readonly string[]).includes(wanted) ? wanted : "DECOMP";
  const scopeMode: ScopeMode = category === "TASK" && q.get("taskScopeMode") === "KNOWLEDGE_TYPES" ? "KNOWLEDGE_TYPES" : "DELIVERABLES";
  return {
    category, type: q.get("type") ?? "", scopeMode, knowledgeType: scopeMode === "KNOWLEDGE_TYPES" ? q.get("knowledgeType") ?? "" : "",
    targets: [...new Set(keys.filter(Boolean))],
  };
}

/** The part of an address that leads back to a choice, without its deliverables. */
export function toQuery(s: Selection): Record<string, string> {
  return {
    category: s.category, ...(s.type ? { type: s.type } : {}), ...(s.category === "TASK" ? { taskScopeMode: s.scopeMode } : {}),
    ...(s.knowledgeType ? { knowledgeType: s.knowledgeType } : {}),
  };
}

/** The selection with the type of its category that can be chosen, where only one can. */
export function withOnlyType(s: Selection, types: readonly { id: string; enabled: boolean }[]): Selection {
  const enabled = types.filter((t) => t.enabled);
  return s.type === "" && enabled.length === 1 ? { ...s, type: enabled[0]!.id } : s;
}

/** Another category keeps the chosen deliverables, where it works on any. */
export function inCategory(s: Selection, category: string): Selection {
  return category === s.category ? s : { ...s, category, type: "", scopeMode: "DELIVERABLES", knowledgeType: "" };
}
