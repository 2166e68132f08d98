import type { ViewProps } from "../project/project";

export default function Portal({ project, item }: ViewProps) {
  return <div className="scroll"><div className="project-column"><h2>Portal</h2><p>{project.name} {item}</p></div></div>;
}
