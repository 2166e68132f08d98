// One run of a workflow, task by task, while it works and afterwards.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import { tellOf } from "../../api/errors";
import * as workflows from "../../api/workflows";
import type { Waiting } from "../../api/workflows";
import { useModelName, useQuestions, useRefresh } from "../../app-state";
import { projectLink } from "../../route";
import { choose, chosen, useChoosing } from "../../ui/choosing";
import { ago, count, duration, tokens, visible, worked } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, ToldNotice } from "../../ui/parts";
import { dollars } from "../pipeline/words";
import type { ViewProps } from "../project/project";
import { announce } from "../shell/announce";
import { Correct } from "./correct";
import { Task } from "./task";
import { Values } from "./values";
import { statusChip, waitChip } from "./words";
import "./runs.css";

/** How long a read that took so long is not repeated, in milliseconds: the server reads all tasks for it. */
export const restAfter = (took: number): number => Math.max(250, 4 * took);

/** Reads the run again when it says that something happened, at most four times a second and a fifth of the time. */
function useLiveRun(root: string, id: string) {
  const client = useQueryClient();
  const took = useRef(0);
  const query = useQuery({
    queryKey: ["run", root, id], retry: false,
    queryFn: async ({ signal }) => {
      const asked = performance.now();
      const run = await workflows.record(root, id, signal);
      took.current = performance.now() - asked;
      return run;
    },
    refetchInterval: (q) => Math.max(q.state.data?.live ? 5_000 : 30_000, restAfter(took.current)),
  });
  const live = query.data?.live ?? false;
  useEffect(() => {
    if (!live) return;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => { timer ??= setTimeout(() => { timer = undefined; void client.invalidateQueries({ queryKey: ["run", root, id] }); }, restAfter(took.current)); };
    // A stream that breaks off leaves the interval.
    workflows.follow(root, id, gone.signal, again).then(again, () => undefined);
    return () => { gone.abort(); clearTimeout(timer); };
  }, [client, root, id, live]);
  return query;
}

export default function Run({ project, item: id }: ViewProps) {
  const root = project.path;
  const { data: run, error } = useLiveRun(root, id);
  const { data: questions } = useQuestions();
  const refresh = useRefresh();
  const [correcting, setCorrecting] = useState(false);
  const act = useMutation({
    mutationFn: ({ how, path }: { how: "cancel" | "resume"; path?: string }) =>
      (how === "cancel" ? api.cancelRun(root, id) : workflows.resume({ projectRoot: root, resume: id, onQuestion: "wait", ...(path ? { path } : {}) })),
    onSuccess: (_, { how }) => { setCorrecting(false); announce(how === "cancel" ? "The run was cancelled." : "The run goes on."); },
    onSettled: () => refresh("run", "active", "questions"),
  });
  const modelName = useModelName();
  const back = <a className="button plain batch-back" aria-label="Workflows" href={projectLink(project.id, "workflows")}><Icon.back /><span className="wide-text">Workflows</span></a>;
  if (!run) {
    return (
      <div className="scroll"><div className="project-column runs">{back}
        {error ? <ErrorNotice error={error} /> : <p className="soft"><span className="spin" /> Reading</p>}</div></div>
    );
  }
  const [word, chip] = waitChip(run.waits) ?? statusChip(run.status, run.live);
  const tasks = run.tasks ?? [];
  const resumable = !run.live && run.status !== "success";
  return (
    <div className="scroll">
      <div className="project-column runs">
        <div className="run-head">
          {back}
          <h2 className="grow clip" title={run.id}>{run.workflow}</h2>
          <span className={chip} role="status">{run.live && !run.waits?.length && <span className="spin" />}<span>{word}</span></span>
          {run.live && <button type="button" className="button danger" id="cancel-run" disabled={act.isPending} onClick={() => act.mutate({ how: "cancel" })}><Icon.stop />Cancel</button>}
          {resumable && <button type="button" className="button" id="correct-run" aria-expanded={correcting} onClick={() => setCorrecting(!correcting)}>With a corrected file</button>}
          {resumable && <button type="button" className="button primary" id="resume-run" disabled={act.isPending} onClick={() => act.mutate({ how: "resume" })}>Resume</button>}
        </div>
        {act.error && <ErrorNotice error={act.error} onClose={() => act.reset()} />}
        {error && <ErrorNotice error={error} />}
        {run.error && !run.live && <ToldNotice told={tellOf(run.error.type, run.error.message, run.error.details, run.error.hint)} />}
        {resumable && correcting && <Correct project={project} id={id} file={inProject(run.file, root)} busy={act.isPending} onResume={(path) => act.mutate({ how: "resume", path })} />}
        {run.waits?.map((w) => (w.message ? <Question key={w.decisionId} root={root} id={id} wait={w} /> : <p key={w.task} className="soft small">{w.task} waits{w.until && ` for ${duration(Math.max(0, Date.parse(w.until) - Date.now()))} more`}.</p>))}
        <dl className="work-facts">
          <div><dt>Begun</dt><dd>{ago(run.startedAt)}</dd></div>
          {(run.live || run.endedAt) && <div><dt>{run.live ? "So far" : "Took"}</dt><dd>{duration(worked(run))}</dd></div>}
          {run.usage && <div><dt>Tokens</dt><dd>{tokens(run.usage.inputTokens)} in, {tokens(run.usage.outputTokens)} out</dd></div>}
          {run.usage?.costUsd !== undefined && <div><dt>Cost</dt><dd>{dollars(run.usage.costUsd)}</dd></div>}
          {run.model && <div><dt>Model</dt><dd>{modelName(run.model)}</dd></div>}
          <div><dt>File</dt><dd>{inProject(run.file, root) ? <a href={projectLink(project.id, "workflows", "", { file: inProject(run.file, root) })}>{inProject(run.file, root)}</a> : run.file}</dd></div>
          {run.snapshot && <div><dt>Published</dt><dd><code>{run.snapshot}</code></dd></div>}
        </dl>
        <Values root={root} run={run} />
        <section aria-label="Tasks"><h2>{count(tasks.length, "task")} begun</h2>
          <ol className="tasks">{tasks.map((t) => <Task key={t.key} root={root} run={id} task={t} live={run.live} waits={run.waits?.filter((w) => w.task === t.key)} questions={questions?.decisions ?? []} />)}</ol>
        </section>
      </div>
    </div>
  );
}

/** The path of a file of the project, "" for one elsewhere. */
const inProject = (file: string, root: string) => (file.startsWith(`${root}/`) ? file.slice(root.length + 1) : "");

/** A task that waits for a person. */
function Question({ root, id, wait: { task, decisionId, message, since } }: { root: string; id: string; wait: Waiting }) {
  const { note } = useChoosing(decisionId);
  const refresh = useRefresh();
  const answer = useMutation({
    mutationFn: (verdict: "continue" | "refuse") => workflows.answer(root, id, { task, decisionId }, verdict, note),
    onSuccess: () => chosen(decisionId),
    onSettled: () => refresh("run", "questions", "active"),
  });
  const busy = answer.isPending || answer.isSuccess;
  return (
    <section className="run-wait" aria-label={`The task ${task} waits`}>
      <p><strong>{visible(message ?? "")}</strong> <span className="soft small">{task} · since {ago(since)}</span></p>
      {answer.error && !isFailure(answer.error, "DECISION_CLOSED") && <ErrorNotice error={answer.error} onClose={() => answer.reset()} />}
      <div className="pipeline-options">
        <label className="grow"><span className="hidden">Note</span><input className="field" maxLength={2000} placeholder="Note" value={note} onChange={(e) => choose(decisionId, { note: e.target.value })} /></label>
        <button type="button" className="button danger" disabled={busy} onClick={() => answer.mutate("refuse")}>Refuse</button>
        <button type="button" className="button primary" disabled={busy} onClick={() => answer.mutate("continue")}>Continue</button>
      </div>
    </section>
  );
}
