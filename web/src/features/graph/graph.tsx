// The dependencies between deliverables: a drawing, an equivalent list, and the impact of a selection.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import * as api from "../../api/graph";
import { deliverableLink, navigate, projectLink, useParam } from "../../route";
import { count } from "../../ui/format";
import { later } from "../../ui/later";
import { ErrorNotice } from "../../ui/parts";
import { read, write } from "../../ui/keep";
import { stateLabels } from "../portal/rows";
import { projectKey } from "../project/live";
import type { ViewProps } from "../project/project";
import { byPackage, type Model, modelOf, mostDrawn, reach } from "./model";
import { Outline } from "./outline";
import "./graph.css";

const Canvas = later(() => import("./canvas"), <div className="graph-waits"><p className="soft"><span className="spin" /> Drawing</p></div>);

/** What the address says of the view. Where it says nothing, a phone shows the list. */
function useView(projectId: string) {
  const view = useParam("view"), at = useParam("at"), pkg = useParam("pkg"), group = useParam("group");
  const chosen = view || read("belay.graph") || (matchMedia("(max-width: 50rem)").matches ? "list" : "drawing");
  const go = (to: { view?: string; at?: string; pkg?: string; group?: string }) => navigate(projectLink(projectId, "graph", "", { view, at, pkg, group, ...to }), "replace");
  return { list: chosen === "list", at, pkg, group, go };
}

export default function Graph({ project }: ViewProps) {
  const root = project.path;
  const { data, error, refetch } = useQuery({ queryKey: projectKey(root, "graph"), queryFn: ({ signal }) => api.graph(root, signal), placeholderData: keepPreviousData, retry: false, staleTime: 5_000 });
  const { list, at, pkg, group, go } = useView(project.id);
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => { if (!list) Canvas.preload(); }, [list]); // beside the request
  const whole = useMemo(() => (data ? modelOf(data) : undefined), [data]);
  const large = (whole?.nodes.length ?? 0) > mostDrawn;
  const grouped = large && group !== "none" || group === "package";
  const drawn = useMemo(() => (whole && grouped && !(list && large) ? byPackage(whole, pkg) : whole), [whole, grouped, pkg, list, large]);
  const selected = drawn?.byId.has(at) ? at : "";
  const up = useMemo(() => new Set(drawn && selected ? reach(drawn, selected, "needs") : []), [drawn, selected]);
  const down = useMemo(() => new Set(drawn && selected ? reach(drawn, selected, "feeds") : []), [drawn, selected]);
  if (error && !data) return <div className="scroll"><div className="project-column"><ErrorNotice error={error}><p><button type="button" className="button" onClick={() => void refetch()}>Look again</button></p></ErrorNotice></div></div>;
  if (!whole || !drawn) return <div className="scroll"><div className="project-column"><p className="soft"><span className="spin" /> Reading the registers</p></div></div>;
  const select = (id: string) => {
    const node = drawn.byId.get(id);
    if (node?.holds) go({ pkg: id, at: "" });
    else go({ at: id });
  };
  const show = (to: "list" | "drawing") => { write("belay.graph", to); go({ view: to }); };
  const circles = whole.circles.filter((c) => c.blocking);
  return (
    <div className="graph-view">
      <div className="graph-bar">
        <h2 className="hidden">Graph</h2>
        <span className="segments" role="group" aria-label="Show as">
          <button type="button" id="graph-drawing" className="segment" aria-pressed={!list} onClick={() => show("drawing")}>Drawing</button>
          <button type="button" id="graph-list" className="segment" aria-pressed={list} onClick={() => show("list")}>List</button>
        </span>
        {!(list && large) && <label className="check"><input type="checkbox" id="graph-packages" checked={grouped} onChange={(e) => go({ group: e.target.checked ? "package" : "none", pkg: "", at: "" })} />By package</label>}
        {grouped && pkg && <button type="button" className="button small" onClick={() => go({ pkg: "", at: "" })}>Close {pkg.split("_")[0]}</button>}
        <select id="graph-select" className="quiet" aria-label="Deliverable" value={selected} onChange={(e) => go({ at: e.target.value })}>
          <option value="">No selection</option>{drawn.nodes.filter((n) => !n.holds).slice(0, mostDrawn).map((n) => <option key={n.id} value={n.id}>{n.id} {n.name}</option>)}
        </select>
        <span className="soft small graph-counts">{count(whole.nodes.length, "deliverable")}, {count(whole.edges.length, "dependency", "dependencies")}{circles.length > 0 && <>, <b className="bad">{count(circles.length, "blocking circle")}</b></>}
          {whole.unresolved.length > 0 && <span title={whole.unresolved.slice(0, 20).map((u) => `${u.target}: ${u.by.join(", ")}`).join("\n")}>, {count(whole.unresolved.length, "unknown target")}</span>}</span>
      </div>
      {large && <p className="notice warn graph-note" role="status">{count(whole.nodes.length, "deliverable")} are too many for one drawing. It shows packages; choose one to see its deliverables. The list has all of them.</p>}
      {(data?.findings?.length ?? 0) > 0 && <p className="notice warn graph-note" role="status">{count(data!.findings!.length, "register")} could not be read, so their rows are missing. {data!.findings![0]!.path}: {data!.findings![0]!.message}</p>}
      {whole.nodes.length === 0 ? <div className="empty-main"><h3>No deliverables</h3><p className="soft">There is nothing to depend on each other yet.</p></div> : (
        <div className="graph-body">
          {list ? <div className="scroll" ref={scroller}><Outline model={drawn} selected={selected} up={up} down={down} onSelect={select} scroller={scroller} /></div>
            : <Canvas model={drawn} selected={selected} onSelect={select} />}
          {selected && <Impact model={drawn} projectId={project.id} selected={selected} up={up} down={down} onSelect={select} />}
        </div>
      )}
    </div>
  );
}

/** Neighbours that are named at once. */
const few = 12;

function Impact({ model, projectId, selected, up, down, onSelect }: { model: Model; projectId: string; selected: string; up: ReadonlySet<string>; down: ReadonlySet<string>; onSelect: (id: string) => void }) {
  const n = model.byId.get(selected)!;
  const near = (ids: readonly string[]) => (
    <ul className="graph-links">{ids.slice(0, few).map((id) => <li key={id}><button type="button" className="foot-link" onClick={() => onSelect(id)}>{id.includes("_") ? id.split("_")[0] : id} <span className="soft">{model.byId.get(id)?.name}</span></button></li>)}
      {ids.length > few && <li className="soft small">and {ids.length - few} more</li>}</ul>
  );
  return (
    <aside className="graph-impact" aria-label={`Impact of ${selected}`}>
      <h3><a href={deliverableLink(projectId, `${n.pkg}::${n.id}`)}>{n.id}</a> <button type="button" className="button plain small" onClick={() => onSelect("")}>Clear</button></h3>
      <p>{n.name}</p>
      <p className="soft small"><span className={`dot state-${n.state}`} aria-hidden="true" /> {stateLabels[n.state]}{n.circle && (n.circle === "blocking" ? ", in a blocking circle" : ", in a circle")}</p>
      {n.blockers.length > 0 && <><h4>Waits for</h4><ul className="small">{n.blockers.slice(0, few).map((b) => <li key={`${b.deliverable} ${b.reason}`}>{b.reason}</li>)}</ul></>}
      <h4>Needs {n.needs.length}{up.size > n.needs.length && <span className="soft">, {up.size} in all</span>}</h4>{near(n.needs)}
      <h4>Feeds {n.feeds.length}{down.size > n.feeds.length && <span className="soft">; a change reaches {down.size}</span>}</h4>{near(n.feeds)}
    </aside>
  );
}
