// Go to anything: a session, a question, a view, an action.
import { useEffect, useRef, useState } from "react";
import type { Project } from "../../api/types";
import { everywhere, useProjectRoot, useProjects, useQuestions, useSessions } from "../../app-state";
import { navigate, newSessionLink, projectLink, projectParts, questionLink, sessionLink } from "../../route";
import { setTheme } from "../../ui/theme";
import { allAsks, wordsOf } from "../inbox/ask";

interface Item { id: string; label: string; kind: string; act(): void }

/** Entries that are shown at once. */
const most = 12;

export function Palette({ project, onClose, onHelp, onActivity }: { project: Project | undefined; onClose: () => void; onHelp: () => void; onActivity: () => void }) {
  const root = useProjectRoot();
  const { sessions } = useSessions(root || everywhere);
  const { data: questions } = useQuestions();
  const { data: projects = [] } = useProjects();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);

  const all: Item[] = [
    ...allAsks(questions).map((a) => ({ id: a.id, label: wordsOf(a).title, kind: "Question", act: () => navigate(questionLink(a.id)) })),
    { id: "new", label: "New session", kind: "Action", act: () => navigate(newSessionLink(root)) },
    { id: "inbox", label: "Inbox", kind: "View", act: () => navigate("/inbox") },
    { id: "kept", label: "Kept changes", kind: "View", act: () => navigate("/inbox?show=kept") },
    { id: "closed", label: "Closed questions", kind: "View", act: () => navigate("/inbox?show=closed") },
    { id: "activity", label: "What runs now", kind: "View", act: onActivity },
    { id: "usage", label: "Usage and cost", kind: "View", act: () => navigate("/settings?show=usage") },
    { id: "sessions", label: "Sessions", kind: "View", act: () => navigate("/") },
    { id: "settings", label: "Settings", kind: "View", act: () => navigate("/settings") },
    { id: "light", label: "Light colours", kind: "Action", act: () => setTheme("light") },
    { id: "dark", label: "Dark colours", kind: "Action", act: () => setTheme("dark") },
    { id: "help", label: "Keys", kind: "Action", act: onHelp },
    ...projectParts.slice(1).flatMap((part) => (project ? [{ id: `project ${part}`, label: part[0]!.toUpperCase() + part.slice(1), kind: project.name, act: () => navigate(projectLink(project.id, part)) }] : [])),
    ...projects.filter((p) => p.exists).map((p) => ({ id: p.id, label: p.name, kind: "Project", act: () => navigate(projectLink(p.id)) })),
    ...sessions.map((s) => ({ id: s.sessionId, label: s.title || `${s.persona}, ${new Date(s.updatedAt).toLocaleString()}`, kind: "Session", act: () => navigate(sessionLink(s.sessionId)) })),
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((i) => words.every((w) => `${i.label} ${i.kind} ${i.id}`.toLowerCase().includes(w))).slice(0, most);
  const current = Math.min(at, shown.length - 1);
  const run = (item: Item | undefined) => { if (!item) return; dialog.current?.close(); item.act(); };
  return (
    <dialog ref={dialog} className="sheet palette" aria-label="Go to anything" onClose={onClose} onClick={(e) => { if (e.target === dialog.current) dialog.current?.close(); }}>
      <input className="field" role="combobox" aria-label="Go to" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
        aria-activedescendant={shown[current] ? `palette-${current}` : undefined} placeholder="Go to a session, a question, a view…" autoFocus value={text}
        onChange={(e) => { setText(e.target.value); setAt(0); }}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown" || e.key === "ArrowUp") { e.preventDefault(); setAt((current + (e.key === "ArrowDown" ? 1 : shown.length - 1)) % Math.max(1, shown.length)); }
          if (e.key === "Enter") { e.preventDefault(); run(shown[current]); }
        }} />
      <ul id="palette-list" role="listbox" aria-label="Places" className="rows">
        {shown.map((item, i) => (
          <li key={item.id} id={`palette-${i}`} role="option" aria-selected={i === current} className="row" onMouseMove={() => setAt(i)} onClick={() => run(item)}>
            <span className="row-title">{item.label}</span><span className="soft small">{item.kind}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="empty-pane soft">Nothing fits.</p>}
    </dialog>
  );
}
