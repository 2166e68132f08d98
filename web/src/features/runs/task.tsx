// One task of a run: who did it with what, what came out, and what it cost.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OpenDecision } from "../../api/types";
import type { Attachment, RunTask, Waiting } from "../../api/workflows";
import * as workflows from "../../api/workflows";
import { questionLink, sessionLink } from "../../route";
import { bytes, duration, tokens, worked } from "../../ui/format";
import { ErrorNotice } from "../../ui/parts";
import { dollars } from "../pipeline/words";
import { statusChip, waitChip } from "./words";

export function Task({ root, run, task: part, live, waits, questions }: { root: string; run: string; task: RunTask; live: boolean; waits: readonly Waiting[] | undefined; questions: readonly OpenDecision[] }) {
  const [all, setAll] = useState(false);
  const whole = useQuery({ queryKey: ["run task", root, run, part.key, part.endedAt ?? ""], queryFn: ({ signal }) => workflows.task(root, run, part.key, signal), enabled: all && part.cut !== undefined, retry: false });
  const t = all && whole.data ? whole.data : part;
  const [word, chip] = waitChip(waits) ?? statusChip(t.status, live);
  const sessions = new Set(t.attempts?.map((a) => a.session));
  const open = questions.filter((q) => sessions.has(q.sessionId));
  const who = [t.kind, t.agent, t.action, t.model].filter(Boolean).join(" · ");
  const files = t.attachments ?? [];
  return (
    <li className="task" data-task={t.key}>
      <details>
        <summary>
          <span className="task-name"><span className="clip">{t.key}</span><span className="soft small clip">{who}{t.of ? ` · ${t.of} items` : ""}</span></span>
          {files.length > 0 && <span className="soft small nowrap run-cost">{files.length === 1 ? "1 file" : `${files.length} files`}</span>}
          <span className="soft small nowrap run-cost">{t.usage && `${tokens(t.usage.inputTokens + t.usage.outputTokens)} tokens`}</span>
          <span className="soft small nowrap">{t.endedAt && duration(worked(t))}</span>
          <span className={chip}>{t.status === "running" && live && !waits?.length && <span className="spin" />}<span>{word}</span></span>
        </summary>
        <div className="task-body">
          {t.error && <p className="notice bad small">{t.error.message}{t.error.hint && ` ${t.error.hint}.`}</p>}
          {t.again && <p className="soft small">Done again: {t.again}.</p>}
          {t.decided && <p className="small">{t.decided.answer === "continue" ? "Continued" : "Refused"}{t.decided.by && ` by ${t.decided.by}`}{t.decided.note && `: ${t.decided.note}`}</p>}
          {t.usage && <p className="soft small">{tokens(t.usage.inputTokens)} tokens in, {tokens(t.usage.outputTokens)} out{t.usage.costUsd !== undefined && `, ${dollars(t.usage.costUsd)}`}</p>}
          {t.route && <p className="soft small">Route: {t.route}</p>}
          {t.cut && <p className="soft small">Not all of {t.cut.join(", ")} is shown. <button type="button" className="button plain" disabled={whole.isFetching} onClick={() => setAll(true)}>Show all</button></p>}
          {whole.error && <ErrorNotice error={whole.error} />}
          {t.prompt && <><p className="soft small">Prompt</p><pre className="message-text">{t.prompt}</pre></>}
          {files.length > 0 && <><p className="soft small">Attachments</p><ul className="plain-list task-files">{files.map((f, i) => <li key={i}><File file={f} /></li>)}</ul></>}
          {(t.answer ?? t.output) !== undefined && <><p className="soft small">Answer</p><pre className="message-text">{shown(t.answer ?? t.output)}</pre></>}
          {t.attempts?.map((a, i) => (
            <p key={i} className="small">{t.attempts!.length > 1 ? `Try ${i + 1}: ` : ""}<a href={sessionLink(a.session)}>Conversation</a>{a.error && <span className="soft"> · {a.error.message}</span>}</p>
          ))}
        </div>
      </details>
      {open.map((q) => <a key={q.decisionId} className="task-question small" href={questionLink(q.decisionId)}><span className="chip warn">asks you</span><span className="clip">{q.effect.summary || q.reason}</span></a>)}
    </li>
  );
}

function File({ file: f }: { file: Attachment }) {
  return (
    <>
      <span className="clip">{f.name || f.origin}</span>
      <span className="soft small">{[f.mimeType, f.bytes !== undefined ? bytes(f.bytes) : "", f.used].filter(Boolean).join(" · ")}</span>
      {f.refused && <span className="chip bad"><span>{f.refused}</span></span>}
      {f.note && <span className="soft small">{f.note}</span>}
    </>
  );
}

/** An answer of text alone is shown as that text. */
function shown(value: unknown): string {
  if (typeof value === "string") return value;
  const { response, ...more } = (value ?? {}) as { response?: unknown };
  return typeof response === "string" && Object.keys(more).length === 0 ? response : JSON.stringify(value, null, 2);
}
