// One open question with its buttons. The inbox and the conversation both show it.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import { useRefresh } from "../../app-state";
import { announce } from "../shell/announce";
import { choose, chosen, useChoosing } from "../../ui/choosing";
import { ago, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { type Ask, bodyOf, type Verdict, wordsOf } from "./ask";
import { EffectView } from "./effect-view";
import { applyPart, partOf } from "./part";

function waited(since: string): string {
  const time = ago(since);
  return time === "now" ? "just asked" : /\d (min|h|d)$/.test(time) ? `waiting for ${time}` : `waiting since ${time}`;
}

/** What keys do to the shown question. */
export interface QuestionHandle { answer(verdict: Verdict): void; note(): void }

export function QuestionCard({ ask, keys = false, onAnswered, handle, heading: Heading = "h3" }: {
  ask: Ask; keys?: boolean; onAnswered?: (ask: Ask) => void; handle?: Ref<QuestionHandle>; heading?: "h2" | "h3";
}) {
  const refresh = useRefresh();
  const { note, noting, left: dropped } = useChoosing(ask.id);
  const noteField = useRef<HTMLTextAreaElement>(null);
  const words = wordsOf(ask);
  const { only, count: chosenFiles, total, choice } = partOf(ask.id, ask.effect, dropped);

  const decide = useMutation({
    mutationFn: (verdict: Verdict) => api.decide(bodyOf(ask, verdict, note, only)),
    onSuccess: (_, verdict) => {
      announce(`${verdict === "deny" ? words.denied : words.allowed}.`);
      chosen(ask.id);
      refresh("questions");
      onAnswered?.(ask);
    },
    onError: (err) => isFailure(err, "DECISION_CLOSED") ? refresh("questions") : undefined,
  });
  const busy = decide.isPending || decide.isSuccess;
  const nothing = only?.length === 0;
  const answer = (verdict: Verdict) => {
    if (busy || verdict !== "deny" && nothing || verdict === "allow_session" && !ask.session) return;
    decide.mutate(verdict);
  };
  useImperativeHandle(handle, () => ({ answer, note: () => choose(ask.id, { noting: true }) }));
  useEffect(() => {
    if (!noting) return;
    const timer = setTimeout(() => noteField.current?.focus()); // after the key that asked for it
    return () => clearTimeout(timer);
  }, [noting]);
  // What is sent is on the screen: a note stays there, so that keys answer with it.
  const leaveNote = () => {
    noteField.current?.blur();
    if (note.trim() === "") choose(ask.id, { noting: false, note: "" });
  };

  return (
    <section className="question" aria-label={words.title} data-decision={ask.id}>
      <header>
        <Heading>{words.title}</Heading>
        <p className="soft small">
          {ask.wait ? "A workflow asks" : visible(ask.reason)}
          {ask.created && <> · <time dateTime={ask.created} title={new Date(ask.created).toLocaleString()}>{waited(ask.created)}</time></>}
          {ask.expires && <> · until <time dateTime={ask.expires}>{new Date(ask.expires).toLocaleString()}</time></>}
        </p>
      </header>
      <EffectView ask={ask} choice={choice} rest={only ? "discarded" : "applied with the others"} />
      {noting && (
        <label className="note-field">
          <span className="small soft">Note for the agent</span>
          <textarea ref={noteField} className="field" rows={2} value={note} maxLength={2000} onChange={(e) => choose(ask.id, { note: e.target.value })}
            onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); leaveNote(); } }} />
        </label>
      )}
      {decide.error && <ErrorNotice error={decide.error} onClose={() => decide.reset()} />}
      <div className="answers">
        <button type="button" className="button primary" disabled={busy || nothing} onClick={() => answer("allow")}>
          {decide.isPending ? <span className="spin" /> : <Icon.check />}
          {only && !nothing ? applyPart(chosenFiles, total) : words.allow}{keys && <kbd>a</kbd>}
        </button>
        {ask.session && !only && (
          <button type="button" className="button session" disabled={busy} onClick={() => answer("allow_session")}>{words.session}{keys && <kbd>s</kbd>}</button>
        )}
        <button type="button" className="button danger" disabled={busy} onClick={() => answer("deny")}><Icon.cross />{words.deny}{keys && <kbd>d</kbd>}</button>
        {!noting && <button type="button" className="button plain" disabled={busy} onClick={() => choose(ask.id, { noting: true })}><Icon.pencil />Note{keys && <kbd>n</kbd>}</button>}
      </div>
    </section>
  );
}
