// The history of a project: what was published, what was decided, how it is coordinated.
import { navigate, projectLink, useParam } from "../../route";
import type { ViewProps } from "../project/project";
import { Audit } from "./audit";
import { Coordination } from "./coordination";
import { Snapshots } from "./snapshots";
import "./history.css";

const parts = [["snapshots", "Snapshots"], ["audit", "Audit log"], ["coordination", "Coordination"]] as const;

export default function History({ project }: ViewProps) {
  const wanted = useParam("show");
  const show = parts.find(([id]) => id === wanted)?.[0] ?? "snapshots";
  return (
    <div className="scroll">
      <div className="project-column history-page">
        <nav className="segments" aria-label="Parts of the history">
          {parts.map(([id, label]) => (
            <a key={id} className="segment history-part" href={projectLink(project.id, "history", "", { show: id })} aria-current={show === id ? "page" : undefined}
              onClick={(e) => { if (e.metaKey || e.ctrlKey) return; e.preventDefault(); navigate(projectLink(project.id, "history", "", { show: id })); }}>{label}</a>
          ))}
        </nav>
        {show === "snapshots" && <Snapshots project={project} />}
        {show === "audit" && <Audit project={project} />}
        {show === "coordination" && <Coordination project={project} />}
      </div>
    </div>
  );
}
