// Starting agents on the work of a project: what, on which deliverables, and at what cost.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import * as pipeline from "../../api/pipeline";
import { useRequestKey } from "../../api/request-key";
import { useInfo, useModels } from "../../app-state";
import { amend, projectLink, useParam } from "../../route";
import { count } from "../../ui/format";
import { ErrorNotice } from "../../ui/parts";
import { Icon } from "../../ui/icons";
import { projectKey, useProjectLive } from "../project/live";
import type { ViewProps } from "../project/project";
import { keepSelection, selectedKeys, selectionLink } from "../project/selection";
import { announce } from "../shell/announce";
import { approvalUsed, further, modes, setOption, turnOpts, useOptions } from "../workbench/options";
import { TurnOptions } from "../workbench/turn-options";
import { Batches, BatchView } from "./batch";
import { PreviewSheet } from "./preview";
import { ScopeModes, Targets } from "./scope";
import { availableOf, fromQuery, inCategory, offered, reset, type Selection, toQuery, withOnlyType } from "./selection";
import { Types } from "./types";
import "./pipeline.css";

export default function Pipeline({ project }: ViewProps) {
  const batch = useParam("batch");
  return (
    <div className="scroll">
      <div className="project-column pipeline">
        {batch ? <BatchView project={project} id={batch} /> : <Choose project={project} />}
      </div>
    </div>
  );
}

const none: ReadonlySet<string> = new Set();

function Choose({ project }: { project: ViewProps["project"] }) {
  const root = project.path;
  const live = useProjectLive();
  const choices = useQuery({ queryKey: projectKey(root, "pipeline"), queryFn: ({ signal }) => pipeline.options(root, signal), refetchInterval: 30_000, retry: false });
  const listing = useQuery({ queryKey: projectKey(root, "deliverables"), queryFn: ({ signal }) => pipeline.listing(root, signal), refetchInterval: live ? 60_000 : 5_000, retry: false });
  const [selection, setSelection] = useState<Selection>(() => fromQuery(location.search, selectedKeys(project.id, location.search)));
  const [cleared, setCleared] = useState("");
  const [note, setNote] = useState("");
  const [atOnce, setAtOnce] = useState(0);
  const [sheet, setSheet] = useState<"" | "preview" | "options">("");
  const keys = useRequestKey();
  const optionKey = `pipeline:${root}`;
  const options = useOptions(optionKey);
  const usual = useInfo().data?.defaultModel ?? "";
  const models = useModels();
  const rootBefore = useRef(root);

  const data = listing.data;
  const available = useMemo(() => availableOf(root, data, listing.error), [root, data, listing.error]);

  // What does not fit any more is cleared as soon as that is known.
  useEffect(() => {
    if (!available) return;
    const result = reset(selection, available, rootBefore.current);
    rootBefore.current = root;
    if (result.selection === selection) return;
    setSelection(result.selection);
    setCleared(result.cleared);
    announce(result.cleared);
  }, [selection, available, root]);

  useEffect(() => {
    keepSelection(project.id, selection.targets);
    const [, keys = ""] = selectionLink(project.id, selection.targets).split("?");
    const query = new URLSearchParams(keys);
    for (const name of ["category", "taskScopeMode"]) query.delete(name);
    amend(projectLink(project.id, "pipeline"), `${projectLink(project.id, "pipeline", "", toQuery(selection))}${query.size > 0 ? `&${query}` : ""}`);
  }, [project.id, selection]);

  const types = choices.data?.categories?.find((c) => c.id === selection.category)?.types;
  useEffect(() => { if (types) setSelection((s) => withOnlyType(s, types)); }, [types]);

  const category = choices.data?.categories?.find((c) => c.id === selection.category);
  const type = category?.types?.find((t) => t.id === selection.type && t.enabled);
  const change = (next: Selection) => { setCleared(""); setSelection(next); };
  const scoped = type !== undefined && type.targets !== "none";
  const targets = scoped ? selection.targets : [];
  const needs = type === undefined ? "Choose what is to be done." : type.targets === "required" && targets.length === 0 ? "Choose at least one deliverable."
    : choices.data && targets.length > choices.data.maxTargets ? "Choose fewer deliverables." : "";
  const body: pipeline.StartBody = {
    projectRoot: root, category: selection.category, type: selection.type,
    ...(selection.category === "TASK" ? { scopeMode: selection.scopeMode, ...(selection.knowledgeType ? { knowledgeType: selection.knowledgeType } : {}) } : {}),
    ...(targets.length > 0 ? { targets: [...targets] } : {}), ...(note.trim() ? { note: note.trim() } : {}), ...(atOnce > 0 ? { atOnce } : {}),
    opts: turnOpts({ ...options, persona: "" }, undefined),
  };
  const changed = further.filter((name) => options[name] !== "").length;
  return (
    <>
      {choices.error && <ErrorNotice error={choices.error} />}
      {listing.error && <ErrorNotice error={listing.error} />}
      {cleared && <p className="notice warn" role="status">{cleared}</p>}
      {choices.data && category && (
        <div className="pipeline-grid">
          <section className="pipeline-what" aria-label="What is done">
            <div className="segments" role="group" aria-label="Category">
              {choices.data.categories?.map((c) => (
                <button key={c.id} type="button" className="segment" data-category={c.id} aria-pressed={c.id === category.id} onClick={() => change(inCategory(selection, c.id))}>{c.label}</button>
              ))}
            </div>
            <Types category={category} chosen={selection.type} onChoose={(id) => change({ ...selection, type: id })} />
          </section>
          <section className="pipeline-scope" aria-label="On what">
            {category.id === "TASK" && (
              <ScopeModes modes={choices.data.scopeModes ?? []} types={data?.knowledgeTypes ?? []} selection={selection} onChange={change} />
            )}
            {type?.targets === "none" || category.types?.every((t) => t.targets === "none")
              ? <p className="soft pipeline-whole">Works on the whole project.</p>
              : (
                <Targets deliverables={data?.deliverables ?? []} known={data !== undefined} offered={available ? offered(selection, available) : none} chosen={selection.targets} most={choices.data.maxTargets}
                  optional={type?.targets !== "required"} onChange={(keys) => change({ ...selection, targets: keys })} />
              )}
            <label className="pipeline-note"><span>Note for the agent</span>
              <textarea className="field" rows={2} maxLength={2000} value={note} placeholder="What it should know or look at" onChange={(e) => setNote(e.target.value)} /></label>
            <div className="pipeline-options">
              <label><span className="hidden">Mode</span><select className="quiet" name="mode" title="Mode" value={options.mode || "direct"} onChange={(e) => setOption(optionKey, "mode", e.target.value)}>
                {modes.map((m) => <option key={m.id} value={m.id}>{m.label}</option>)}</select></label>
              <label><span className="hidden">Model</span><select className="quiet" name="model" title="Model" value={options.model} onChange={(e) => setOption(optionKey, "model", e.target.value)}>
                <option value="">{models.find((m) => m.id === usual)?.name || usual || "The usual model"}</option>
                {models.filter((m) => m.id !== usual).map((m) => <option key={m.id} value={m.id}>{m.name}</option>)}</select></label>
              {targets.length > 1 && (
                <label><span className="hidden">At once</span><select className="quiet" name="at-once" title="How many work at the same time" value={atOnce || choices.data.defaultAtOnce} onChange={(e) => setAtOnce(Number(e.target.value))}>
                  {Array.from({ length: choices.data.maxAtOnce }, (_, i) => <option key={i} value={i + 1}>{i + 1} at once</option>)}</select></label>
              )}
              <button type="button" className="button plain" id="pipeline-options" onClick={() => setSheet("options")}><Icon.sliders />Limits{changed > 0 && ` (${changed})`}</button>
              <span className="grow" />
              <button type="button" className="button primary" id="preview" disabled={needs !== ""} title={needs || undefined} onClick={() => setSheet("preview")}>
                Preview{targets.length > 1 && ` ${count(targets.length, "session")}`}
              </button>
            </div>
            {needs && <p className="soft small pipeline-needs">{needs}</p>}
          </section>
        </div>
      )}
      {!choices.data && !choices.error && <p className="soft"><span className="spin" /> Reading</p>}
      <Batches project={project} />
      {sheet === "preview" && <PreviewSheet project={project} body={body} keys={keys} onAcceptEdits={() => setOption(optionKey, "mode", "acceptEdits")} onStarted={() => approvalUsed(optionKey, options.approval)} onClose={() => setSheet("")} />}
      {sheet === "options" && <TurnOptions optionKey={optionKey} onClose={() => setSheet("")} />}
    </>
  );
}
