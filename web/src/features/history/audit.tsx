import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import * as api from "../../api/history";
import type { Project } from "../../api/types";
import { navigate, projectLink, sessionLink, useParam, useTypedParam } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { useSettled } from "../files/search-results";

/** What the log has entries of. */
const kinds: readonly (readonly [kind: string, label: string])[] = [
  ["decision", "Decisions"], ["refusal", "Refusals"], ["transition", "Transitions"], ["register", "Registers"], ["changes", "Changes"], ["undo", "Undos"], ["files", "Files"], ["delegation", "Delegations"],
  ["grant", "Grants"], ["hook", "Hooks"], ["network", "Network"], ["ports", "Ports"], ["outside", "Outside the sandbox"], ["coordination", "Coordination"], ["snapshot", "Snapshots"],
];

const bad = new Set(["deny", "denied", "refused", "failed"]);

export function Audit({ project }: { project: Project }) {
  const kind = useParam("kind"), since = useParam("since");
  const addressOf = (actor: string, change: Partial<Pick<api.AuditFilter, "kind" | "since">> = {}) => projectLink(project.id, "history", "", { show: "audit", kind, actor, since, ...change });
  const [actor, type] = useTypedParam("actor", projectLink(project.id, "history"), addressOf);
  const filter = useSettled({ kind, actor, since });
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["audit", project.path, filter], queryFn: ({ signal, pageParam }) => api.audit(project.path, filter, pageParam, signal), initialPageParam: "", getNextPageParam: (last) => last.nextCursor, retry: false,
  });
  const entries = data?.pages.flatMap((p) => p.entries ?? []) ?? [];
  const unreadable = data?.pages.reduce((n, p) => n + (p.unreadable ?? 0), 0) ?? 0;
  // A page without entries says only that older ones must be looked for.
  const empty = data !== undefined && entries.length === 0;
  useEffect(() => { if (empty && hasNextPage && !isFetchingNextPage && data.pages.length < 10) void fetchNextPage(); }, [empty, hasNextPage, isFetchingNextPage, fetchNextPage, data]);
  const to = (change: Parameters<typeof addressOf>[1]) => navigate(addressOf(actor, change), "replace");
  return (
    <section className="history-section" aria-label="Audit log">
      <Whole />
      <div className="filters">
        <label>Kind<select className="field" id="audit-kind" value={kind} onChange={(e) => to({ kind: e.target.value })}><option value="">All</option>{kinds.map(([id, label]) => <option key={id} value={id}>{label}</option>)}</select></label>
        <label>By<input className="field" id="audit-actor" value={actor} placeholder="anybody" maxLength={200} autoComplete="off" onChange={(e) => type(e.target.value)} /></label>
        <label>Since<input className="field" type="date" value={since} onChange={(e) => to({ since: e.target.value })} /></label>
      </div>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {empty && !hasNextPage && <p className="soft">The log has no such entry of this project.</p>}
      {unreadable > 0 && <p className="notice warn">{count(unreadable, "line")} of the log cannot be read. Verify the log.</p>}
      {entries.length > 0 && <ol className="entries-list">{entries.map((e) => <Entry key={e.line} entry={e} />)}</ol>}
      {hasNextPage && <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>{isFetchingNextPage && <span className="spin" />}Older entries</button>}
    </section>
  );
}

/** Whether the whole log is as it was written. */
function Whole() {
  const { data, error, isFetching, refetch } = useQuery({ queryKey: ["audit-verify"], queryFn: ({ signal }) => api.verifyAudit(signal), enabled: false, retry: false });
  return (
    <>
      <div className="history-head">
        <p className="soft grow">Every decision, refusal and change is on record. Each line carries the hash of the line before it.</p>
        <button type="button" className="button" id="verify-log" disabled={isFetching} onClick={() => void refetch()}>{isFetching ? <span className="spin" /> : <Icon.check />}Verify the log</button>
      </div>
      <div role="status" id="log-verdict">
        {data?.whole && <div className="notice good-notice"><strong>Nobody changed the log.</strong><span className="soft">{count(data.lines, "line")}, compared with {count(data.sessions, "session")}.</span></div>}
        {data && !data.whole && <div className="notice bad"><strong>The log is not as it was written</strong><p>{data.problem}</p><p className="soft">Compare {data.file} with a backup. What comes after that line proves nothing.</p></div>}
      </div>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

function Entry({ entry: e }: { entry: api.AuditEntry }) {
  const time = new Date(e.time);
  return (
    <li className="audit-entry">
      <time className="small soft" dateTime={e.time} title={e.time}>{time.toLocaleDateString()} {time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}</time>
      <div className="audit-what">
        <p className="row-line"><span className="chip">{e.kind}</span>{e.verdict && <span className={bad.has(e.verdict) ? "chip bad" : "chip good"}>{e.verdict}</span>}<span className="small soft">{[e.by && `by ${e.by}`, e.agent].filter(Boolean).join(" · ")}</span>{e.sessionId && <a className="small" href={sessionLink(e.sessionId)}>Session</a>}</p>
        <p className="audit-text">{e.tool && !e.summary?.startsWith(`${e.tool} `) && <code>{e.tool} </code>}{e.summary}</p>
        {(e.reason || e.note) && <p className="small soft audit-text">{[e.reason, e.note].filter(Boolean).join(" — ")}</p>}
      </div>
      <span className="small soft audit-line" title="Line of the log">{e.line}</span>
    </li>
  );
}
