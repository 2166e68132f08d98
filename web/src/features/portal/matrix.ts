// The matrix of agents (workspace 14.1): rows choose the view, columns are shared labels.
import { projectLink } from "../../route";

export const columns = ["GUIDING", "APPLYING", "JUDGING", "REVIEWING"] as const;

export interface Cell {
  row: (typeof matrix)[number]["row"];
  column: (typeof columns)[number];
  label: string;
  /** Where a click leads. */
  href: string;
}

const matrix = [
  { row: "NORMATIVE", to: "workbench", agents: ["HELP", "ORCHESTRATE", "WORKING_ITEMS", "AGGREGATE"] },
  { row: "OPERATIVE", to: "pipeline", agents: ["DECOMP", "PREP", "TASK", "AUDIT"] },
  { row: "EVALUATIVE", to: "workbench", agents: ["AGENTS", "DEPENDENCIES", "CHANGE", "RECONCILING"] },
] as const;

/** The rows with their cells, for a project. OPERATIVE cells lead to the pipeline and all others to the workbench. */
export function cells(project: { id: string; path: string }): readonly { row: Cell["row"]; cells: readonly Cell[] }[] {
  return matrix.map(({ row, to, agents }) => ({
    row,
    cells: agents.map((agent, i): Cell => {
      const column = columns[i]!;
      const href = to === "pipeline"
        ? projectLink(project.id, "pipeline", "", { category: agent })
        : `/?${new URLSearchParams({ new: "1", persona: agent, agent, row, column, root: project.path })}`;
      return { row, column, label: to === "pipeline" ? `${agent}*` : agent, href };
    }),
  }));
}

/** Runs only the last of the works that are given in one turn of the event loop: of two clicks at once, the second counts. */
export function lastWins(later: (work: () => void) => void = (work) => { setTimeout(work, 0); }): (work: () => void) => void {
  let next: (() => void) | undefined;
  return (work) => {
    if (!next) later(() => { const last = next; next = undefined; last?.(); });
    next = work;
  };
}
