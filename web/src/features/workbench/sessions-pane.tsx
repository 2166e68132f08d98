// The list of a project's sessions, with search and the choice of the project.
import { useMutation } from "@tanstack/react-query";
import { type RefObject, useDeferredValue, useEffect, useRef, useState } from "react";
import * as api from "../../api/client";
import { everywhere, useProjectRoot, useProjects, useQuestions, useRefresh, useSessions } from "../../app-state";
import type { SessionRow } from "../../api/types";
import { navigate, newSessionLink, sessionLink } from "../../route";
import { ago, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { ErrorNotice } from "../../ui/parts";
import { keepRoot, read, write } from "../../ui/keep";
import { Windowed } from "../../ui/windowed";

const states = [["", "Any state"], ["running", "Running"], ["waiting", "Asks"], ["idle", "Idle"], ["damaged", "Damaged"]] as const;

export function SessionsPane({ current }: { current: string }) {
  const root = useProjectRoot();
  const [all, setAll] = useState(() => read("belay.scope") === everywhere);
  const [search, setSearch] = useState("");
  const [state, setState] = useState("");
  const scope = all ? everywhere : root;
  const { sessions: shown, total, known, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useSessions(scope, useDeferredValue(search.trim()), state);
  const projects = useProjects();
  const { data: questions } = useQuestions();
  const waiting = new Map<string, number>();
  for (const d of questions?.decisions ?? []) waiting.set(d.sessionId, (waiting.get(d.sessionId) ?? 0) + 1);
  const pane = useRef<HTMLElement>(null);
  const narrowed = search.trim() !== "" || state !== "";
  return (
    <section className="pane" aria-label="Sessions" ref={pane}>
      <ProjectPicker root={root} all={all} setAll={(to) => { setAll(to); write("belay.scope", to ? everywhere : null); }} />
      <div className="pane-tools">
        <label className="search">
          <Icon.search /><span className="hidden">Search sessions</span>
          <input id="search" className="field" type="search" placeholder="Search" maxLength={200} value={search} onChange={(e) => setSearch(e.target.value)}
            onKeyDown={(e) => { if (e.key === "Escape") { setSearch(""); e.currentTarget.blur(); } }} />
        </label>
        <a className="button" href={newSessionLink(root)} title="New session (c)"><Icon.plus />New</a>
        <Import root={root} />
      </div>
      <div className="pane-filter small">
        <label><span className="hidden">State</span>
          <select id="state" className="quiet" value={state} onChange={(e) => setState(e.target.value)}>{states.map(([id, label]) => <option key={id} value={id}>{label}</option>)}</select>
        </label>
        <span className="grow" />
        {known && total > 0 && <span className="soft" id="total">{total.toLocaleString("en-US")}</span>}
      </div>
      {error && <div className="pane-pad"><ErrorNotice error={error} /></div>}
      <nav aria-label="List of sessions" className="rows" id="sessions">
        <Windowed items={shown} keyOf={(s) => s.sessionId} size={50} estimate={54} root={pane} tag="ol">
          {(s) => <Row key={s.sessionId} session={s} current={s.sessionId === current} waiting={waiting.get(s.sessionId) ?? s.openQuestions} project={all} />}
        </Windowed>
      </nav>
      {hasNextPage && <More busy={isFetchingNextPage} root={pane} onSeen={fetchNextPage} />}
      {scope === "" && projects.error && <div className="pane-pad narrow-only"><ErrorNotice error={projects.error} /></div>}
      {scope === "" && projects.data && <p className="empty-pane soft">Choose a project folder to see its sessions.</p>}
      {scope !== "" && !error && !isPending && shown.length === 0 && (
        <p className="empty-pane soft">{narrowed ? "No session fits." : "No session yet."}</p>
      )}
    </section>
  );
}

/** Asks for more when the end of the list comes near; a button for those who do not scroll. */
function More({ busy, root, onSeen }: { busy: boolean; root: RefObject<HTMLElement | null>; onSeen: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current || busy) return;
    const watch = new IntersectionObserver((entries) => { if (entries.some((e) => e.isIntersecting)) onSeen(); }, { root: root.current, rootMargin: "600px 0px" });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [busy, root, onSeen]);
  return <div ref={box} className="empty-pane"><button type="button" className="button plain" disabled={busy} onClick={onSeen}>{busy ? <><span className="spin" />Reading</> : "More"}</button></div>;
}

/** Brings a session in that was exported elsewhere. */
function Import({ root }: { root: string }) {
  const refresh = useRefresh();
  const pick = useRef<HTMLInputElement>(null);
  const bring = useMutation({
    mutationFn: (archive: File) => api.importSession(root, archive),
    onSuccess: (session) => { refresh("sessions", "projects"); navigate(sessionLink(session.sessionId)); },
  });
  return (
    <>
      <Menu label="More" icon={bring.isPending ? <span className="spin" /> : <Icon.more />} items={[
        { id: "import", label: "Import a session…", icon: <Icon.up />, disabled: root === "", act: () => pick.current?.click() },
        { id: "kept", label: "Kept changes", icon: <Icon.archive />, act: () => navigate("/inbox?show=kept") },
      ]} />
      <input ref={pick} id="import" type="file" accept=".gz,.tgz,application/gzip" className="hidden" tabIndex={-1} aria-hidden="true"
        onChange={(e) => { const f = e.target.files?.[0]; if (f) bring.mutate(f); e.target.value = ""; }} />
      {bring.error && <div className="toast"><ErrorNotice error={bring.error} onClose={() => bring.reset()} /></div>}
    </>
  );
}

function Row({ session: s, current, waiting, project }: { session: SessionRow; current: boolean; waiting: number; project: boolean }) {
  const running = s.state === "running" && waiting === 0;
  return (
    <li>
      <a className="row" href={sessionLink(s.sessionId)} data-session={s.sessionId} aria-current={current ? "page" : undefined}>
        <span className="row-title">{visible(s.title?.trim() || s.persona?.trim() || s.sessionId)}</span>
        <span className="row-meta">
          <time dateTime={s.updatedAt} title={new Date(s.updatedAt).toLocaleString()}>{ago(s.updatedAt)}</time>
          <span className="clip">{[project && s.projectName, s.title && s.persona, s.costUsd !== undefined && `$${s.costUsd.toFixed(2)}`].filter(Boolean).join(" · ") || s.mode}</span>
          {s.damaged && <span className="chip bad" title={s.damaged}>damaged</span>}
          {s.readOnly && <span className="chip">copy</span>}
          {running && <span className="chip accent"><span className="spin" />running</span>}
          {waiting > 0 && <span className="chip warn">{waiting === 1 ? "asks" : `${waiting} questions`}</span>}
        </span>
      </a>
    </li>
  );
}

function ProjectPicker({ root, all, setAll }: { root: string; all: boolean; setAll: (to: boolean) => void }) {
  const { data: projects } = useProjects();
  const [typing, setTyping] = useState(false);
  const known = (projects ?? []).filter((p) => p.exists);
  const open = (to: string) => {
    setTyping(false);
    setAll(false);
    keepRoot(to);
    navigate(`/?root=${encodeURIComponent(to)}`);
  };
  const listed = known.some((p) => p.path === root);
  if (typing || root === "" && !all) {
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
        <datalist id="projects">{known.map((p) => <option key={p.path} value={p.path} />)}</datalist>
        <button type="submit" className="button">Open</button>
      </form>
    );
  }
  return (
    <div className="project">
      <Icon.folder />
      <label className="grow">
        <span className="hidden">Project</span>
        <select className="quiet" title={root} value={all ? everywhere : root} onChange={(e) => {
          if (e.target.value === "") setTyping(true);
          else if (e.target.value === everywhere) setAll(true);
          else open(e.target.value);
        }}>
          {!listed && <option value={root}>{root.split("/").at(-1)}</option>}
          {known.map((p) => <option key={p.path} value={p.path} title={p.path}>{p.name}</option>)}
          <option value={everywhere}>All projects</option>
          <option value="">Other folder…</option>
        </select>
      </label>
    </div>
  );
}
