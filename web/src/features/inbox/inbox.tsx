// Every question that waits, of all sessions and runs, the longest waiting first.
import { useLayoutEffect, useRef } from "react";
import { useQuestions } from "../../app-state";
import { navigate, questionLink, sessionLink } from "../../route";
import { ago } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { typing } from "../shell/keys";
import { type Ask, allAsks, wordsOf } from "./ask";
import { QuestionCard, type QuestionHandle } from "./question-card";

export function Inbox({ selected }: { selected: string }) {
  const { data, error, isPending } = useQuestions();
  const asks = allAsks(data);
  const found = asks.findIndex((a) => a.id === selected);
  // Without a choice the first one is shown beside the list; on a small screen the list alone.
  const current = found >= 0 ? asks[found] : selected ? undefined : asks[0];
  const handle = useRef<QuestionHandle>(null);
  const place = useRef(0);
  if (found >= 0) place.current = found;

  const go = (to: number) => {
    const ask = asks[Math.max(0, Math.min(to, asks.length - 1))];
    if (ask) navigate(questionLink(ask.id), "replace");
  };
  const answered = (ask: Ask) => {
    const next = asks[asks.indexOf(ask) + 1] ?? asks[asks.indexOf(ask) - 1];
    navigate(next ? questionLink(next.id) : "/inbox", "replace");
  };

  useLayoutEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (typing(e) || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
      const at = found >= 0 ? found : -1;
      const act = {
        j: () => go(at + 1), k: () => go(at - 1), n: () => handle.current?.note(),
        a: () => handle.current?.answer("allow"), s: () => handle.current?.answer("allow_session"), d: () => handle.current?.answer("deny"),
        o: () => { if (current?.sessionId) navigate(sessionLink(current.sessionId)); },
      }[e.key];
      if (!act || e.repeat && "asd".includes(e.key)) return;
      e.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  return (
    <>
      <section className="pane" aria-label="Questions">
        <div className="pane-head"><h2>Inbox</h2>{asks.length > 0 && <span className="soft small">{asks.length} waiting</span>}</div>
        {error && <div className="pane-pad"><ErrorNotice error={error} /></div>}
        <ol className="rows">
          {asks.map((ask) => <Row key={ask.id} ask={ask} current={ask === current} />)}
        </ol>
        {!error && !isPending && asks.length === 0 && <p className="empty-pane soft">Nothing waits for you.</p>}
      </section>
      <div className="view">
        <div className="scroll">
          <div className="column">
            {(selected || current) && <a className="back" href="/inbox" onClick={(e) => { e.preventDefault(); navigate("/inbox"); }}><Icon.back />All questions</a>}
            {current ? (
              <>
                <p className="crumbs soft small">
                  {current.projectRoot && <><Icon.folder /><span>{current.projectRoot}</span></>}
                  {current.sessionId && <a href={sessionLink(current.sessionId)}>Open the session<kbd>o</kbd></a>}
                </p>
                <QuestionCard key={current.id} ask={current} keys heading="h2" handle={handle} onAnswered={answered} />
              </>
            ) : selected && !isPending && !error ? (
              <div className="empty-main"><h2>This question is closed</h2><p className="soft">It was answered, its time ran out, or its turn has ended.</p></div>
            ) : !error && !isPending && (
              <div className="empty-main"><Icon.inbox /><h2>All clear</h2><p className="soft">When an agent needs an answer, its question appears here.</p></div>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function Row({ ask, current }: { ask: Ask; current: boolean }) {
  const e = ask.effect;
  const risky = Boolean(e?.automatic?.length || e?.outside || e?.unconfined);
  return (
    <li>
      <a className="row" href={questionLink(ask.id)} aria-current={current ? "true" : undefined}>
        <span className="row-title">{wordsOf(ask).title}</span>
        <span className="row-meta">
          {ask.created && <span>{ago(ask.created)}</span>}
          <span className="clip">{e?.command ?? e?.paths?.[0] ?? ask.reason}</span>
          {risky && <span className="chip bad">{e?.outside ? "outside" : e?.unconfined ? "not confined" : "runs by itself"}</span>}
        </span>
      </a>
    </li>
  );
}
