import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import * as api from "../../api/history";
import type { Project } from "../../api/types";
import { useInfo } from "../../app-state";
import { projectLink } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { shownName } from "../files/names";

export function Snapshots({ project }: { project: Project }) {
  const { data, error, isPending } = useQuery({ queryKey: ["snapshots", project.path], queryFn: ({ signal }) => api.snapshots(project.path, signal), retry: false });
  const [publishing, setPublishing] = useState(false);
  const [made, setMade] = useState("");
  const all = data?.snapshots ?? [];
  const roots = [...new Set(all.map((s) => s.toolRoot))];
  return (
    <section className="history-section" aria-label="Snapshots">
      <div className="history-head">
        <p className="soft grow">A snapshot is a copy of derived output that never changes. Its manifest shows whether it is as it was published.</p>
        <button type="button" className="button primary" id="publish" onClick={() => setPublishing(true)}><Icon.archive />Publish a snapshot</button>
      </div>
      {made && <p className="notice good-notice" role="status" id="published"><span>Published as <code>{made}</code>.</span></p>}
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {data && all.length === 0 && <p className="soft">Nothing was published in this project yet.</p>}
      {data?.more && <p className="soft small">Only the first {all.length.toLocaleString("en-US")} are listed.</p>}
      {roots.map((root) => (
        <div key={root} className="history-group">
          <h2><a href={projectLink(project.id, "files", "", { q: "" })}>{shownName(root)}</a></h2>
          <ul className="cards">
            {all.filter((s) => s.toolRoot === root).map((s, i, list) => <SnapshotRow key={s.path} project={project} snapshot={s} others={list} first={i === 0} />)}
          </ul>
        </div>
      ))}
      {publishing && <Publish project={project} roots={roots} onClose={() => setPublishing(false)} onDone={(name) => { setPublishing(false); setMade(name); }} />}
    </section>
  );
}

/** One snapshot. It is verified when a person opens it: that reads every file. */
function SnapshotRow({ project, snapshot, others, first }: { project: Project; snapshot: api.Snapshot; others: readonly api.Snapshot[]; first: boolean }) {
  const [open, setOpen] = useState(false);
  const state = useQuery({
    queryKey: ["snapshot", project.path, snapshot.path], queryFn: ({ signal }) => api.verifySnapshot(project.path, snapshot.path, signal), enabled: snapshot.sealed && (open || first), retry: false, staleTime: 60_000,
  });
  return (
    <li className="card">
      <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>
          <Icon.chevron />
          <span className="grow clip" title={snapshot.name}>{shownName(snapshot.name)}</span>
          {snapshot.latest && <span className="chip accent">latest</span>}
          <Verdict snapshot={snapshot} state={state} />
        </summary>
        {open && (
          <div className="card-body">
            {state.error && <ErrorNotice error={state.error} />}
            {!snapshot.sealed && <p className="soft">It was published without a manifest, so nobody can tell whether it is as it was. The next one that belay publishes has one.</p>}
            {state.data?.whole && <p>Every file is as it was published, and nothing was added.</p>}
            {(state.data?.findings ?? []).length > 0 && (
              <ul className="notice bad findings">{state.data!.findings!.map((f, i) => <li key={i}><code>{f.path}</code> {f.message}{f.fix && <span className="soft"> — {f.fix}</span>}</li>)}</ul>
            )}
            {snapshot.sealed && <Since project={project} snapshot={snapshot} others={others} />}
            <p className="row-line">
              <a className="button" href={projectLink(project.id, "files", "", { path: `${snapshot.path}/SHA256SUMS` })}>{snapshot.sealed ? "Open its files" : "Look for its files"}</a>
              {snapshot.sealed && <button type="button" id={first ? "verify-again" : undefined} className="button" disabled={state.isFetching} onClick={() => void state.refetch()}>{state.isFetching && <span className="spin" />}Verify again</button>}
            </p>
          </div>
        )}
      </details>
    </li>
  );
}

function Verdict({ snapshot, state }: { snapshot: api.Snapshot; state: { data: api.SnapshotState | undefined; isFetching: boolean; error: unknown } }) {
  if (!snapshot.sealed) return <span className="chip warn">no manifest</span>;
  if (state.isFetching && !state.data) return <span className="chip"><span className="spin" /> verifying</span>;
  if (state.error) return <span className="chip warn">not verified</span>;
  if (!state.data) return <span className="chip">not verified yet</span>;
  return state.data.whole ? <span className="chip good"><Icon.check /> verified</span> : <span className="chip bad"><Icon.warning /> {count((state.data.findings ?? []).length, "finding")}</span>;
}

/** What changed since a snapshot. */
function Since({ project, snapshot, others }: { project: Project; snapshot: api.Snapshot; others: readonly api.Snapshot[] }) {
  const [against, setAgainst] = useState("");
  const { data, error, isPending } = useQuery({ queryKey: ["snapshot-since", project.path, snapshot.path, against], queryFn: ({ signal }) => api.compareSnapshot(project.path, snapshot.path, against, signal), retry: false });
  const lists = data ? [["Changed", data.changed], ["New", data.added], ["Gone", data.removed]] as const : [];
  return (
    <div className="since">
      <label className="row-line">Changed since, in
        <select className="field since-field" value={against} onChange={(e) => setAgainst(e.target.value)}>
          <option value="">the loose files of {snapshot.toolRoot}</option>
          {others.filter((o) => o.sealed && o.path !== snapshot.path).map((o) => <option key={o.path} value={o.name}>{o.name}</option>)}
        </select>
      </label>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Comparing</p>}
      {data && <p className="small soft" role="status">{lists.every(([, l]) => (l ?? []).length === 0) ? `Nothing: ${count(data.same, "file")} ${data.same === 1 ? "is" : "are"} the same.` : `${count(data.same, "file")} the same.`}{data.more && " The lists are cut."}</p>}
      {lists.map(([label, paths]) => (paths ?? []).length > 0 && (
        <div key={label}><h3 className="small">{label}, {paths!.length.toLocaleString("en-US")}</h3><ul className="paths">{paths!.map((p) => <li key={p}><code>{shownName(p)}</code></li>)}</ul></div>
      ))}
    </div>
  );
}

const toolRoots = ["_Aggregation", "_Change", "_Coordination", "_Decomposition", "_Estimates", "_Reconciliation"];

function Publish({ project, roots, onClose, onDone }: { project: Project; roots: readonly string[]; onClose: () => void; onDone: (name: string) => void }) {
  const [toolRoot, setToolRoot] = useState(roots[0] ?? "_Estimates");
  const [label, setLabel] = useState("");
  const [from, setFrom] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const operator = useInfo().data?.operator;
  const queries = useQueryClient();
  const send = async (e: FormEvent) => {
    e.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const done = await api.publishSnapshot({ projectRoot: project.path, toolRoot: toolRoot.trim(), label: label.trim(), ...(from.trim() ? { from: from.trim() } : {}) });
      void queries.invalidateQueries({ queryKey: ["snapshots", project.path] });
      onDone(`${done.toolRoot}/${done.name}`);
    } catch (err) {
      setError(err);
      setBusy(false);
    }
  };
  return (
    <Sheet title="Publish a snapshot" onClose={onClose} footer={(
      <>
        <button type="button" className="button" onClick={onClose}>Cancel</button>
        <button type="submit" form="publish-form" className="button primary" id="publish-now" disabled={busy || operator === false || label.trim() === ""}>{busy && <span className="spin" />}Publish</button>
      </>
    )}>
      <form id="publish-form" className="publish-form" onSubmit={(e) => void send(e)}>
        {operator === false && <p className="notice warn">Publishing needs the operator's authority. Run “belay open” on the server's machine and open its link in this browser.</p>}
        <label>Tool root<input className="field" list="tool-roots" value={toolRoot} onChange={(e) => setToolRoot(e.target.value)} required maxLength={400} /></label>
        <datalist id="tool-roots">{[...new Set([...roots, ...toolRoots])].map((r) => <option key={r} value={r} />)}</datalist>
        <label>Label<input className="field" id="publish-label" value={label} onChange={(e) => setLabel(e.target.value)} required maxLength={200} placeholder="EST_DEL-01-01" autoComplete="off" /></label>
        <label>Folder to publish<input className="field" value={from} onChange={(e) => setFrom(e.target.value)} maxLength={1000} placeholder={`what is loose in ${toolRoot}`} autoComplete="off" /></label>
        <p className="small soft">The snapshot is named after the label and the time in UTC. It appears whole or not at all, and its files are read-only.</p>
        {error !== undefined && <ErrorNotice error={error} />}
      </form>
    </Sheet>
  );
}
