// What runs now, over all projects, and the way to stop it.
import { useMutation } from "@tanstack/react-query";
import * as api from "../../api/client";
import type { SessionRow } from "../../api/types";
import { type ActiveRun, useActive, useActiveRuns, useRefresh } from "../../app-state";
import { sessionLink } from "../../route";
import { ago, count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { announce } from "./announce";

export function ActivityButton({ onOpen }: { onOpen: () => void }) {
  const { data } = useActive();
  const all = data?.length ?? 0;
  if (all === 0) return null;
  const waiting = data!.filter((s) => s.openQuestions > 0 || s.state === "waiting").length;
  const n = all - waiting || waiting;
  const words = all > waiting ? `${n} running` : `${n} waiting`;
  return (
    <button type="button" id="activity" className={all > waiting ? "button plain active-button" : "button plain active-button idle"} onClick={onOpen} title="What runs now" aria-label={`What runs now: ${words}`}>
      {all > waiting && <span className="spin" />}<span className="wide-text">{words}</span><span className="narrow-text">{n}</span>
    </button>
  );
}

export function Activity({ onClose }: { onClose: () => void }) {
  const { data: sessions = [], isPending, error } = useActive();
  const runs = useActiveRuns(true);
  const refresh = useRefresh();
  const stop = useMutation({
    mutationFn: async (what: { sessions: readonly SessionRow[]; runs: readonly ActiveRun[] }) => {
      const all = await Promise.allSettled([
        ...what.sessions.map((s) => api.interrupt(s.sessionId, "")), ...what.runs.map(({ root, run }) => api.cancelRun(root, run.id)),
      ]);
      const failed = all.find((one) => one.status === "rejected");
      if (failed) throw failed.reason;
      announce(`Stopped: ${all.length}.`);
    },
    onSettled: () => refresh("active", "sessions", "questions"),
  });
  const total = sessions.length + runs.length;
  return (
    <Sheet title="What runs now" onClose={onClose} footer={total > 0 && (
      <button type="button" id="stop-all" className="button danger" disabled={stop.isPending} onClick={() => stop.mutate({ sessions, runs })}><Icon.stop />Stop all {total > 1 && total}</button>
    )}>
      {error && <ErrorNotice error={error} />}
      {stop.error && <ErrorNotice error={stop.error} onClose={() => stop.reset()} />}
      {!isPending && total === 0 && <p className="soft">Nothing runs.</p>}
      <ul className="plain-list actives">
        {sessions.map((s) => (
          <li key={s.sessionId}>
            <a className="grow active-link" href={sessionLink(s.sessionId)} onClick={onClose}>
              <span className="clip">{s.title || s.persona || s.sessionId}</span>
              <span className="soft small clip">{s.projectName} · {s.openQuestions > 0 ? `waits for ${count(s.openQuestions, "answer")}` : "at work"} · {ago(s.updatedAt)}</span>
            </a>
            <button type="button" className="button danger" aria-label={`Stop ${s.title || s.sessionId}`} disabled={stop.isPending} onClick={() => stop.mutate({ sessions: [s], runs: [] })}>Stop</button>
          </li>
        ))}
        {runs.map((one) => (
          <li key={one.run.id}>
            <span className="grow active-link"><span className="clip">{one.run.workflow}</span><span className="soft small clip">{one.root.split("/").at(-1)} · run {one.run.id} · {one.run.status}</span></span>
            <button type="button" className="button danger" aria-label={`Cancel the run ${one.run.workflow}`} disabled={stop.isPending} onClick={() => stop.mutate({ sessions: [], runs: [one] })}>Cancel</button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
