// The addresses of the original system keep working: each leads to a view of this page.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useCurrentProject, useProjectRoot, useProjects } from "../../app-state";
import { type Choices, options } from "../../api/pipeline";
import { amend, newSessionLink, projectLink } from "../../route";
import { ErrorNotice } from "../../ui/parts";
import { projectKey } from "./live";

/** A person opens /workbench?agent=…, /pipeline?category=… or /portal of the project looked at last. */
export function OldAddress({ path }: { path: "portal" | "workbench" | "pipeline" }) {
  const project = useCurrentProject();
  const root = useProjectRoot();
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    if (path === "workbench") amend("/workbench", newSessionLink(root, query.get("agent") || "WORKING_ITEMS"));
    else if (project) amend(`/${path}`, `${projectLink(project.id, path === "pipeline" ? "pipeline" : "")}${location.search}`);
  }, [path, project, root]);
  return <ChooseFirst />;
}

function ChooseFirst() {
  const { data, error } = useProjects();
  return (
    <div className="view"><div className="column empty-main">
      {error ? <ErrorNotice error={error} /> : data && <h2>Choose a project first</h2>}<p><a href="/">All sessions</a></p>
    </div></div>
  );
}

/** The category and type of an agent's work; nothing for one that does not work in the pipeline. */
export function workOf(agent: string, choices: Choices): { category: string; type?: string } | undefined {
  const name = agent.trim().toUpperCase().replace(/\*$/, "");
  for (const c of choices.categories ?? []) {
    if (c.id === name) return { category: c.id, ...(c.types?.some((t) => t.id === name) && agent.trim().slice(-1) !== "*" ? { type: name } : {}) };
    const type = c.types?.find((t) => t.persona === name);
    if (type) return { category: c.id, type: type.id };
  }
  const category = choices.categories?.find((c) => name.startsWith(`${c.id}_`));
  return category && { category: category.id };
}

/** Goes to the pipeline with an agent's category and type. Other agents stay in the workbench, the children. */
export function ToPipeline({ agent, children }: { agent: string; children: ReactNode }) {
  const project = useCurrentProject();
  const projects = useProjects();
  const { data, error } = useQuery({ queryKey: projectKey(project?.path ?? "", "pipeline"), queryFn: ({ signal }) => options(project!.path, signal), enabled: project !== undefined, retry: false });
  const work = data && workOf(agent, data);
  useEffect(() => {
    if (project && work) amend("/", projectLink(project.id, "pipeline", "", { ...work }));
  }, [project, work]);
  if (error || data && !work) return children;
  return projects.isPending || project ? <div className="view" /> : <ChooseFirst />;
}
