// One turn: what was said, what happened, how it ended.
import { memo, useState } from "react";
import { tellOf } from "../../api/errors";
import type { Part, SentFile, Turn } from "../../session/model";
import { useModelName } from "../../app-state";
import { tokens, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Markdown } from "../../ui/markdown";
import { ToldNotice } from "../../ui/parts";
import { askOfEvent, wordsOf } from "../inbox/ask";
import { EffectView } from "../inbox/effect-view";
import { QuestionCard } from "../inbox/question-card";
import { FileChip } from "./sent-file";
import { ManifestSheet } from "./manifest";
import { ToolCard } from "./tool-card";
import { TurnActions } from "./turn-actions";

export const TurnView = memo(function TurnView({ turn, sessionId, open, lost }: {
  turn: Turn; sessionId: string; open: readonly string[];
  /** Whether nobody knows what the turn does now. */
  lost: boolean;
}) {
  const running = turn.state === "running";
  return (
    <article className="turn" data-turn={turn.id} aria-label={turn.said?.message ? `Turn: ${turn.said.message.slice(0, 60)}` : "Turn"}>
      {turn.said && <Said message={turn.said.message} files={turn.said.files} sessionId={sessionId} />}
      <div className="parts">
        {groups(turn.parts).map((group) => (
          Array.isArray(group)
            ? <div className="tools" key={group[0]!.key}>{group.map((tool) => <ToolCard key={tool.key} tool={tool} />)}</div>
            : <PartView key={group.key} part={group} sessionId={sessionId} open={open} growing={running && group === turn.parts.at(-1)} />
        ))}
        {running && !lost && open.length === 0 && <p className="working soft small"><span className="spin" />Working</p>}
      </div>
      <Foot turn={turn} sessionId={sessionId} waits={running && open.length > 0} lost={lost} />
    </article>
  );
});

export function Said({ message, files, sessionId, pending = false }: { message: string; files: readonly SentFile[]; sessionId: string; pending?: boolean }) {
  return (
    <div className={pending ? "said pending" : "said"}>
      <span className="hidden">You said: </span>
      {message && <p className="words">{message}</p>}
      {files.length > 0 && <ul className="chips">{files.map((f, i) => <li key={i}><FileChip file={f} sessionId={sessionId} /></li>)}</ul>}
    </div>
  );
}

/** Puts calls that follow each other together. */
function groups(parts: readonly Part[]): (Exclude<Part, { kind: "tool" }> | Extract<Part, { kind: "tool" }>[])[] {
  const all: ReturnType<typeof groups> = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.kind !== "tool") all.push(part);
    else if (Array.isArray(last)) last.push(part);
    else all.push([part]);
  }
  return all;
}

function PartView({ part, sessionId, open, growing }: { part: Exclude<Part, { kind: "tool" }>; sessionId: string; open: readonly string[]; growing: boolean }) {
  switch (part.kind) {
    case "text":
      return <div className="answer"><Markdown text={part.text} growing={growing} /></div>;
    case "thinking":
      return <details className="thinking"><summary>Reasoning{growing && <span className="spin" />}</summary><p>{part.text}</p></details>;
    case "question":
      return <AskedView part={part} sessionId={sessionId} open={open.includes(part.question.decisionId)} />;
    case "file":
      return (
        <div className="shown-file small">
          <span className="soft">{part.direction === "to-people" ? "Sent you" : "Looked at"}</span><FileChip file={part.file} sessionId={sessionId} large={part.direction === "to-people"} />
        </div>
      );
    case "input":
      return (
        <div className="said into"><span className="soft small">{part.mode === "followUp" ? "After the answer" : "Into the turn"}{part.attachments > 0 && `, with ${part.attachments} files`}</span><p className="words">{part.message}</p></div>
      );
    case "warning":
      return (
        <div className="notice warn"><p>{part.warning.code && <strong>{part.warning.code}: </strong>}{visible(part.warning.message)}</p>
          {part.warning.paths && part.warning.paths.length > 0 && <ul>{part.warning.paths.map((p) => <li key={p}>{visible(p)}</li>)}</ul>}</div>
      );
    case "error":
      return <ToldNotice told={tellOf(part.errorType, part.message, part.details)} />;
    case "gap":
      return <p className="gap small" role="note">{gapText(part.reason)}</p>;
  }
}

function gapText(reason: string): string {
  if (reason === "reset") return "Some events are missing here: the log is not the one that was read before.";
  if (reason === "lost") return "Some events are missing here: they were lost when the server's machine stopped.";
  return "Some events are missing here: older events are no longer kept.";
}

function AskedView({ part, sessionId, open }: { part: Extract<Part, { kind: "question" }>; sessionId: string; open: boolean }) {
  const ask = askOfEvent(part.question, sessionId);
  if (open && !part.answer) return <QuestionCard ask={ask} />;
  const words = wordsOf(ask);
  const { answer } = part;
  const [icon, said] = !answer ? [<Icon.cross />, "Not answered"] : answer.verdict === "deny"
    ? [<Icon.cross />, words.denied] : [<Icon.check />, answer.verdict === "allow_session" ? `${words.allowed} for this session` : words.allowed];
  return (
    <details className="asked">
      <summary>
        {icon}<span className="clip">{said}{answer?.by && ` by ${visible(answer.by)}`}{answer?.note && `: ${visible(answer.note)}`}<span className="soft"> · {words.title}</span></span>
      </summary>
      <div className="tool-body"><EffectView ask={ask} /></div>
    </details>
  );
}

const endings: Record<Turn["state"], [word: string, className: string]> = {
  running: ["running", "accent"], done: ["done", "good"], cut: ["cut off", "warn"], interrupted: ["interrupted", "warn"],
  timeout: ["timed out", "bad"], failed: ["failed", "bad"],
};

function Foot({ turn, sessionId, waits, lost }: { turn: Turn; sessionId: string; waits: boolean; lost: boolean }) {
  const [word, className] = lost ? ["ran when the connection was lost", "warn"] : waits ? ["waits for an answer", "warn"] : endings[turn.state];
  const u = turn.usage;
  const nameOf = useModelName();
  const model = turn.model && nameOf(turn.model);
  const notes = notPermitted(turn.calls);
  const [seeing, setSeeing] = useState(false);
  if (turn.id === "" && turn.parts.every((p) => p.kind === "gap")) return null;
  return (
    <>
      {notes && <p className="notice warn"><span>{notes}</span></p>}
      {turn.undone && <p className="row-line small undone"><Icon.undo />Taken back: {visible(turn.undone.join(", "))}</p>}
      <footer className="foot small">
        <span className={`state ${className}`}>{word}{turn.state === "cut" && turn.stopReason && `: ${turn.stopReason}`}</span>
        {model && <span>{turn.answeredBy ? `${nameOf(turn.answeredBy)}, in place of ${model}` : model}</span>}
        {u && <span title={u.cacheReadTokens ? `${u.cacheReadTokens.toLocaleString("en-US")} read from the cache` : undefined}>{tokens(u.inputTokens)} tokens in · {tokens(u.outputTokens)} out</span>}
        {u?.costUsd !== undefined && <span>${u.costUsd.toFixed(4)}</span>}
        {turn.id && turn.state !== "running" && <button type="button" className="foot-link saw" onClick={() => setSeeing(true)}>what the model saw</button>}
        <TurnActions turn={turn} sessionId={sessionId} />
      </footer>
      {seeing && <ManifestSheet sessionId={sessionId} turn={turn.id} onClose={() => setSeeing(false)} />}
    </>
  );
}

/** Says which calls were not permitted, "" for none. */
function notPermitted(calls: Turn["calls"]): string {
  const parts = [calls?.refused && `${calls.refused} refused`, calls?.expired && `${calls.expired} not answered in time`].filter(Boolean);
  const said = parts.length ? [`Calls that were not permitted: ${parts.join(", ")}`] : [];
  if (calls?.leftOut) said.push(calls.leftOut === 1 ? "1 file left out" : `${calls.leftOut} files left out`);
  return said.join("; ");
}
