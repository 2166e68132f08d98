// A selection of deliverables on its way to the pipeline: in the address, or, where that would
// be too long, kept for this tab.
import { projectLink } from "../../route";

/** Keys that an address holds. */
const mostInAddress = 150;

/** Where a long selection lies; the parameter `selection` in the address names it. */
const kept = (projectId: string) => `belay.selection.${projectId}`;

/** The link that starts an agent on deliverables, by their keys PKG::ID. One key is `scopeKey`, as in the original. */
export function selectionLink(projectId: string, keys: readonly string[]): string {
  const base = { category: "TASK", taskScopeMode: "DELIVERABLES" };
  if (keys.length === 1) return projectLink(projectId, "pipeline", "", { ...base, scopeKey: keys[0]! });
  const link = projectLink(projectId, "pipeline", "", base);
  if (keys.length > mostInAddress) return `${link}&selection=kept`;
  return `${link}&${new URLSearchParams(keys.map((key) => ["keys", key]))}`;
}

/** Keeps a selection that is too long for an address, before its link is followed. */
export function keepSelection(projectId: string, keys: readonly string[]): void {
  if (keys.length <= mostInAddress) return;
  try {
    sessionStorage.setItem(kept(projectId), JSON.stringify(keys));
  } catch {
    // A browser that keeps nothing opens the pipeline without a selection.
  }
}

/** The keys that an address names: one, several, or those that were kept. */
export function selectedKeys(projectId: string, search: string): string[] {
  const query = new URLSearchParams(search);
  if (query.get("selection") === "kept") {
    try {
      const keys: unknown = JSON.parse(sessionStorage.getItem(kept(projectId)) ?? "[]");
      return Array.isArray(keys) ? keys.filter((k) => typeof k === "string") : [];
    } catch {
      return [];
    }
  }
  return [...query.getAll("keys"), ...query.getAll("scopeKey")];
}
