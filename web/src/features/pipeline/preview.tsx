// What a start would send and may cost, before anything is made.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as pipeline from "../../api/pipeline";
import type { RequestKey } from "../../api/request-key";
import type { Project } from "../../api/types";
import { useModelName, usePersonas, useRefresh } from "../../app-state";
import { navigate, projectLink, sessionLink } from "../../route";
import { count, tokens } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { modes } from "../workbench/options";
import { dollars } from "./words";

export function PreviewSheet({ project, body, keys, onAcceptEdits, onStarted, onClose }: { project: Project; body: pipeline.StartBody; onAcceptEdits: () => void; onStarted: () => void; onClose: () => void;
  /** The keys of the view below, which knows of a start whose answer was lost when the sheet is opened again. */
  keys: RequestKey;
}) {
  const refresh = useRefresh();
  const modelName = useModelName();
  const [shown, setShown] = useState(0);
  const { data, error, isPending } = useQuery({ queryKey: ["preview", body], queryFn: () => pipeline.preview(body), retry: false, gcTime: 0, staleTime: Infinity });
  const start = useMutation({
    mutationFn: () => pipeline.start(body, keys.of(body)),
    onError: keys.renew,
    onSuccess: (started) => {
      onStarted();
      refresh("sessions", "active", "batches");
      const [only, more] = started.sessions ?? [];
      navigate(only && !more ? sessionLink(only.sessionId) : projectLink(project.id, "pipeline", "", { batch: started.batch }));
    },
  });
  const personas = usePersonas().data;
  // A persona that never asks is refused whatever a person would have to allow.
  const silent = data?.mode === "direct" && personas?.find((p) => p.id === data.persona)?.blocking?.match(/^[\s`*]*never(?![a-z-])/i);
  const sessions = data?.sessions ?? [];
  const one = sessions[shown];
  const cost = data?.costUsd;
  return (
    <Sheet wide title={sessions.length > 1 ? `Start ${sessions.length} sessions` : "Start a session"} onClose={onClose} footer={(
      <>
        <span className="grow soft small">{data && (data.limitUsd !== undefined ? `At most ${dollars(data.limitUsd)} in all.` : "No limit of cost is set.")}</span>
        <button type="button" className="button" onClick={onClose}>Back</button>
        <button type="button" className="button primary" id="start-pipeline" disabled={!data || start.isPending} onClick={() => start.mutate()}>
          {start.isPending ? <span className="spin" /> : <Icon.send />}Start{sessions.length > 1 && ` ${sessions.length}`}
        </button>
      </>
    )}>
      {error && <ErrorNotice error={error}><p className="small">Nothing was started.</p></ErrorNotice>}
      {start.error && <ErrorNotice error={start.error} onClose={() => start.reset()} />}
      {isPending && <p className="soft"><span className="spin" /> Asking what it would send</p>}
      {data && one && (
        <>
          {silent && (
            <div className="notice warn" id="never-asks">
              <strong>{data.persona} never asks</strong>
              <p>It works without questions (BLOCKING never). In this mode it is refused what needs an answer: it can read, and changes no file. In <em>Accept edits</em> it may change ordinary files in its write scope.</p>
              <p><button type="button" className="button" id="accept-edits" onClick={onAcceptEdits}>Accept edits</button></p>
            </div>
          )}
          <dl className="work-facts">
            <div><dt>Agent</dt><dd>{data.persona}</dd></div>
            <div><dt>Mode</dt><dd>{modes.find((m) => m.id === data.mode)?.label ?? data.mode}</dd></div>
            <div><dt>Model</dt><dd className="clip" title={data.model}>{modelName(data.model)}</dd></div>
            <div><dt>First requests</dt><dd>{tokens(data.estimatedTokens)} tokens{cost !== undefined && `, ${dollars(cost)}`}</dd></div>
            {sessions.length > 1 && <div><dt>At once</dt><dd>{data.atOnce} of {sessions.length}</dd></div>}
          </dl>
          <p className="soft small">
            {data.delegation.allowed
              ? `May delegate to ${data.delegation.delegatedSubagents?.join(", ") || "nobody"}, approved as ${data.delegation.approvalRef}.`
              : `Does not delegate (${data.delegation.gate}): ${data.delegation.reason}.`}
            {" "}The estimate has instructions and message; what follows depends on the work.{cost === undefined && " The model has no known price."}
          </p>
          <div className="preview-message">
            <div className="listing-head">
              <h3 className="grow">First message</h3>
              {sessions.length > 1 && (
                <label><span className="hidden">Message of</span><select className="quiet" name="preview-of" value={shown} onChange={(e) => setShown(Number(e.target.value))}>
                  {sessions.map((s, i) => <option key={s.target ?? i} value={i}>{s.title}</option>)}</select></label>
              )}
            </div>
            <pre className="message-text" tabIndex={0} role="region" aria-label="First message">{one.message}</pre>
          </div>
          {sessions.length > 1 && <p className="soft small">{count(sessions.length, "session")}, one for each deliverable.</p>}
        </>
      )}
    </Sheet>
  );
}
