// Goes to another project: those that were used last, a folder, a new one.
import { type FormEvent, useState } from "react";
import { useProjects } from "../../app-state";
import type { Project } from "../../api/types";
import { projectLink } from "../../route";
import { ago } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { Scaffold, TryExample, useFocusInDialog, useOpen } from "./making";

export function Switcher({ project }: { project: Project }) {
  const [shown, setShown] = useState<"" | "projects" | "scaffold">("");
  return (
    <>
      <button type="button" id="switch-project" className="button plain switcher" aria-haspopup="dialog" title={project.path} onClick={() => setShown("projects")}>
        <span className="clip">{project.name}</span><Icon.chevron />
      </button>
      {shown === "projects" && <Projects current={project.id} onClose={() => setShown("")} onScaffold={() => setShown("scaffold")} />}
      {shown === "scaffold" && <Scaffold onClose={() => setShown("")} />}
    </>
  );
}

/** Projects that are listed before a person searches. */
const few = 100;

function Projects({ current, onClose, onScaffold }: { current: string; onClose: () => void; onScaffold: () => void }) {
  const { data = [], error } = useProjects();
  const [query, setQuery] = useState("");
  const [failure, setFailure] = useState<unknown>();
  const open = useOpen();
  const field = useFocusInDialog<HTMLInputElement>();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = data.filter((p) => words.every((w) => `${p.name} ${p.path}`.toLowerCase().includes(w)));
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    setFailure(undefined);
    open(String(new FormData(e.currentTarget).get("path")).trim()).then(onClose, setFailure);
  };
  return (
    <Sheet title="Projects" onClose={onClose}>
      <input className="field" ref={field} type="search" autoComplete="off" aria-label="Search projects" placeholder="Search projects" value={query} onChange={(e) => setQuery(e.target.value)} />
      {error && <ErrorNotice error={error} />}
      <ul className="project-list">
        {found.slice(0, few).map((p) => (
          <li key={p.id}>
            {p.exists
              ? <a className="project-row" href={projectLink(p.id)} aria-current={p.id === current ? "true" : undefined} onClick={onClose}><ProjectWords project={p} /></a>
              : <span className="project-row gone"><ProjectWords project={p} /></span>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="soft">No project fits.</p>}
      {found.length > few && <p className="soft small">{found.length - few} more: search for them.</p>}
      <form className="open-folder" onSubmit={submit}>
        <input className="field" name="path" required autoComplete="off" spellCheck={false} aria-label="Absolute path of a folder" placeholder="/path/of/a/folder" />
        <button type="submit" className="button">Open folder</button>
      </form>
      {failure !== undefined && <ErrorNotice error={failure} />}
      <p className="line"><button type="button" id="scaffold" className="button" onClick={onScaffold}><Icon.plus />Make one of a decomposition</button><TryExample /></p>
    </Sheet>
  );
}

function ProjectWords({ project: p }: { project: Project }) {
  return (
    <>
      <span className="clip project-name">{p.name}{p.openQuestions > 0 && <span className="chip warn"><span>{p.openQuestions} waiting</span></span>}</span>
      <span className="clip soft small" title={p.path}><bdi dir="ltr">{p.path}</bdi></span>
      <span className="soft small nowrap">{!p.exists ? "gone" : p.problem ? "cannot be read" : p.usedAt && ago(p.usedAt)}</span>
    </>
  );
}
