// What is around every view: the bar at the top, keys, help, and what is read out.
import { type MouseEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { allAsks } from "../inbox/ask";
import { useChecks, useCurrentProject, useProjectRoot, useQuestions, useServer } from "../../app-state";
import { navigate, newSessionLink, projectLink, type Route, useParam } from "../../route";
import { Icon } from "../../ui/icons";
import { Sheet } from "../../ui/parts";
import { Resizer } from "../../ui/resizer";
import { setTheme, type Theme, useTheme } from "../../ui/theme";
import { Activity, ActivityButton } from "./activity";
import { useAnnouncement } from "./announce";
import { keyHelp, typing } from "./keys";
import { useNotifications } from "./notify";
import { Palette } from "./palette";
import { UpdateBanner } from "./update";

export function Shell({ route, children }: { route: Route; children: ReactNode }) {
  const { data } = useQuestions();
  const asks = useMemo(() => allAsks(data), [data]);
  const waiting = asks.length;
  useNotifications(asks, data !== undefined);
  const project = useCurrentProject();
  const [sheet, setSheet] = useState<"" | "help" | "palette" | "activity">("");
  useEffect(() => {
    const where = route.view === "inbox" || route.view === "question" ? "Inbox · belay" : route.view === "settings" ? "Settings · belay" : route.view === "project" ? `${project?.name ?? "Project"} · belay` : "belay";
    document.title = waiting > 0 ? `(${waiting}) ${where}` : where;
  }, [waiting, route.view, project?.name]);
  useKeys(setSheet, useProjectRoot());
  const show = useParam("show"), id = useParam("id"), fresh = useParam("new");
  const phone = fresh !== "" || show === "closed" || show === "kept" && id !== "" || route.view === "session" || route.view === "question" || route.view === "settings" || route.view === "project";
  return (
    <div className={phone || route.view === "missing" ? "app detail" : "app list"} onClick={follow}>
      <a className="skip" href="#main">Skip to the content</a>
      <header className="top">
        <a className="brand" href="/" aria-label="belay"><Logo /><span>belay</span></a>
        <nav aria-label="Views">
          <NavLink href="/" current={["sessions", "session"].includes(route.view)} icon={<Icon.chat />}>Sessions</NavLink>
          <NavLink href="/inbox" current={["inbox", "question"].includes(route.view)} icon={<Icon.inbox />}>
            Inbox{waiting > 0 && <span className="count" aria-label={`${waiting} waiting`}>{waiting}</span>}
          </NavLink>
          {project && <NavLink href={projectLink(project.id)} current={route.view === "project"} icon={<Icon.folder />}>Project</NavLink>}
        </nav>
        <span className="grow" />
        <ActivityButton onOpen={() => setSheet("activity")} />
        <Provider />
        <button type="button" className="button plain icon wide" onClick={() => setSheet("palette")} title="Go to anything (Ctrl K)" aria-label="Go to anything"><Icon.search /></button>
        <ThemeButton />
        <button type="button" className="button plain icon wide" onClick={() => setSheet("help")} title="Keys (?)" aria-label="Keys"><Icon.help /></button>
        <a className="button plain icon" href="/settings" aria-label="Settings" title="Settings" aria-current={route.view === "settings" ? "page" : undefined}><Icon.gear /></a>
      </header>
      <UpdateBanner />
      <main className="body" id="main" tabIndex={-1}>
        <h1 className="hidden">{headings[route.view]}</h1>
        {children}
        <Resizer />
      </main>
      <p className="hidden" role="status" id="announce">{useAnnouncement()}</p>
      {sheet === "help" && <Help onClose={() => setSheet("")} />}
      {sheet === "palette" && <Palette project={project} onClose={() => setSheet("")} onHelp={() => setSheet("help")} onActivity={() => setSheet("activity")} />}
      {sheet === "activity" && <Activity onClose={() => setSheet("")} />}
    </div>
  );
}

const headings: Record<Route["view"], string> = {
  sessions: "Sessions", session: "Session", inbox: "Inbox", question: "Question", settings: "Settings", project: "Project", old: "Project", missing: "Nothing is here",
};

/** Follows a link of the page without loading it anew. */
function follow(e: MouseEvent): void {
  const link = (e.target as Element).closest?.("a");
  const to = link?.getAttribute("href");
  if (!link || !to?.startsWith("/") || to.startsWith("/api/") || link.target || link.hasAttribute("download")) return;
  if (e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
  e.preventDefault();
  navigate(to);
}

function useKeys(open: (sheet: "help" | "palette" | "activity") => void, root: string): void {
  const went = useRef(0);
  useLayoutEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (document.querySelector("dialog[open]")) return;
      if (e.key.toLowerCase() === "k" && (e.ctrlKey || e.metaKey) && !e.shiftKey) { e.preventDefault(); open("palette"); return; }
      if (typing(e) || e.ctrlKey || e.metaKey || e.altKey) return;
      if (Date.now() - went.current < 1000 && (e.key === "i" || e.key === "s" || e.key === "r")) {
        went.current = 0;
        e.preventDefault();
        e.stopImmediatePropagation();
        if (e.key === "r") open("activity");
        else navigate(e.key === "i" ? "/inbox" : "/");
        return;
      }
      const act = {
        "?": () => open("help"), g: () => { went.current = Date.now(); }, c: () => { navigate(newSessionLink(root)); setTimeout(() => document.getElementById("message")?.focus(), 50); },
        m: () => document.getElementById("message")?.focus(), "/": () => document.getElementById("search")?.focus(),
      }[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [open, root]);
}

function NavLink({ href, current, icon, children }: { href: string; current: boolean; icon: ReactNode; children: ReactNode }) {
  return <a className="nav-link" href={href} aria-current={current ? "page" : undefined}>{icon}<span className="nav-text">{children}</span></a>;
}

/** Says who answers, and says plainly when the answers are made up. */
function Provider() {
  const server = useServer();
  const { data: checks } = useChecks();
  const notice = checks?.find((c) => c.name === "provider" && c.level !== "ok");
  if (!server.provider) return null;
  const words = notice ? notice.detail : server.provider === "scripted" ? "scripted (offline)" : server.provider;
  return <span id="provider" className={notice ? "chip warn wide" : "chip wide"} title={notice?.next}><span>{words}</span></span>;
}

const nextTheme: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

function ThemeButton() {
  const theme = useTheme();
  const icon = theme === "light" ? <Icon.sun /> : theme === "dark" ? <Icon.moon /> : <Icon.screen />;
  return (
    <button type="button" className="button plain icon" id="theme" onClick={() => setTheme(nextTheme[theme])}
      title={`Colours: ${theme}`} aria-label={`Colours: ${theme}. Change to ${nextTheme[theme]}.`}>{icon}</button>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Sheet title="Keys" text onClose={onClose}>
      {keyHelp.map(([group, keys]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl className="key-list">
            {keys.map(([key, what]) => (
              <div key={key}><dt>{key.split(" ").map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{what}</dd></div>
            ))}
          </dl>
        </section>
      ))}
    </Sheet>
  );
}

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#1f6f5c" />
      <path d="M11 6v20M11 16c0-4 3-6 6-6s6 2.500 6 6-3 6-6 6-6-2-6-6z" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}
