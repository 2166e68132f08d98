// What was said into the running turn and the agent has not read yet.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import type { QueuedInput } from "../../api/types";
import { useRefresh } from "../../app-state";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { announce } from "../shell/announce";
import type { Draft, Uploader } from "./drafts";

export function Queue({ sessionId, draft, to }: { sessionId: string; draft: Draft; to: Uploader }) {
  const refresh = useRefresh();
  const { data } = useQuery({
    queryKey: ["queue", sessionId], queryFn: ({ signal }) => api.queue(sessionId, signal), retry: false,
    refetchInterval: (q) => (q.state.data?.length ? 1500 : 5000),
  });
  const [asked, setAsked] = useState("");
  const drop = useMutation({
    mutationFn: (input: QueuedInput) => api.dropInput(sessionId, input.id),
    onSuccess: (_, input) => {
      takeBack(input, draft, to);
      announce("Taken back into the message.");
      document.getElementById("message")?.focus();
    },
    onSettled: () => { setAsked(""); refresh("queue"); },
  });
  if (!data?.length && !drop.error) return null;
  return (
    <section className="queue small" aria-label="Waiting messages">
      {data && data.length > 0 && <h3 className="soft">{count(data.length, "message")} not read yet</h3>}
      <ol className="queue-list">
        {(data ?? []).map((input) => (
          <Waiting key={input.id} input={input} asked={asked === input.id} busy={drop.isPending} onAsk={(to) => setAsked(to ? input.id : "")} onTake={() => drop.mutate(input)} />
        ))}
      </ol>
      {drop.error && <ErrorNotice error={drop.error} onClose={() => drop.reset()} />}
    </section>
  );
}

/** Puts a message that was taken back into the draft, with the files that the server has stored. */
export function takeBack(input: QueuedInput, draft: Draft, to: Uploader): void {
  draft.restore({ text: input.message, files: [] });
  for (const { origin, name, bytes, sha256 } of input.items ?? []) if (origin) draft.addStored({ path: origin, name, bytes, sha256 }, to);
}

/** A message that waits. Files at an address do not come back when it is taken back: that is said before. */
export function Waiting({ input, asked, busy, onAsk, onTake }: { input: QueuedInput; asked: boolean; busy: boolean; onAsk: (to: boolean) => void; onTake: () => void }) {
  const files = input.attachments ?? 0;
  const lost = files - (input.items ?? []).filter((f) => f.origin).length;
  const which = lost < files ? `${lost} of its ${files} files` : files === 1 ? "Its file" : `Its ${files} files`;
  const them = lost === 1 ? "it" : "them";
  return (
    <li>
      <span className="chip">{input.mode === "followUp" ? "after the answer" : "next"}</span>
      <span className="clip grow">{input.message || count(files, "file")}</span>
      {input.message && files > 0 ? <span className="soft nowrap">{count(files, "file")}</span> : null}
      {asked ? (
        <span className="row-line" role="alert">
          <span>{which} {lost === 1 ? "does" : "do"} not come back. Attach {them} again.</span>
          <button type="button" className="button danger small" disabled={busy} onClick={onTake}>Take back without {them}</button>
          <button type="button" className="button small" autoFocus onClick={() => onAsk(false)}>Leave it</button>
        </span>
      ) : (
        <button type="button" className="button plain icon" aria-label={`Take back: ${input.message.slice(0, 60) || count(files, "file")}`} title="Take back" disabled={busy} onClick={lost > 0 ? () => onAsk(true) : onTake}><Icon.close /></button>
      )}
    </li>
  );
}
