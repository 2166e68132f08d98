// One session: its conversation, and the message that is written into it.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import { useDraft, useFeed, useRefresh, useSession, useShared } from "../../app-state";
import type { Tokens } from "../../api/types";
import type { Conversation as ConversationModel, Turn } from "../../session/model";
import type { FeedState } from "../../session/store";
import { count, tokens } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Windowed } from "../../ui/windowed";
import { ErrorNotice } from "../../ui/parts";
import { announce } from "../shell/announce";
import { Composer, type How } from "./composer";
import type { Uploader } from "./drafts";
import { useOptions } from "./options";
import { compactKey, sendCompact, sendInto, sendTurn } from "./send";
import { Queue } from "./queue";
import { SessionMenu } from "./session-menu";
import { Title } from "./title";
import { Said, TurnView } from "./turn-view";

export function Conversation({ id }: { id: string }) {
  const { feed, state } = useFeed(id);
  const { drafts } = useShared();
  const { draft, state: written } = useDraft(id);
  const session = useSession(id);
  const options = useOptions(id);
  const refresh = useRefresh();
  const { conversation, pending } = state;
  const running = conversation.running !== "" || pending !== undefined;
  useNews(state, refresh);

  const to = useMemo((): Uploader => ({
    upload: (file, signal) => api.upload({ sessionId: id }, file, signal),
    inspect: (path) => api.inspect({ sessionId: id }, [path]).then((all) => all[0]),
  }), [id]);
  const send = async (how: How) => {
    feed.fail(undefined);
    if (how === "turn") await sendTurn(feed, draft, options, session.data);
    else await sendInto(feed, draft, how, options, session.data);
    refresh("sessions", "queue");
  };
  const compact = async () => {
    feed.fail(undefined);
    await sendCompact(feed, drafts.of(compactKey(id)));
    refresh("sessions");
  };
  const interrupt = useCallback(() => {
    api.interrupt(id, conversation.running).catch((err: unknown) => feed.fail(err));
  }, [id, feed, conversation.running]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key === "." && (e.ctrlKey || e.metaKey) && conversation.running) { e.preventDefault(); interrupt(); }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [conversation.running, interrupt]);

  const [renaming, setRenaming] = useState(false);
  const s = session.data;
  const title = s?.title || conversation.turns.find((t) => t.said?.message)?.said?.message.split("\n")[0] || s?.persona || "Session";
  // Of a session that is not there, only that is shown; what was seen of one stays.
  const gone = state.refused !== undefined && conversation.turns.length === 0;
  return (
    <div className={gone ? "view conversation gone" : "view conversation"}>
      <header className="session-head">
        <a className="button plain icon narrow-only" href="/" aria-label="All sessions"><Icon.back /></a>
        {gone ? <h2>Session</h2> : <Title id={id} title={title} editing={renaming} setEditing={setRenaming} />}
        {s && <span className="soft small clip" title={s.projectRoot}>{s.persona} · {s.projectRoot.split("/").at(-1)}</span>}
        <span className="grow" />
        {s?.readOnly && <span className="chip" title="Adopt it with “belay session import”">copy, read only</span>}
        <Spent conversation={conversation} />
        {!gone && <LinkBadge state={state} />}
        {!state.refused && <SessionMenu id={id} title={title} running={running} fresh={conversation.turns.length === 0}
          onRename={() => setRenaming(true)} onCompact={() => { void compact(); }} />}
      </header>
      {!gone && <Log state={state} sessionId={id} />}
      <div className="dock">
        <div className="column">
          {state.failure !== undefined && <ErrorNotice error={state.failure} onClose={() => feed.fail(undefined)} />}
          {conversation.running !== "" && <Queue sessionId={id} draft={draft} to={to} />}
          {state.refused ? (
            <>
              <ErrorNotice error={state.refused}>
                <p className="row-line">
                  {!isFailure(state.refused, "SESSION_NOT_FOUND") && <button type="button" className="button" id="retry" onClick={() => { feed.retry(); void refresh("session", "sessions"); }}>Try again</button>}
                  {gone && <a className="button" href="/">All sessions</a>}
                </p>
              </ErrorNotice>
              {written.text && <textarea className="field" id="unsent" rows={4} readOnly aria-label="Message that was not sent" value={written.text} />}
            </>
          ) : (
            <Composer draftKey={id} root={s?.projectRoot ?? ""} to={to} send={send} running={conversation.running !== ""} onInterrupt={interrupt} autoFocus
              disabled={s?.readOnly === true} defaults={{ persona: s?.persona ?? "", mode: s?.mode ?? "direct", model: s?.preferredModel ?? "" }} />
          )}
          <span className="hidden" id="busy">{running ? "running" : ""}</span>
        </div>
      </div>
    </div>
  );
}

/** What the session has used, of the turns that are shown. */
function Spent({ conversation }: { conversation: ConversationModel }) {
  const used = conversation.turns.flatMap((t) => t.usage ?? []);
  if (used.length === 0) return null;
  const sum = (of: (u: Tokens) => number | undefined) => used.reduce((n, u) => n + (of(u) ?? 0), 0);
  const input = sum((u) => u.inputTokens), output = sum((u) => u.outputTokens);
  const priced = used.filter((u) => u.costUsd !== undefined).length;
  return (
    <span id="spent" className="soft small nowrap wide" title={`${input.toLocaleString("en-US")} tokens in, ${output.toLocaleString("en-US")} out, in ${count(used.length, "turn")}`}>
      {tokens(input + output)} tokens{priced > 0 && ` · $${sum((u) => u.costUsd).toFixed(2)}`}
    </span>
  );
}

function LinkBadge({ state }: { state: FeedState }) {
  const words = { connecting: "connecting…", live: "live", lost: "connection lost, trying again…", refused: "closed" }[state.link];
  const className = state.link === "live" ? "good" : state.link === "connecting" ? "" : "warn";
  return <span id="link-state" role="status" className={`chip ${className} ${state.link === "live" ? "quiet-chip" : ""}`}><span>{words}</span></span>;
}

/** Tells screen readers what happens, and asks anew for lists that it changes. */
function useNews(state: FeedState, refresh: (...keys: string[]) => void): void {
  const { conversation, loaded } = state;
  const before = useRef({ running: "", open: 0, loaded: false });
  useEffect(() => {
    const was = before.current;
    before.current = { running: conversation.running, open: conversation.open.length, loaded };
    if (!was.loaded) return;
    if (conversation.open.length !== was.open) {
      refresh("questions");
      if (conversation.open.length > was.open) announce("The agent asks a question.");
    }
    if (was.running && !conversation.running) {
      const turn = conversation.turns.find((t) => t.id === was.running);
      announce(`The turn is over: ${turn?.state ?? "done"}.`);
      refresh("sessions", "active", "kept", "usage");
    }
  }, [conversation, loaded, refresh]);
}

function Log({ state, sessionId }: { state: FeedState; sessionId: string }) {
  const { conversation, pending, loaded } = state;
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [away, setAway] = useState(false);

  // New text keeps the end in view for those who are there, and moves nobody else.
  useLayoutEffect(() => {
    const b = box.current;
    if (b && atEnd.current) b.scrollTop = b.scrollHeight;
  });
  useEffect(() => {
    const b = box.current;
    if (!b?.firstElementChild) return;
    const watch = new ResizeObserver(() => { if (atEnd.current) b.scrollTop = b.scrollHeight; });
    watch.observe(b);
    watch.observe(b.firstElementChild);
    return () => watch.disconnect();
  }, []);
  const toEnd = () => {
    atEnd.current = true;
    setAway(false);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const turns = withPending(conversation.turns, pending);
  const alone = pending && !turns.some((t) => t.said === pending);
  useEffect(() => { if (pending) toEnd(); }, [pending?.key]);
  return (
    <div className="log-frame">
      <div id="log" ref={box} className="scroll" role="log" aria-label="Conversation" aria-live="off" tabIndex={0}
        onScroll={(e) => {
          const b = e.currentTarget;
          atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 60;
          setAway(!atEnd.current);
        }}>
        <div className="column">
          {turns.length === 0 && !pending && <p className="empty-log soft">{loaded || state.link === "live" ? "Nothing has been said yet." : ""}</p>}
          <Windowed items={turns} keyOf={(turn) => turn.key} size={20} estimate={240} root={box}>
            {(turn) => <TurnView key={turn.key} turn={turn} sessionId={sessionId} open={turn.state === "running" ? conversation.open : none} lost={turn.state === "running" && state.link === "lost"} />}
          </Windowed>
          {alone && (
            <article className="turn" aria-label="Message that is being sent">
              <Said message={pending.message} files={pending.files} sessionId={sessionId} pending />
              <p className="working soft small"><span className="spin" />Sending</p>
            </article>
          )}
        </div>
      </div>
      {away && <button type="button" id="to-end" className="button to-end" onClick={toEnd}><Icon.down />Newest</button>}
    </div>
  );
}

const none: readonly string[] = [];

/** A message that was just sent belongs to the turn that has just begun without words. */
function withPending(turns: readonly Turn[], pending: FeedState["pending"]): readonly Turn[] {
  const last = turns.at(-1);
  if (!pending || !last || last.state !== "running" || last.said) return turns;
  return turns.with(-1, { ...last, said: pending });
}
