// One deliverable: its state and the way on, documents, register, proposals, findings, sessions.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import * as api from "../../api/deliverable";
import { isFailure } from "../../api/http";
import type { ProjectChange } from "../../api/project-events";
import type { Project } from "../../api/types";
import { amend, deliverableLink, projectLink, useParam } from "../../route";
import { Icon } from "../../ui/icons";
import { later } from "../../ui/later";
import { ErrorNotice } from "../../ui/parts";
import { Tabs } from "../../ui/tabs";
import { waits } from "../../ui/waits";
import { useProjectChanges, useProjectLive } from "../project/live";
import type { ViewProps } from "../project/project";
import { Findings } from "./findings";
import { registerQuery } from "./queries";
import { Sessions } from "./sessions";
import { StateChip } from "./state";
import { StatusView } from "./status";
import "./deliverable.css";

const Documents = later(() => import("./documents"), waits);
const RegisterView = later(() => import("./register"), waits);
const Proposals = later(() => import("./proposals"), waits);

/** What each part of the view is given. */
export interface PartProps { project: Project; d: api.DeliverableView }

const shows = ["", "documents", "register", "proposals", "findings", "sessions"] as const;
const labels: Record<(typeof shows)[number], string> = {
  "": "Status", documents: "Documents", register: "Register", proposals: "Proposals", findings: "Findings", sessions: "Sessions",
};

/** How often all of it is asked for again, in milliseconds: where the server tells of changes, and where it does not. */
const again = { live: 60_000, silent: 10_000 };

export default function Deliverable({ project, item }: ViewProps) {
  const asked = useParam("show");
  const show = shows.find((s) => s === asked) ?? "";
  const live = useProjectLive();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["deliverable", project.path, item], queryFn: ({ signal }) => api.deliverable(project.path, item, signal),
    placeholderData: keepPreviousData, refetchInterval: live ? again.live : again.silent, retry: false,
  });
  useWholeKey(project, item, isPlaceholderData ? undefined : data);
  useFreshFiles(project, data);
  usePrepared(project, data);
  const gone = isFailure(error, "DELIVERABLE_NOT_FOUND");
  if (gone || error && !data) return <Missing project={project} error={error} />;
  if (!data) return waits;
  const numbers: Partial<Record<(typeof shows)[number], number>> = {
    documents: data.documents?.length ?? 0, register: data.register.rows, proposals: data.proposals?.length ?? 0,
    findings: (data.findings?.length ?? 0) + (data.moreFindings ?? 0), sessions: data.sessions?.length ?? 0,
  };
  return (
    <section className="deliverable" aria-labelledby="deliverable-name" data-key={data.key}>
      <header className="deliverable-head">
        <p className="small"><a href={projectLink(project.id)}>{project.name}</a><span className="soft"> / <span title={data.pkg}>{data.packageName || data.pkg}</span></span></p>
        <div className="deliverable-title">
          <h2 id="deliverable-name" title={data.name}><span className="soft">{data.id}</span> {data.name}</h2>
          <StateChip d={data} />
        </div>
        <Tabs className="deliverable-tabs" label="Parts of the deliverable" current={show}>
          {shows.map((s) => (
            <a key={s} className="tab" href={deliverableLink(project.id, item, { show: s })} aria-current={s === show ? "page" : undefined}>
              {labels[s]}{numbers[s] !== undefined && <span className="n">{numbers[s].toLocaleString("en-US")}</span>}
            </a>
          ))}
        </Tabs>
      </header>
      {error && <div className="deliverable-notice"><ErrorNotice error={error} /></div>}
      {show === "" && <StatusView project={project} d={data} />}
      {show === "documents" && <Documents project={project} d={data} />}
      {show === "register" && <RegisterView project={project} d={data} />}
      {show === "proposals" && <Proposals project={project} d={data} />}
      {show === "findings" && <Findings project={project} d={data} />}
      {show === "sessions" && <Sessions project={project} d={data} />}
    </section>
  );
}

/** An address may name a package by its id alone. The whole key takes its place at once: a change of the address later would draw all of it anew. */
function useWholeKey(project: Project, item: string, d: api.DeliverableView | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!d || d.key === item) return;
    client.setQueryData(["deliverable", project.path, d.key], d);
    amend(deliverableLink(project.id, item), deliverableLink(project.id, d.key, Object.fromEntries(new URLSearchParams(location.search))));
  }, [client, project, item, d]);
}

/** How long a deliverable is shown before its other parts are prepared, in milliseconds. */
const quiet = 500;

/** Loads the parts that are opened most when the browser has nothing else to do. */
function usePrepared(project: Project, d: api.DeliverableView | undefined): void {
  const client = useQueryClient();
  const path = d?.register.rows ? d.path : "";
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const part of [Documents, RegisterView, Proposals]) part.preload();
      if (path !== "") void client.prefetchQuery(registerQuery(project.path, path)); // the register says what fails
    }, quiet);
    return () => clearTimeout(timer);
  }, [client, project.path, path]);
}

/** How long changes elsewhere in the project may wait until they are asked for, in milliseconds. */
const elsewhere = 1000;

/** Asks again for what a changed file is shown in. */
function useFreshFiles(project: Project, data: api.DeliverableView | undefined): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useProjectChanges((change: ProjectChange) => {
    const fresh = (...keys: string[]) => { for (const key of keys) void client.invalidateQueries({ queryKey: [key, project.path] }); };
    const own = change.all || change.proposals || !data || change.paths.some((p) => p === data.relativePath || p.startsWith(`${data.relativePath}/`));
    if (own) fresh("deliverable", "register", "commits", "project-file");
    else {
      if (change.paths.length > 0) fresh("project-file");
      timer.current ??= setTimeout(() => { timer.current = undefined; fresh("deliverable"); }, elsewhere);
    }
  });
}

/** A deliverable that is not there, or not there any more. */
function Missing({ project, error }: { project: Project; error: unknown }) {
  const elsewhereKeys = isFailure(error) && Array.isArray(error.details.elsewhere) ? error.details.elsewhere.map(String) : [];
  const copies = isFailure(error) && Array.isArray(error.details.copies) ? error.details.copies.map(String) : [];
  return (
    <div className="scroll"><div className="column empty-main deliverable-missing">
      <Icon.folder />
      {isFailure(error, "DELIVERABLE_NOT_FOUND") ? (
        <>
          <h2>{elsewhereKeys.length > 0 ? "This deliverable was moved" : "This deliverable is not in the project"}</h2>
          {elsewhereKeys.map((key) => <p key={key}><a href={deliverableLink(project.id, key)}>{key}</a></p>)}
          {copies.length > 0 && <><p className="soft">Its folder is no longer in 1_Working. It is at:</p>{copies.map((c) => <p key={c}><a href={projectLink(project.id, "files", "", { path: c })}>{c}</a></p>)}</>}
          {elsewhereKeys.length + copies.length === 0 && <p className="soft">Its folder was renamed, moved or deleted.</p>}
        </>
      ) : <ErrorNotice error={error} />}
      <p><a href={projectLink(project.id)}>All deliverables</a></p>
    </div></div>
  );
}
