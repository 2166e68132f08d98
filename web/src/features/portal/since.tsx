// What happened in the project since this browser looked at it last.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import * as api from "../../api/portal";
import type { Happening } from "../../api/portal";
import type { Project } from "../../api/types";
import { deliverableLink, projectLink, sessionLink } from "../../route";
import { ago, count } from "../../ui/format";
import { ErrorNotice } from "../../ui/parts";
import { projectKey } from "../project/live";
import { looked, seenUpTo, visitNow } from "./last-visit";

/** Entries that are shown before a person asks for more. */
const few = 6;

/** How far back a first visit looks, in milliseconds. */
const firstLook = 7 * 86_400_000;

export function Since({ project }: { project: Project }) {
  const [at, setAt] = useState(() => visitNow(project.id));
  const [firstSince] = useState(() => new Date(Date.now() - firstLook).toISOString());
  const [all, setAll] = useState(false);
  const since = at.before || firstSince;
  const { data, error, isPending, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: projectKey(project.path, "activity", since), retry: false, refetchInterval: 60_000,
    queryFn: async ({ signal, pageParam }) => {
      const asked = Date.now();
      return { asked, ...await api.activity(project.path, since, pageParam, signal) };
    },
    initialPageParam: "", getNextPageParam: (last) => last.nextCursor || undefined,
  });
  // What happened after the newest page was asked for has not been seen.
  const asked = data?.pages[0]?.asked ?? 0;
  useEffect(() => { if (asked > 0) looked(project.id, asked); }, [project.id, asked]);
  const list = data?.pages.flatMap((p) => p.happenings ?? []) ?? [];
  const total = data?.pages[0]?.total ?? 0;
  const shown = all ? list : list.slice(0, few);
  return (
    <section className="portal-block since" aria-labelledby="since-title">
      <header>
        <h3 id="since-title">{at.before ? "Since you last looked" : "In the last week"}{total > 0 && <span className="soft"> {total.toLocaleString("en-US")}</span>}</h3>
        {list[0] && <button type="button" id="seen-all" className="button plain small" onClick={() => { setAt(seenUpTo(project.id, list[0]!.at)); setAll(false); }}>Seen</button>}
      </header>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft small"><span className="spin" /> Reading</p>}
      {data && total === 0 && <p className="soft small">Nothing has happened{at.before && ` since ${new Date(at.before).toLocaleString()}`}.</p>}
      {shown.length > 0 && <ol className="happenings">{shown.map((h) => <Entry key={h.id} project={project} entry={h} />)}</ol>}
      {(total > shown.length || hasNextPage) && (
        <button type="button" className="button plain small more" disabled={isFetchingNextPage}
          onClick={() => { if (all) void fetchNextPage(); else setAll(true); }}>{count(total - shown.length, "more entry", "more entries")}</button>
      )}
      {data?.pages[0]?.more && <p className="soft small">There may be older entries that were not looked at.</p>}
    </section>
  );
}

function Entry({ project, entry: h }: { project: Project; entry: Happening }) {
  const files = h.paths?.map((p) => p.split("/").at(-1)).join(", ");
  const more = (h.files ?? 0) - (h.paths?.length ?? 0);
  const to = linkOf(project, h);
  const { what, detail } = wordsOf(h);
  return (
    <li data-kind={h.kind} title={h.paths?.join("\n") || h.what}>
      <span className={h.status === "failed" || h.status === "cancelled" ? "mark bad" : "mark"} aria-hidden="true" />
      <span className="clip"><span className="soft">{what}</span> {to ? <a href={to}>{detail}</a> : detail}{files && <span className="soft"> {files}{more > 0 && ` +${more}`}</span>}</span>
      <time className="soft small nowrap" dateTime={h.at} title={new Date(h.at).toLocaleString()}>{ago(h.at)}</time>
    </li>
  );
}

const linkOf = (project: Project, h: Happening): string => {
  if (h.runId) return projectLink(project.id, "runs", h.runId);
  if (h.kind === "changes" || h.kind === "undo") return h.sessionId ? sessionLink(h.sessionId) : "";
  return h.deliverable ? deliverableLink(project.id, h.deliverable) : h.sessionId ? sessionLink(h.sessionId) : "";
};

/** What happened in two parts: the kind of it, and what it is about. */
export function wordsOf(h: Happening): { what: string; detail: string } {
  switch (h.kind) {
    case "changes": return { what: "Changed by", detail: h.what };
    case "undo": return { what: "Taken back in", detail: h.what };
    case "run": return { what: h.status === "success" ? "Run done:" : `Run ${h.status}:`, detail: h.what };
    case "transition": case "register": {
      // The log names the file first: "PKG/1_Working/DEL/_STATUS.md: OPEN to INITIALIZED by HUMAN".
      const file = /^(?:.*\/)?([^/]+)\/(?:_STATUS\.md|Dependencies\.csv): (.*)$/s.exec(h.what);
      return { what: h.kind === "register" ? "Register" : "", detail: file ? `${file[1]}: ${file[2]}` : h.what };
    }
    default: return { what: "", detail: h.what };
  }
}
