// Changes that commands made and nobody has decided about: apply them, or discard them.
import { useMutation, useQuery } from "@tanstack/react-query";
import * as api from "../../api/client";
import { isFailure } from "../../api/http";
import { type KeptRow, useKept, useRefresh } from "../../app-state";
import { amend, questionLink, sessionLink, useParam } from "../../route";
import { chosen, useChoosing } from "../../ui/choosing";
import { ago, count, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { waits } from "../../ui/waits";
import { announce } from "../shell/announce";
import { askOfKept } from "./ask";
import { EffectView } from "./effect-view";
import { applyPart, partOf } from "./part";
import { InboxTabs } from "./tabs";

const link = (id: string) => `/inbox?show=kept&id=${encodeURIComponent(id)}`;

export function Kept() {
  const { rows, isPending, error } = useKept();
  const id = useParam("id");
  const current = rows.find((r) => r.change.id === id) ?? (id ? undefined : rows[0]);
  return (
    <>
      <section className="pane" aria-label="Kept changes">
        <InboxTabs current="kept" />
        {error && <div className="pane-pad"><ErrorNotice error={error} /></div>}
        <ol className="rows">
          {rows.map(({ root, change: c }) => (
            <li key={c.id}>
              <a className="row" href={link(c.id)} aria-current={current?.change.id === c.id ? "true" : undefined}>
                <span className="row-title">{visible(c.effect?.command ?? c.effect?.summary ?? "A command")}</span>
                <span className="row-meta">{c.created && <span>{ago(c.created)}</span>}<span className="clip">{count(c.effect?.done?.files ?? c.effect?.paths?.length ?? 0, "file")} · {visible(root.split("/").at(-1) ?? "")}</span>
                  {c.conflicts && c.conflicts.length > 0 && <span className="chip bad">conflict</span>}</span>
              </a>
            </li>
          ))}
        </ol>
        {isPending && rows.length === 0 && waits}
        {!isPending && !error && rows.length === 0 && <p className="empty-pane soft">Nothing is kept.</p>}
      </section>
      <div className="view">
        <div className="scroll">
          <div className="column">
            <a className="back" href="/inbox?show=kept"><Icon.back />All kept changes</a>
            {current ? <KeptCard key={current.change.id} row={current} onDone={() => { if (new URLSearchParams(location.search).get("show") === "kept") amend("/inbox", "/inbox?show=kept"); }} /> : !isPending && (
              <div className="empty-main"><Icon.archive /><h2>{id ? "This change is not kept" : "Nothing is kept"}</h2>
                <p className="soft">{id ? "It was applied or discarded, or there was never one with this id." : "What a command changed, and nobody answered for in time, waits here."}</p></div>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function KeptCard({ row: { root, change }, onDone }: { row: KeptRow; onDone: () => void }) {
  const refresh = useRefresh();
  const { data, error } = useQuery({ queryKey: ["kept-change", root, change.id], queryFn: ({ signal }) => api.keptChange(root, change.id, signal), retry: false });
  const c = data ?? change;
  const ask = askOfKept(c, root);
  const { left: dropped } = useChoosing(change.id);
  const { only, count: chosenFiles, total, choice } = partOf(change.id, c.effect, dropped, c.conflicts);
  const done = (words: string, stays: boolean) => {
    announce(words);
    refresh("kept", ...(stays ? ["kept-change"] : [])); // one that is settled is gone
    if (!stays) onDone();
  };
  const apply = useMutation({
    mutationFn: (runsByItself: boolean) => api.applyKept({ projectRoot: root, id: c.id, ...(only ? { only } : {}), ...(runsByItself ? { runsByItself } : {}) }),
    onSuccess: (r) => { chosen(change.id); done(`Applied: ${count(r.paths?.length ?? 0, "file")}.`, (r.left ?? 0) > 0); },
    onError: () => refresh("kept", "kept-change"), // something else may have changed a file
  });
  const drop = useMutation({
    mutationFn: () => api.dropKept({ projectRoot: root, id: c.id }),
    onSuccess: () => { chosen(change.id); done("Discarded.", false); },
  });
  const busy = apply.isPending || drop.isPending;
  const risky = isFailure(apply.error) && /itself/.test(`${apply.error.message} ${apply.error.hint}`);
  return (
    <section className="question" aria-label="Kept change" data-kept={c.id}>
      <header>
        <h2>A command changed {count(c.effect?.done?.files ?? total, "file")}, and they wait</h2>
        <p className="soft small">{visible(c.why ?? "")}{c.created && <> · <time dateTime={c.created} title={new Date(c.created).toLocaleString()}>{ago(c.created)}</time></>} · {visible(root.split("/").at(-1) ?? "")}
          {c.sessionId && <> · <a href={sessionLink(c.sessionId)}>open the session</a></>}</p>
      </header>
      {error && <ErrorNotice error={error} />}
      {c.problem && <p className="notice bad"><span>{visible(c.problem)}</span></p>}
      {c.conflicts && c.conflicts.length > 0 && (
        <div className="notice warn"><strong>These were changed since, and are left out</strong><ul>{c.conflicts.map((p) => <li key={p}>{visible(p)}</li>)}</ul></div>
      )}
      <EffectView ask={ask} choice={choice} rest={only ? "kept for later" : "applied with the others"} />
      {apply.error && <ErrorNotice error={apply.error} onClose={() => apply.reset()} />}
      {drop.error && <ErrorNotice error={drop.error} onClose={() => drop.reset()} />}
      {c.decisionId ? <p className="notice warn"><span>A turn still asks about these changes. <a href={questionLink(c.decisionId)}>Answer the question</a></span></p> : (
        <div className="answers">
          <button type="button" id="keep" className="button primary" disabled={busy || only?.length === 0} onClick={() => apply.mutate(risky)}>
            <Icon.check />{risky ? "Apply, also what runs by itself" : only && only.length > 0 ? applyPart(chosenFiles, total) : "Apply changes"}
          </button>
          <button type="button" id="drop" className="button danger" disabled={busy} onClick={() => drop.mutate()}><Icon.cross />Discard</button>
        </div>
      )}
    </section>
  );
}
