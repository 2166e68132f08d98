// The sessions of one start in a table: how far each is, what it asks, what it cost.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useContext, useRef, useState } from "react";
import * as pipeline from "../../api/pipeline";
import type { OpenDecision, Project, SessionRow } from "../../api/types";
import { LiveContext, useQuestions, useRefresh } from "../../app-state";
import { deliverableLink, projectLink, questionLink, sessionLink } from "../../route";
import { ago, count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet, ToldNotice } from "../../ui/parts";
import { type Ask, allAsks } from "../inbox/ask";
import { QuestionCard } from "../inbox/question-card";
import { SaidBefore } from "../inbox/said-before";
import { tellOf } from "../../api/errors";
import { dollars, type Progress, progressOf, progressWords } from "./words";

/** What was started in the project before. */
export function Batches({ project }: { project: Project }) {
  const { data } = useQuery({ queryKey: ["batches", project.path], queryFn: ({ signal }) => pipeline.batches(project.path, signal), retry: false, refetchInterval: 15_000 });
  if (!data?.length) return null;
  return (
    <section className="batches" aria-label="Started before">
      <h2>Started before</h2>
      <ul className="plain-list batch-list">
        {data.map((b) => (
          <li key={b.id}>
            <a className="batch-link" href={projectLink(project.id, "pipeline", "", { batch: b.id })} data-batch={b.id}>
              <span className="clip">{b.type}</span><span className="soft small">{count(b.sessions, "session")}</span>
              <span className="grow" />
              {b.live && <span className="spin" />}{b.error && <span className="chip bad">stopped</span>}
              <span className="soft small nowrap">{ago(b.createdAt)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const order: readonly Progress[] = ["waiting", "running", "failed", "interrupted", "done", "queued", "damaged"];

export function BatchView({ project, id }: { project: Project; id: string }) {
  const live = useContext(LiveContext);
  const root = project.path;
  const { data, error } = useQuery({
    queryKey: ["sessions", "batch", root, id], queryFn: ({ signal }) => pipeline.batch(root, id, signal), retry: false,
    refetchInterval: (q) => (q.state.data?.batch.live ? (live ? 5_000 : 2_000) : 15_000),
  });
  const { data: questions } = useQuestions();
  const refresh = useRefresh();
  const [asked, setAsked] = useState("");
  const frame = useRef<HTMLDivElement>(null);
  const act = useMutation({
    mutationFn: (what: "continue" | "stop") => (what === "continue" ? pipeline.continueBatch(root, id) : pipeline.stopBatch(root, id)),
    onSettled: () => refresh("sessions", "batches", "active"),
  });
  const back = <a className="button plain batch-back" aria-label="Pipeline" href={projectLink(project.id, "pipeline")}><Icon.back /><span className="wide-text">Pipeline</span></a>;
  if (!data) return <>{back}{error ? <ErrorNotice error={error} /> : <p className="soft"><span className="spin" /> Reading</p>}</>;
  const rows = (data.sessions ?? []).map((s) => ({ s, progress: progressOf(s) }));
  const counts = order.map((p) => [p, rows.filter((r) => r.progress === p).length] as const).filter(([, n]) => n > 0);
  const cost = rows.reduce((sum, { s }) => sum + (s.costUsd ?? 0), 0);
  const waiting = rows.filter((r) => r.progress === "queued").length, queued = waiting > 0;
  const stopped = queued && !data.batch.live && !data.batch.error;
  const missing = data.batch.of - rows.length;
  const own = new Set(rows.map(({ s }) => s.sessionId));
  const asks = allAsks(questions).filter((a) => a.sessionId && own.has(a.sessionId));
  const ask = asks.find((a) => a.id === asked);
  /** The next question of this start, or back to the table. */
  const answered = (a: Ask) => {
    const next = asks.find((other) => other.id !== a.id);
    setAsked(next?.id ?? "");
    if (!next) setTimeout(() => frame.current?.focus());
    refresh("sessions");
  };
  return (
    <>
      <div className="batch-head">
        {back}
        <h2 className="grow clip">{data.batch.type}: {count(rows.length, "session")}</h2>
        {data.batch.live
          ? queued && <button type="button" className="button danger" id="stop-batch" disabled={act.isPending} onClick={() => act.mutate("stop")}><Icon.stop />Start no more</button>
          : queued && <button type="button" className="button primary" id="continue-batch" disabled={act.isPending} onClick={() => act.mutate("continue")}>Continue</button>}
      </div>
      {error && <ErrorNotice error={error} />}
      {act.error && <ErrorNotice error={act.error} onClose={() => act.reset()} />}
      {data.batch.error && <ToldNotice told={tellOf(data.batch.error.type, data.batch.error.message, {}, data.batch.error.hint)} />}
      {stopped && <p className="notice warn" id="not-started"><span>{count(waiting, "session")} {waiting === 1 ? "was" : "were"} not started: somebody ended the start, or the server was stopped. <strong>Continue</strong> starts {waiting === 1 ? "it" : "them"}; nothing is started twice.</span></p>}
      {missing > 0 && <p className="notice warn">{count(missing, "session")} of this start {missing === 1 ? "is" : "are"} not there: deleted, or never made.</p>}
      <div className="batch-sums" role="status" aria-label="Progress">
        {counts.map(([p, n]) => <span key={p} className={progressWords[p][1]} data-progress={p}><span>{n} {progressWords[p][0]}</span></span>)}
        <span className="grow" />
        <span className="soft small">{rows.some(({ s }) => s.costUsd !== undefined) ? `${dollars(cost)} so far` : ""}</span>
      </div>
      <div className="batch-frame" ref={frame} tabIndex={0} role="region" aria-label="Sessions of this start">
        <table className="batch-table">
          <thead><tr><th scope="col">Session</th><th scope="col">State</th><th scope="col" className="wide-cell">Used</th><th scope="col" className="number">Cost</th></tr></thead>
          <tbody>
            {rows.map(({ s, progress }) => (
              <tr key={s.sessionId} data-session={s.sessionId}>
                <td><a className="batch-title" href={sessionLink(s.sessionId)} title={s.title}>{shortTitle(s, data.batch.type)}</a>
                  {s.pipeline?.target && <a className="soft small clip wide-cell" href={deliverableLink(project.id, s.pipeline.target)}>{s.pipeline.target}</a>}</td>
                <td><State row={s} progress={progress} questions={questions?.decisions ?? []} onAsk={setAsked} /></td>
                <td className="soft small wide-cell">{s.turns > 0 && ago(s.updatedAt)}</td>
                <td className="number small">{s.costUsd === undefined ? "" : dollars(s.costUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {ask && (
        <Sheet title={asks.length > 1 ? `A question, and ${asks.length - 1} more` : "A question"} wide onClose={() => setAsked("")}>
          <p className="small"><a href={sessionLink(ask.sessionId!)}>Open the session</a></p>
          <SaidBefore ask={ask} />
          <QuestionCard key={ask.id} ask={ask} onAnswered={answered} />
        </Sheet>
      )}
    </>
  );
}

/** A session's title without the type, which stands above the table. */
const shortTitle = (s: SessionRow, type: string) => (s.title.startsWith(`${type}: `) ? s.title.slice(type.length + 2) : s.title) || s.sessionId;

function State({ row, progress, questions, onAsk }: { row: SessionRow; progress: Progress; questions: readonly OpenDecision[]; onAsk: (id: string) => void }) {
  const open = questions.filter((q) => q.sessionId === row.sessionId);
  const [word, chip] = progressWords[progress];
  return (
    <span className="batch-state">
      <span className={chip}>{progress === "running" && <span className="spin" />}<span>{word}</span></span>
      {open.map((q) => (
        <a key={q.decisionId} className="small clip batch-ask" href={questionLink(q.decisionId)} onClick={(e) => {
          if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
          e.preventDefault();
          onAsk(q.decisionId);
        }}>{q.effect.summary || q.reason}</a>
      ))}
      {progress === "failed" && row.lastError && <span className="soft small batch-error">{row.lastError}</span>}
    </span>
  );
}
