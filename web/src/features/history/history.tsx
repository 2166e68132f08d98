import type { ViewProps } from "../project/project";

export default function History({ project, item }: ViewProps) {
  return <div className="scroll"><div className="project-column"><h2>History</h2><p>{project.name} {item}</p></div></div>;
}
