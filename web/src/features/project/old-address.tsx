// The addresses of the original system keep working: each leads to a view of this page.
import { useEffect } from "react";
import { useCurrentProject } from "../../app-state";
import { navigate, projectLink } from "../../route";

/** A person opens /workbench?agent=…, /pipeline?category=… or /portal of the project looked at last. */
export function OldAddress({ path }: { path: "portal" | "workbench" | "pipeline" }) {
  const project = useCurrentProject();
  useEffect(() => {
    const query = Object.fromEntries(new URLSearchParams(location.search));
    if (path === "workbench") navigate(`/?new=1&persona=${encodeURIComponent(query.agent ?? "WORKING_ITEMS")}`, "replace");
    else if (project) navigate(projectLink(project.id, path === "pipeline" ? "pipeline" : "", "", query), "replace");
  }, [path, project]);
  return <div className="view"><div className="column empty-main"><h2>Choose a project first</h2><p><a href="/">All sessions</a></p></div></div>;
}
