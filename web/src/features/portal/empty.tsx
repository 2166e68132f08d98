// A folder without deliverables: what it lacks, and the ways to make a project of it.
import type { Listing } from "../../api/portal";
import type { Project } from "../../api/types";
import { projectLink } from "../../route";
import { Icon } from "../../ui/icons";
import { ScaffoldButton, TryExample } from "../project/making";
import { Matrix } from "./summary";
import { Since } from "./since";

export function NoDeliverables({ project, listing }: { project: Project; listing: Listing }) {
  const packages = listing.packages?.length ?? 0;
  return (
    <div className="scroll portal"><div className="project-column">
      <div className="portal-head"><h2 className="clip" title={project.path}>{project.name}</h2></div>
      <section className="portal-block none">
        <Icon.folder />
        <h3>{packages > 0 ? "The packages have no deliverables yet" : "This folder has no deliverables"}</h3>
        <p className="soft">Sessions, files and workflows work in any folder. Deliverables come from a decomposition: a document that names packages and what each one delivers.</p>
        <p className="line"><ScaffoldButton project={project} /><a className="button" href={projectLink(project.id, "files")}>Look at its files</a><TryExample /></p>
      </section>
      <div className="portal-blocks"><Since key={project.id} project={project} /><Matrix project={project} /></div>
    </div></div>
  );
}
