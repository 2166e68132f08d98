// The views of one project: a bar of links, and the view that the address names.
import { type ComponentType, lazy, Suspense } from "react";
import { useProjects } from "../../app-state";
import type { Project as ProjectRow } from "../../api/types";
import { projectLink, type ProjectPart, projectParts } from "../../route";
import { ErrorNotice } from "../../ui/parts";
import { NewsContext, useNews } from "./live";
import { Switcher } from "./switcher";
import "./project.css";

/** What each view of a project is given. The item is a deliverable's key or a run's id. */
export interface ViewProps { project: ProjectRow; item: string }

const labels: Record<(typeof projectParts)[number], string> = {
  "": "Overview", pipeline: "Pipeline", workflows: "Workflows", graph: "Graph", files: "Files", history: "History",
};

const views: Record<ProjectPart, ComponentType<ViewProps>> = {
  "": lazy(() => import("../portal/portal")),
  d: lazy(() => import("../deliverable/deliverable")),
  pipeline: lazy(() => import("../pipeline/pipeline")),
  workflows: lazy(() => import("../runs/workflows")),
  runs: lazy(() => import("../runs/run")),
  graph: lazy(() => import("../graph/graph")),
  files: lazy(() => import("../files/files")),
  history: lazy(() => import("../history/history")),
};

/** The part whose link is marked while a part is shown. */
const under = (part: ProjectPart) => (part === "d" ? "" : part === "runs" ? "workflows" : part);

export default function Project({ id, part, item }: { id: string; part: ProjectPart; item: string }) {
  const { data, error } = useProjects();
  const project = data?.find((p) => p.id === id);
  if (error) return <div className="view"><div className="column empty-main"><ErrorNotice error={error} /></div></div>;
  if (!data) return <div className="view" />;
  if (!project?.exists) {
    return (
      <div className="view"><div className="column empty-main">
        <h2>{project ? "The project's folder is gone" : "No project has this address"}</h2>
        <p className="soft">{project ? <>It was moved, renamed or deleted: <code>{project.path}</code></> : "An address of a project belongs to one computer and to one folder."}</p>
        <p><a href="/">All sessions</a></p>
      </div></div>
    );
  }
  return <Views project={project} part={part} item={item} />;
}

function Views({ project, part, item }: { project: ProjectRow; part: ProjectPart; item: string }) {
  const { id } = project;
  const news = useNews(project);
  const View = views[part];
  return (
    <div className="view project-view">
      <div className="project-bar">
        <Switcher project={project} />
        <nav className="tabs project-tabs" aria-label={`Views of ${project.name}`}>
          {projectParts.map((p) => <a key={p} className="tab" href={projectLink(id, p)} aria-current={under(part) === p ? "page" : undefined}>{labels[p]}</a>)}
        </nav>
      </div>
      <NewsContext value={news}>
        <Suspense fallback={<div className="scroll" />}><View key={`${id}/${part}/${item}`} project={project} item={item} /></Suspense>
      </NewsContext>
    </div>
  );
}
