import type { ViewProps } from "../project/project";

export default function Deliverable({ project, item }: ViewProps) {
  return <div className="scroll"><div className="project-column"><h2>Deliverable</h2><p>{project.name} {item}</p></div></div>;
}
