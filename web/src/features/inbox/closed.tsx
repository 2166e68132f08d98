// Questions that were answered: who, how, when.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import type { ClosedDecision } from "../../api/types";
import { useClosed } from "../../app-state";
import { questionLink, sessionLink } from "../../route";
import { ago, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { waits } from "../../ui/waits";
import { InboxTabs } from "./tabs";

export function Closed() {
  const { data, error, isPending } = useClosed(true);
  const [verdict, setVerdict] = useState("");
  const shown = (data ?? []).filter((d) => verdict === "" || (verdict === "deny") === (d.verdict === "deny"));
  return (
    <>
      <section className="pane" aria-label="Questions"><InboxTabs current="closed" /></section>
      <div className="view full-on-phone">
        <div className="scroll" tabIndex={0} role="region" aria-label="Closed questions">
          <div className="column listing">
            <div className="phone-tabs"><InboxTabs current="closed" /></div>
            <header className="listing-head">
              <h2>Closed questions</h2>
              <span className="segments" role="group" aria-label="Answers">
                {[["", "All"], ["allow", "Allowed"], ["deny", "Denied"]].map(([id, label]) => (
                  <button key={id} type="button" className="segment small" aria-pressed={verdict === id} onClick={() => setVerdict(id!)}>{label}</button>
                ))}
              </span>
            </header>
            {error && <ErrorNotice error={error} />}
            {isPending && waits}
            {!isPending && !error && shown.length === 0 && <p className="soft">{data?.length ? "No answer fits." : "Nothing was answered in the last month."}</p>}
            <ol className="closed-list">{shown.map((d) => <li key={d.decisionId}><Answer d={d} link /></li>)}</ol>
          </div>
        </div>
      </div>
    </>
  );
}

function Answer({ d, link = false }: { d: ClosedDecision; link?: boolean }) {
  const denied = d.verdict === "deny", about = visible(d.summary || d.tool || d.decisionId);
  const word = d.timeout ? "Not answered in time" : denied ? "Denied" : d.verdict === "allow_session" ? "Allowed for the session" : "Allowed";
  return (
    <div className="answer-row" data-decision={d.decisionId}>
      <span className={denied ? "verdict bad" : "verdict good"}>{denied ? <Icon.cross /> : <Icon.check />}</span>
      <div className="grow">
        <p className="clip">{link ? <a href={questionLink(d.decisionId)}>{about}</a> : <strong>{about}</strong>}</p>
        <p className="soft small answer-facts">
          <span>{word}{d.by && !d.timeout && ` by ${visible(d.by)}`}</span>
          <time dateTime={d.time} title={new Date(d.time).toLocaleString()}>{ago(d.time)}</time>
          {d.projectRoot && <span className="clip" title={visible(d.projectRoot)}>{visible(d.projectRoot.split("/").at(-1) ?? "")}</span>}
          {d.sessionId && <a href={sessionLink(d.sessionId)}>session</a>}
        </p>
        {d.note && <p className="small">“{visible(d.note)}”</p>}
        {d.only && d.only.length > 0 && <p className="small soft">Only {visible(d.only.join(", "))}</p>}
      </div>
    </div>
  );
}

/** A link to a question that does not wait any more, or that never did. */
export function ClosedQuestion({ id }: { id: string }) {
  const { data, error } = useQuery({ queryKey: ["closed", id], queryFn: ({ signal }) => api.question(id, signal), retry: false, refetchInterval: (q) => (q.state.data?.open ? 2_500 : false) });
  return (
    <div className="empty-main">
      {data?.closed ? <><h2>This question is closed</h2><div className="closed-one"><Answer d={data.closed} /></div></>
        : isFailure(error, "NOT_FOUND") ? <><h2>There is no such question</h2><p className="soft">It never existed, its turn has ended, or it was answered more than a month ago.</p></>
          : error ? <ErrorNotice error={error} /> : <p className="soft"><span className="spin" /> Reading</p>}
      <p><a href="/inbox?show=closed">All closed questions</a></p>
    </div>
  );
}
