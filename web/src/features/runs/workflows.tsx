// The workflow files of a project and their runs. One file: what is wrong with it, and its start.
import { useQuery } from "@tanstack/react-query";
import * as api from "../../api/client";
import { useRequestKey } from "../../api/request-key";
import type { Project, RunSummary } from "../../api/types";
import * as workflows from "../../api/workflows";
import { projectLink, useParam } from "../../route";
import { ago, count, duration, worked } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { projectKey, useProjectLive } from "../project/live";
import type { ViewProps } from "../project/project";
import { dollars } from "../pipeline/words";
import { CheckedFile } from "./checked";
import { StartForm } from "./start-form";
import { statusChip, waitChip } from "./words";
import "./runs.css";

export default function Workflows({ project }: ViewProps) {
  const file = useParam("file");
  return <div className="scroll"><div className="project-column runs">{file ? <File key={file} project={project} path={file} /> : <List project={project} />}</div></div>;
}

const fileLink = (project: Project, path: string) => projectLink(project.id, "workflows", "", { file: path });

function List({ project }: { project: Project }) {
  const live = useProjectLive();
  const { data, error, isPending } = useQuery({ queryKey: projectKey(project.path, "workflows"), queryFn: ({ signal }) => workflows.workflows(project.path, signal), retry: false, refetchInterval: live ? 60_000 : 15_000 });
  const files = data?.workflows ?? [];
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {data && files.length === 0 && (
        <div className="nothing"><h2>No workflow in this project</h2>
          <p className="soft">A workflow is a YAML file with <code>id</code> and <code>tasks</code>, anywhere in the project. <code>belay workflow schema</code> prints what it can have.</p></div>
      )}
      {files.length > 0 && (
        <ul className="plain-list run-list" aria-label="Workflows">
          {files.map((f) => {
            const wrong = (f.problems?.length ?? 0) + (f.moreProblems ?? 0);
            return (
              <li key={f.path}>
                <a className="run-link" href={fileLink(project, f.path)} data-workflow={f.path}>
                  <span className="run-name"><span className="clip">{f.id || f.path}</span><span className="soft small clip">{f.description || (f.id ? f.path : "It cannot be run as it is.")}</span></span>
                  {wrong > 0 ? <span className="chip bad">{count(wrong, "problem")}</span> : <span className="soft small nowrap">{count(f.tasks ?? 0, "task")}</span>}
                </a>
              </li>
            );
          })}
        </ul>
      )}
      {data?.truncated && <p className="soft small">The project is large: not every folder was searched.</p>}
      <Runs project={project} />
    </>
  );
}

function Runs({ project }: { project: Project }) {
  const { data, error } = useQuery({ queryKey: ["active", "all runs", project.path], queryFn: ({ signal }) => api.runs(project.path, signal), retry: false, refetchInterval: 5_000 });
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {data !== undefined && data.length > 0 && (
        <section className="batches" aria-label="Runs"><h2>Runs</h2>
          <ul className="plain-list run-list">{data.map((r) => <li key={r.id}><RunLink project={project} run={r} /></li>)}</ul>
        </section>
      )}
    </>
  );
}

function RunLink({ project, run }: { project: Project; run: RunSummary }) {
  const waits = waitChip(run.waits);
  const [word, chip] = waits ?? statusChip(run.status, run.live);
  return (
    <a className="run-link" href={projectLink(project.id, "runs", run.id)} data-run={run.id}>
      <span className="run-name"><span className="clip">{run.workflow}</span>
        <span className="soft small clip">{run.error?.message ?? (run.endedAt ? `took ${duration(worked(run))}` : run.id)}</span></span>
      <span className={chip}>{run.live && !waits && <span className="spin" />}<span>{word}</span></span>
      <span className="soft small nowrap run-cost">{run.usage?.costUsd !== undefined && dollars(run.usage.costUsd)}</span>
      <span className="soft small nowrap">{ago(run.startedAt)}</span>
    </a>
  );
}

function File({ project, path }: { project: Project; path: string }) {
  const root = project.path;
  const live = useProjectLive();
  const checked = useQuery({ queryKey: projectKey(root, "check", path), queryFn: () => workflows.check(root, path), retry: false, refetchInterval: live ? 60_000 : 4_000 });
  const list = useQuery({ queryKey: projectKey(root, "workflows"), queryFn: ({ signal }) => workflows.workflows(root, signal), retry: false });
  const file = list.data?.workflows?.find((f) => f.path === path);
  const data = checked.data;
  const keys = useRequestKey();
  return (
    <>
      <div className="run-head">
        <a className="button plain batch-back" aria-label="Workflows" href={projectLink(project.id, "workflows")}><Icon.back /><span className="wide-text">Workflows</span></a>
        <h2 className="grow clip" title={path}>{data?.id || path}</h2>
        {data && (data.valid ? <span className="chip good"><Icon.check />valid</span> : <span className="chip bad">{count(data.problems!.length + (data.more ?? 0), "problem")}</span>)}
      </div>
      <p className="soft small" title={path}>{[data?.id && path, file?.description].filter(Boolean).join(" · ") || "It cannot be run as it is."}</p>
      {checked.error && <ErrorNotice error={checked.error} />}
      {data && <CheckedFile checked={data} />}
      {data?.valid && data.shared && <p className="soft">A file of shared agents: other workflows use it, and it is not run itself.</p>}
      {data?.valid && !data.shared && file && <StartForm project={project} path={path} schema={file.input} keys={keys} />}
    </>
  );
}
