// One step that leads on: its gate, the commit that is approved, and the step itself.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/deliverable";
import { isFailure } from "../../api/http";
import { useInfo, useRefresh } from "../../app-state";
import { projectLink } from "../../route";
import { ago, count, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { announce } from "../shell/announce";
import type { PartProps } from "./deliverable";

const human = "HUMAN";

/** What a transition took and gave, for its words. */
interface Tried { to: string; etag: string }

export function Transition({ project, d, choice, commits, error }: PartProps & { choice: api.TransitionChoice; commits: api.Commits | undefined; error: unknown }) {
  const refresh = useRefresh();
  const operator = useInfo().data?.operator;
  const [sha, setSha] = useState("");
  const [note, setNote] = useState("");
  const etag = d.etags["_STATUS.md"] ?? "";
  const actors = choice.actors ?? [];
  const move = useMutation({
    mutationFn: (_: Tried) => api.transition({
      projectRoot: project.path, deliverablePath: d.path, targetState: choice.to, actor: human,
      ...(choice.approval ? { approvalSha: sha.trim() } : {}), ...(note.trim() ? { note: note.trim() } : {}),
    }, etag),
    onSuccess: () => { announce(`${d.id} is now ${choice.to}.`); refresh("deliverable", "commits", "project-file"); },
    onError: (err) => isFailure(err, "CONTENT_CHANGED") || isFailure(err, "BACKWARD_TRANSITION") || isFailure(err, "TRANSITION_NOT_ALLOWED") ? refresh("deliverable", "commits") : undefined,
  });
  const mine = actors.includes(human);
  const lacks = choice.lacks ?? [];
  const wanted = !choice.approval || /^[0-9a-f]{7,64}$/i.test(sha.trim());
  return (
    <section className="transition" aria-labelledby={`to-${choice.to}`} data-to={choice.to}>
      <header>
        <h3 id={`to-${choice.to}`}>Move to {choice.to}</h3>
        <ul className="chips" aria-label="What it needs">
          <li className="chip"><Icon.person /><span>{actors.join(" or ")}</span></li>
          {choice.approval && <li className="chip accent"><Icon.check /><span>an approved commit</span></li>}
          {choice.operator && <li className={operator === false ? "chip warn" : "chip"}><span>the operator's authority</span></li>}
        </ul>
      </header>
      {lacks.length > 0 && (
        <div className="notice warn">
          <strong>{choice.to} rests on documents that are missing</strong>
          <ul>{lacks.map((f) => <li key={`${f.path}${f.code}`}>{f.message}</li>)}</ul>
          <p className="soft small">The step is possible all the same.</p>
        </div>
      )}
      {!mine && (
        <p className="soft">{actors.join(" or ")} makes this step. <a href={projectLink(project.id, "pipeline", "", { scopeKey: d.key })}>Start it in the pipeline</a>.</p>
      )}
      {mine && (
        <form onSubmit={(e) => { e.preventDefault(); if (wanted && !move.isPending) move.mutate({ to: choice.to, etag }); }}>
          {choice.approval && <Approval d={d} commits={commits} error={error} sha={sha} onSha={setSha} />}
          <label className="note-field">
            <span className="small soft">Note in the history, if you want</span>
            <input className="field" value={note} maxLength={2000} name="note" onChange={(e) => setNote(e.target.value.replace(/[[\]]/g, ""))} autoComplete="off" />
          </label>
          {move.error && (isFailure(move.error, "CONTENT_CHANGED")
            ? <div className="notice warn" role="alert"><strong>The status changed while you looked at it</strong><p>The page shows it as it is now. Look again, and repeat the step if it is still right.</p></div>
            : <ErrorNotice error={move.error} onClose={() => move.reset()} />)}
          {choice.operator && operator === false && <p className="notice warn"><span>This browser was not let in by a link. Run “belay open” on the server's machine and open its link here.</span></p>}
          <button type="submit" className="button primary move" disabled={!wanted || move.isPending}>
            {move.isPending ? <span className="spin" /> : <Icon.check />}Move to {choice.to}
          </button>
        </form>
      )}
    </section>
  );
}

/** The commit that is approved. */
export function Approval({ d, commits, error, sha, onSha }: { d: api.DeliverableView; commits: api.Commits | undefined; error: unknown; sha: string; onSha: (sha: string) => void }) {
  const [typed, setTyped] = useState(false);
  if (!commits) return error ? <ErrorNotice error={error} /> : <p className="soft"><span className="spin" /> Reading the repository</p>;
  const list = commits.commits ?? [];
  const all = commits.head && !list.some((c) => c.sha === commits.head!.sha) ? [commits.head, ...list] : list;
  const dirty = commits.uncommitted ?? [];
  const other = typed || all.length === 0;
  return (
    <fieldset className="approval">
      <legend>The commit that you approve</legend>
      {error != null && <ErrorNotice error={error} />}
      {commits.problem && <p className="notice warn"><span>{commits.problem.charAt(0).toUpperCase() + commits.problem.slice(1)}.{!commits.repository && " The commit is written down and not checked."}</span></p>}
      {dirty.length > 0 && (
        <div className="notice warn dirty" role="note">
          <strong>{commits.unseen ? "At least " : ""}{count(dirty.length, "file")} not committed as {dirty.length === 1 ? "it is" : "they are"} now</strong>
          <p className="small">Your approval is about the commit. These differ from it:</p>
          <ul>{dirty.slice(0, 8).map((f) => <li key={f.path}>{visible(f.path)} <span className="soft">({f.kind})</span></li>)}{dirty.length > 8 && <li>and {dirty.length - 8} more</li>}</ul>
          <p className="small">Commit them first, if they belong to {d.id}. The list follows your commits.</p>
        </div>
      )}
      {all.length > 0 && (
        <div className="commits" role="radiogroup" aria-label="Commits">
          {all.map((c) => (
            <label key={c.sha} className="commit">
              <input type="radio" name="sha" value={c.sha} checked={!other && sha === c.sha} onChange={() => { setTyped(false); onSha(c.sha); }} />
              <span className="grow">
                <span className="commit-subject">{visible(c.subject) || "(no subject)"}</span>
                <span className="soft small"><code>{c.sha.slice(0, 9)}</code> · {visible(c.author)} · <time dateTime={c.date} title={new Date(c.date).toLocaleString()}>{ago(c.date)}</time></span>
              </span>
              {c.sha === commits.head?.sha && <span className="chip">checked out</span>}
            </label>
          ))}
          <label className="commit">
            <input type="radio" name="sha" checked={other} onChange={() => { setTyped(true); onSha(""); }} />
            <span className="grow">Another commit</span>
          </label>
        </div>
      )}
      {other && (
        <label className="note-field">
          <span className="small soft">Its id, 7 to 64 hex digits</span>
          <input className="field mono" name="approvalSha" value={sha} onChange={(e) => onSha(e.target.value)} maxLength={64} autoComplete="off" spellCheck={false} />
        </label>
      )}
      {commits.more && <p className="soft small">Older commits are not listed.</p>}
    </fieldset>
  );
}
