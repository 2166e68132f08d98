// Every question that waits, of all sessions and runs, the longest waiting first.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useQuestions } from "../../app-state";
import { navigate, questionLink, sessionLink, useParam } from "../../route";
import { ago, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { waits } from "../../ui/waits";
import { typing } from "../shell/keys";
import { type Ask, allAsks, wordsOf } from "./ask";
import { Closed, ClosedQuestion } from "./closed";
import { Kept } from "./kept";
import { InboxTabs } from "./tabs";
import { SaidBefore } from "./said-before";
import { QuestionCard, type QuestionHandle } from "./question-card";

/** The views of the inbox: what waits, what was kept for later, what was answered. */
export function Inbox({ selected }: { selected: string }) {
  const show = useParam("show");
  if (!selected && show === "kept") return <Kept />;
  if (!selected && show === "closed") return <Closed />;
  return <Waiting selected={selected} />;
}

/** How long after a question has appeared the keys do not answer it, in milliseconds: nobody has read it. */
const unread = 400;

function Waiting({ selected }: { selected: string }) {
  const { data, error, isPending } = useQuestions();
  // The list is asked for anew after an answer; until then it still has the question.
  const gone = useRef(new Set<string>());
  const asks = allAsks(data).filter((a) => !gone.current.has(a.id));
  const found = asks.findIndex((a) => a.id === selected);
  // Without a choice the first one is shown beside the list; on a small screen the list alone.
  // It stays when it is answered elsewhere: a key that is meant for it must not answer another.
  const first = useRef("");
  const [, drawAnew] = useState(0);
  if (selected || gone.current.has(first.current)) first.current = "";
  if (!selected) first.current ||= asks[0]?.id ?? "";
  const wanted = selected || first.current;
  const current = found >= 0 ? asks[found] : asks.find((a) => a.id === wanted);
  const [read, setRead] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setRead(current?.id ?? ""), unread);
    return () => clearTimeout(timer);
  }, [current?.id]);
  const readable = current?.id === read;
  const handle = useRef<QuestionHandle>(null);
  const place = useRef(0);
  if (found >= 0) place.current = found;

  const go = (to: number) => {
    const ask = asks[Math.max(0, Math.min(to, asks.length - 1))];
    if (ask) navigate(questionLink(ask.id), "replace");
  };
  const answered = (ask: Ask) => {
    const next = asks[asks.indexOf(ask) + 1] ?? asks[asks.indexOf(ask) - 1];
    gone.current.add(ask.id);
    if (!/^\/(inbox$|q\/)/.test(location.pathname)) return; // the person has gone on meanwhile
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
      if (!act || "asd".includes(e.key) && (e.repeat || !readable)) return;
      e.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  return (
    <>
      <section className="pane" aria-label="Questions">
        <InboxTabs current="waiting" />
        {error && <div className="pane-pad"><ErrorNotice error={error} /></div>}
        <ol className="rows">
          {asks.map((ask) => <Row key={ask.id} ask={ask} current={ask === current} />)}
        </ol>
        {isPending && waits}
        {!error && !isPending && asks.length === 0 && <p className="empty-pane soft">Nothing waits for you.</p>}
      </section>
      <div className="view">
        <div className="scroll">
          <div className={readable ? "column readable" : "column"}>
            {current ? (
              <>
                <p className="crumbs soft small">
                  <a className="back" href="/inbox"><Icon.back />All questions</a>
                  {current.projectRoot && <><Icon.folder /><span title={visible(current.projectRoot)}>{visible(current.projectRoot.split("/").at(-1) ?? "")}</span></>}
                  {current.sessionId && <a href={sessionLink(current.sessionId)}>Open the session<kbd>o</kbd></a>}
                </p>
                <SaidBefore ask={current} />
                <QuestionCard key={current.id} ask={current} keys heading="h2" handle={handle} onAnswered={answered} />
              </>
            ) : wanted && !isPending && !error ? (
              <>
                <a className="back" href="/inbox" onClick={() => { first.current = ""; drawAnew((n) => n + 1); }}><Icon.back />All questions</a>
                <ClosedQuestion id={wanted} />
              </>
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
          <span className="clip">{visible(e?.command ?? e?.paths?.[0] ?? ask.reason)}</span>
          {risky && <span className="chip bad">{e?.outside ? "outside" : e?.unconfined ? "not confined" : "runs by itself"}</span>}
        </span>
      </a>
    </li>
  );
}
