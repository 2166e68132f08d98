// The files of a project: the tree or what a search found, and one file.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { navigate, projectLink, useParam, useTypedParam } from "../../route";
import { Icon } from "../../ui/icons";
import type { ViewProps } from "../project/project";
import { FileView } from "./file-view";
import { SearchResults } from "./search-results";
import { depthAhead, Tree } from "./tree";
import { TreeView } from "./tree-view";
import { useWatch } from "./use-watch";
import "./files.css";

export default function Files({ project }: ViewProps) {
  const root = project.path;
  const path = useParam("path"), line = Number(useParam("line")) || 0;
  const where = useParam("in") === "content" ? "content" : "name", regexp = useParam("re") === "1";
  const addressOf = (q: string, to: { path?: string; line?: number; in?: string; re?: string } = {}) => projectLink(project.id, "files", "", {
    path: to.path ?? path, line: to.line ? String(to.line) : "", q, in: to.in ?? (where === "content" ? where : ""), re: to.re ?? (regexp ? "1" : ""),
  });
  const [query, type] = useTypedParam("q", projectLink(project.id, "files"), addressOf);
  const link = (to: Parameters<typeof addressOf>[1]) => addressOf(query, to);
  const queries = useQueryClient();
  const tree = useMemo(() => new Tree(root), [root]);
  useEffect(() => {
    void tree.load("", depthAhead);
    return () => tree.stop();
  }, [tree]);
  useEffect(() => { if (path) tree.reveal(path); }, [tree, path]);
  useWatch((paths) => {
    tree.refresh(paths);
    if (path && (paths === "all" || paths.has(path))) void queries.invalidateQueries({ queryKey: ["file-head", root, path] });
    void queries.invalidateQueries({ queryKey: ["file-search", root] });
    void queries.invalidateQueries({ queryKey: ["file-folder", root] });
  });
  return (
    <div className={path ? "files has-file" : "files"}>
      <div className="files-pane">
        <div className="files-search" role="search">
          <label className="search"><Icon.search /><span className="hidden">Search the files</span>
            <input id="files-search" className="field" type="search" placeholder={where === "content" ? "Search in files" : "Search names"} value={query} maxLength={500} autoComplete="off" spellCheck={false}
              onChange={(e) => type(e.target.value)} onKeyDown={(e) => { if (e.key === "Escape" && query !== "") { e.stopPropagation(); type(""); } }} />
          </label>
          <span className="segments" role="group" aria-label="Where to search">
            <button type="button" className="segment small" aria-pressed={where === "name"} onClick={() => navigate(link({ in: "" }), "replace")}>Names</button>
            <button type="button" id="search-content" className="segment small" aria-pressed={where === "content"} onClick={() => navigate(link({ in: "content" }), "replace")}>Content</button>
            <button type="button" className="segment small" aria-pressed={regexp} title="Regular expression (RE2)" aria-label="Regular expression" onClick={() => navigate(link({ re: regexp ? "" : "1" }), "replace")}>.*</button>
          </span>
        </div>
        {query.trim() !== "" ? <SearchResults root={root} wanted={{ query, in: where, regexp }} selected={path} linkOf={(to, at) => link({ path: to, line: at })} />
          : <TreeView tree={tree} selected={path} onChosen={(to) => navigate(link({ path: to, line: 0 }))} />}
      </div>
      {path ? <FileView key={path} root={root} path={path} line={line} linkOf={(to) => link({ path: to, line: 0 })} onBack={() => navigate(link({ path: "", line: 0 }))}
        onFolder={(folder) => { tree.reveal(`${folder}/x`); type(""); navigate(addressOf("", { path: "" })); }} />
        : <div className="file-none empty-main"><Icon.file /><p className="soft">Choose a file to look at it.</p></div>}
    </div>
  );
}
