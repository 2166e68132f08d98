// The list of a project's sessions, with search and the choice of the project.
import { useState } from "react";
import { useProjectRoot, useProjects, useQuestions, useSessions } from "../../app-state";
import type { SessionRecord } from "../../api/types";
import { navigate, sessionLink } from "../../route";
import { ago } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { write } from "../../ui/theme";

export function SessionsPane({ current }: { current: string }) {
  const root = useProjectRoot();
  const { data, error, isPending } = useSessions(root);
  const { data: questions } = useQuestions();
  const [search, setSearch] = useState("");
  const waiting = new Map<string, number>();
  for (const d of questions?.decisions ?? []) waiting.set(d.sessionId, (waiting.get(d.sessionId) ?? 0) + 1);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (data ?? []).filter((s) => {
    const text = `${titleOf(s)} ${s.sessionId} ${s.persona} ${s.mode}`.toLowerCase();
    return words.every((w) => text.includes(w));
  });
  return (
    <aside className="pane" aria-label="Sessions">
      <ProjectPicker root={root} />
      <div className="pane-tools">
        <label className="search">
          <Icon.search /><span className="hidden">Search sessions</span>
          <input id="search" className="field" type="search" placeholder="Search" value={search} onChange={(e) => setSearch(e.target.value)}
            onKeyDown={(e) => { if (e.key === "Escape") { setSearch(""); e.currentTarget.blur(); } }} />
        </label>
        <a className="button" href="/?new=1" title="New session (c)"><Icon.plus />New</a>
      </div>
      {error && <div className="pane-pad"><ErrorNotice error={error} /></div>}
      <nav aria-label="Sessions">
        <ol className="rows">
          {shown.map((s) => <Row key={s.sessionId} session={s} current={s.sessionId === current} waiting={waiting.get(s.sessionId) ?? 0} />)}
        </ol>
      </nav>
      {root === "" && <p className="empty-pane soft">Choose a project folder to see its sessions.</p>}
      {root !== "" && !error && !isPending && shown.length === 0 && (
        <p className="empty-pane soft">{words.length ? "No session fits the search." : "No session yet."}</p>
      )}
    </aside>
  );
}

export const titleOf = (s: SessionRecord) => s.title || s.persona;

function Row({ session: s, current, waiting }: { session: SessionRecord; current: boolean; waiting: number }) {
  return (
    <li>
      <a className="row" href={sessionLink(s.sessionId)} data-session={s.sessionId} aria-current={current ? "page" : undefined}>
        <span className="row-title">{titleOf(s)}</span>
        <span className="row-meta">
          <time dateTime={s.updatedAt} title={new Date(s.updatedAt).toLocaleString()}>{ago(s.updatedAt)}</time>
          <span className="clip">{s.title ? s.persona : s.mode}</span>
          {s.damaged && <span className="chip bad">damaged</span>}
          {s.readOnly && <span className="chip">copy</span>}
          {waiting > 0 && <span className="chip warn">{waiting === 1 ? "asks" : `${waiting} questions`}</span>}
        </span>
      </a>
    </li>
  );
}

function ProjectPicker({ root }: { root: string }) {
  const { data: projects } = useProjects();
  const [typing, setTyping] = useState(false);
  const known = (projects ?? []).filter((p) => p.exists);
  const open = (to: string) => {
    setTyping(false);
    write("belay.root", to);
    navigate(`/?root=${encodeURIComponent(to)}`);
  };
  const listed = known.some((p) => p.projectRoot === root);
  if (typing || root === "") {
    return (
      <form className="project" onSubmit={(e) => {
        e.preventDefault();
        const to = String(new FormData(e.currentTarget).get("root")).trim();
        if (to) open(to);
      }}>
        <label className="grow">
          <span className="hidden">Project folder</span>
          <input id="root" name="root" className="field" autoComplete="off" spellCheck={false} required list="projects" defaultValue={root}
            placeholder="/path/to/project" autoFocus={typing} onKeyDown={(e) => { if (e.key === "Escape") setTyping(false); }} />
        </label>
        <datalist id="projects">{known.map((p) => <option key={p.projectRoot} value={p.projectRoot} />)}</datalist>
        <button type="submit" className="button">Open</button>
      </form>
    );
  }
  return (
    <div className="project">
      <Icon.folder />
      <label className="grow">
        <span className="hidden">Project</span>
        <select className="quiet" title={root} value={root} onChange={(e) => { if (e.target.value === "") setTyping(true); else open(e.target.value); }}>
          {!listed && <option value={root}>{root.split("/").at(-1)}</option>}
          {known.map((p) => <option key={p.projectRoot} value={p.projectRoot} title={p.projectRoot}>{p.name}</option>)}
          <option value="">Other folder…</option>
        </select>
      </label>
    </div>
  );
}
