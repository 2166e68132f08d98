// A project at a glance: its state, what to do first, what happened, and its deliverables.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import * as api from "../../api/portal";
import { isFailure } from "../../api/http";
import { amendLater, projectLink } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { projectKey } from "../project/live";
import { listingQuery } from "../project/queries";
import type { ViewProps } from "../project/project";
import { keepSelection, selectionLink } from "../project/selection";
import { NoDeliverables } from "./empty";
import { Filters } from "./filters";
import { List } from "./list";
import { type Filter, filtered, filterOf, isFiltered, linesOf, noFilter, queryOf, rowsOf } from "./rows";
import { Since } from "./since";
import { DoFirst, Matrix, States } from "./summary";
import { Waiting } from "./waiting";
import "./portal.css";

function useFilter(projectId: string): [Filter, (f: Filter) => void] {
  const [filter, set] = useState(() => filterOf(location.search));
  useEffect(() => {
    const back = () => set(filterOf(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(() => amendLater(projectLink(projectId), projectLink(projectId, "", "", queryOf(filter))), [filter, projectId]);
  return [filter, set];
}

export default function Portal({ project }: ViewProps) {
  const root = project.path;
  const listing = useQuery({ ...listingQuery(root), placeholderData: keepPreviousData });
  const judged = useQuery({ queryKey: projectKey(root, "progress"), queryFn: ({ signal }) => api.progress(root, signal), placeholderData: keepPreviousData, retry: false, staleTime: 5_000 });
  const [filter, setFilter] = useFilter(project.id);
  const shownFilter = useDeferredValue(filter);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => (listing.data ? rowsOf(listing.data, judged.data) : []), [listing.data, judged.data]);
  const shown = useMemo(() => filtered(rows, shownFilter), [rows, shownFilter]);
  const lines = useMemo(() => linesOf(shown), [shown]);
  const packages = useMemo(() => [...new Set(rows.map((r) => r.pkg))], [rows]);
  // A deliverable that is gone is not chosen any more (workspace 14.5).
  const kept = useMemo(() => {
    if (chosen.size === 0) return chosen;
    const there = new Set(rows.map((r) => r.key));
    return new Set([...chosen].filter((key) => there.has(key)));
  }, [rows, chosen]);
  const choose = useCallback((keys: readonly string[], to: boolean) => setChosen((was) => {
    const now = new Set(was);
    for (const key of keys) if (to) now.add(key); else now.delete(key);
    return now;
  }), []);

  if (listing.error && !listing.data) return <Unreadable error={listing.error} again={() => { void listing.refetch(); }} />;
  if (!listing.data) return <div className="scroll"><div className="project-column"><p className="soft"><span className="spin" /> Reading the project</p></div></div>;
  if (rows.length === 0) return <NoDeliverables project={project} listing={listing.data} />;
  const keys = [...kept];
  return (
    <div className="scroll portal" ref={scroller}>
      <div className="project-column">
        <h2 className="hidden">{project.name}</h2>
        {listing.error && <ErrorNotice error={listing.error} />}
        {judged.error && judged.data && <ErrorNotice error={judged.error} />}
        {listing.data.truncated && <p className="notice warn" role="status">The project is larger than what is looked at. Deliverables are missing from this list.</p>}
        <States rows={rows} filter={filter} set={setFilter}>
          <span className="soft small">{count(rows.length, "deliverable")} in {count(packages.length, "package")}</span>
          {!listing.data.knowledgeDecomposition.enabled && <span className="soft small" title="No document in _Decomposition has the marker of a knowledge decomposition. So an agent can be started on deliverables, and not on knowledge types.">no knowledge decomposition</span>}
        </States>
        <div className="portal-blocks">
          <Since key={project.id} project={project} />
          {judged.error && !judged.data ? <section className="portal-block"><ErrorNotice error={judged.error} /></section>
            : <DoFirst progress={judged.data} onFindings={() => setFilter({ ...noFilter, findings: true })}><Waiting project={project} rows={rows} /></DoFirst>}
          <Matrix project={project} />
        </div>
      </div>
      <div className="portal-bar">
        <div className="project-column">
          <Filters filter={filter} set={setFilter} packages={packages} shown={shown} total={rows.length} chosen={kept} choose={choose} />
        </div>
      </div>
      <div className="project-column portal-list">
        {shown.length > 0 ? <List project={project} lines={lines} scroller={scroller} chosen={kept} choose={choose} judged={judged.data !== undefined} />
          : <p className="soft nothing">No deliverable fits. <button type="button" className="button" onClick={() => setFilter(noFilter)}>Show all</button></p>}
      </div>
      {keys.length > 0 && (
        <div className="portal-selection" role="region" aria-label="Selection">
          <span className="grow"><b>{keys.length.toLocaleString("en-US")}</b> selected{isFiltered(filter) && <span className="soft small"> of {rows.length.toLocaleString("en-US")}</span>}</span>
          <button type="button" className="button" onClick={() => setChosen(new Set())}>Clear</button>
          <a id="work-on" className="button primary" href={selectionLink(project.id, keys)} onClick={() => keepSelection(project.id, keys)}>Work on {keys.length === 1 ? "it" : "them"}<Icon.chevron /></a>
        </div>
      )}
    </div>
  );
}

/** A project that vanished while it was looked at, or that cannot be read. */
function Unreadable({ error, again }: { error: unknown; again: () => void }) {
  const gone = isFailure(error, "WORKING_ROOT_INACCESSIBLE");
  return (
    <div className="scroll"><div className="project-column">
      {gone && <h2>The project cannot be reached</h2>}
      <ErrorNotice error={error}><p><button type="button" className="button" onClick={again}>Look again</button> <a className="button" href="/">All sessions</a></p></ErrorNotice>
    </div></div>
  );
}
