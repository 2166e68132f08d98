import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect } from "react";
import { LiveContext, newShared, SharedContext, useChanges, useProjectRoot } from "./app-state";
import { Inbox } from "./features/inbox/inbox";
import { Settings } from "./features/settings/settings";
import { OldAddress } from "./features/project/old-address";
import { Shell } from "./features/shell/shell";
import { Conversation } from "./features/workbench/conversation";
import { SessionsPane } from "./features/workbench/sessions-pane";
import { Start } from "./features/workbench/start";
import { newQueryClient } from "./query-client";
import { type Route, useRoute } from "./route";
import { Boundary } from "./ui/boundary";
import { ErrorNotice } from "./ui/parts";
import { keepRoot } from "./ui/keep";
import { later } from "./ui/later";
import { waits } from "./ui/waits";

const Project = later(() => import("./features/project/project"), <div className="view">{waits}</div>);

const client = newQueryClient();
const shared = newShared();

/** @param failure what a one-time link was refused with */
export function App({ failure }: { failure?: unknown }) {
  return (
    <QueryClientProvider client={client}>
      <SharedContext value={shared}><Boundary fallback={broken}><Views failure={failure} /></Boundary></SharedContext>
    </QueryClientProvider>
  );
}

/** In place of a view, or of the whole page, that cannot be drawn. */
const broken = (error: unknown) => (
  <div className="view"><div className="column empty-main"><ErrorNotice error={error}><button type="button" className="button" onClick={() => location.reload()}>Reload</button></ErrorNotice></div></div>
);

/** Views that share a list keep it. */
const places: Record<Route["view"], string> = {
  sessions: "sessions", session: "sessions", inbox: "inbox", question: "inbox", settings: "settings", project: "project", old: "old", missing: "missing",
};

function Views({ failure }: { failure: unknown }) {
  const route = useRoute();
  const root = useProjectRoot();
  const live = useChanges();
  useEffect(() => { if (root) keepRoot(root); }, [root]);
  return (
    <LiveContext value={live}><Shell route={route}>
      {failure !== undefined && <div className="banner"><ErrorNotice error={failure} /></div>}
      <Boundary key={places[route.view]} fallback={broken}>
      {(route.view === "sessions" || route.view === "session") && (
        <>
          <SessionsPane current={route.view === "session" ? route.id : ""} />
          {route.view === "session" ? <Conversation key={route.id} id={route.id} /> : <Start />}
        </>
      )}
      {(route.view === "inbox" || route.view === "question") && <Inbox selected={route.view === "question" ? route.id : ""} />}
      {route.view === "settings" && <Settings />}
      {route.view === "project" && <Project id={route.id} part={route.part} item={route.item} />}
      {route.view === "old" && <OldAddress path={route.path} />}
      {route.view === "missing" && <div className="view"><div className="column empty-main"><h2>Nothing is here</h2><p><a href="/">All sessions</a></p></div></div>}
      </Boundary>
    </Shell></LiveContext>
  );
}
