// The views of one project: a bar of links, and the view that the address names.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useProjects } from "../../app-state";
import type { Project as ProjectRow } from "../../api/types";
import { projectLink, type ProjectPart, projectParts } from "../../route";
import { type Late, later } from "../../ui/later";
import { ErrorNotice } from "../../ui/parts";
import { waits } from "../../ui/waits";
import { Tabs } from "../../ui/tabs";
import { NewsContext, useNews } from "./live";
import { prepareOverview } from "./queries";
import { Switcher } from "./switcher";
import "./project.css";

/** What each view of a project is given. The item is a deliverable's key or a run's id. */
export interface ViewProps { project: ProjectRow; item: string }

const labels: Record<(typeof projectParts)[number], string> = {
  "": "Overview", pipeline: "Pipeline", workflows: "Workflows", graph: "Graph", files: "Files", history: "History",
};

/** How long a project is shown before the other views are prepared, in milliseconds. */
const quiet = 500;

const views: Record<ProjectPart, Late<ViewProps>> = {
  "": later(() => import("../portal/portal"), waits),
  d: later(() => import("../deliverable/deliverable"), waits),
  pipeline: later(() => import("../pipeline/pipeline"), waits),
  workflows: later(() => import("../runs/workflows"), waits),
  runs: later(() => import("../runs/run"), waits),
  graph: later(() => import("../graph/graph"), waits),
  files: later(() => import("../files/files"), waits),
  history: later(() => import("../history/history"), waits),
};

/** The part whose link is marked while a part is shown. */
const under = (part: ProjectPart) => (part === "d" ? "" : part === "runs" ? "workflows" : part);

export default function Project({ id, part, item }: { id: string; part: ProjectPart; item: string }) {
  const { data, error } = useProjects();
  const project = data?.find((p) => p.id === id);
  if (!data) return <div className="view">{error ? <div className="column empty-main"><ErrorNotice error={error} /></div> : waits}</div>;
  if (!project?.exists) {
    return (
      <div className="view"><div className="column empty-main">
        <h2>{project ? "The project's folder is gone" : "No project has this address"}</h2>
        <p className="soft">{project ? <>It was moved, renamed or deleted: <code>{project.path}</code></> : "An address of a project belongs to one computer and to one folder."}</p>
        <p><a href="/">All sessions</a></p>
      </div></div>
    );
  }
  return <Views project={project} part={part} item={item} error={error} />;
}

/** The error is that of the list of projects: the views stay, as they hold what a person typed and chose. */
function Views({ project, part, item, error }: { project: ProjectRow; part: ProjectPart; item: string; error: unknown }) {
  const { id } = project;
  const news = useNews(project);
  const View = views[part];
  const client = useQueryClient();
  // The code of the other views is small, and the overview is opened most. Both come when the browser has nothing else to do.
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const view of Object.values(views)) view.preload();
      void prepareOverview(client, project.path);
    }, quiet);
    return () => clearTimeout(timer);
  }, [client, project.path]);
  return (
    <div className="view project-view">
      <div className="project-bar">
        <Switcher project={project} />
        <Tabs className="project-tabs" label={`Views of ${project.name}`} current={under(part)}>
          {projectParts.map((p) => <a key={p} className="tab" href={projectLink(id, p)} aria-current={under(part) === p ? "page" : undefined}>{labels[p]}</a>)}
        </Tabs>
      </div>
      {error != null && <ErrorNotice error={error} />}
      <NewsContext value={news}>
        <View key={`${id}/${part}/${item}`} project={project} item={item} />
      </NewsContext>
    </div>
  );
}
