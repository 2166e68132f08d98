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
import type { Draft } from "./drafts";

export function Queue({ sessionId, draft }: { sessionId: string; draft: Draft }) {
  const refresh = useRefresh();
  const { data } = useQuery({
    queryKey: ["queue", sessionId], queryFn: ({ signal }) => api.queue(sessionId, signal), retry: false,
    refetchInterval: (q) => (q.state.data?.length ? 1500 : 5000),
  });
  const [asked, setAsked] = useState("");
  const drop = useMutation({
    mutationFn: (input: QueuedInput) => api.dropInput(sessionId, input.id),
    onSuccess: (_, input) => {
      draft.restore({ text: input.message, files: [] });
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

/** A message that waits. Its files are on the server only, so taking it back loses them: that is said before. */
export function Waiting({ input, asked, busy, onAsk, onTake }: { input: QueuedInput; asked: boolean; busy: boolean; onAsk: (to: boolean) => void; onTake: () => void }) {
  const files = input.attachments ?? 0;
  return (
    <li>
      <span className="chip">{input.mode === "followUp" ? "after the answer" : "next"}</span>
      <span className="clip grow">{input.message || count(files, "file")}</span>
      {input.message && files > 0 ? <span className="soft nowrap">{count(files, "file")}</span> : null}
      {asked ? (
        <span className="row-line" role="alert">
          <span>{files === 1 ? "Its file does" : `Its ${files} files do`} not come back. Attach {files === 1 ? "it" : "them"} again.</span>
          <button type="button" className="button danger small" disabled={busy} onClick={onTake}>Take back without {files === 1 ? "it" : "them"}</button>
          <button type="button" className="button small" autoFocus onClick={() => onAsk(false)}>Leave it</button>
        </span>
      ) : (
        <button type="button" className="button plain icon" aria-label={`Take back: ${input.message.slice(0, 60)}`} title="Take back" disabled={busy} onClick={files > 0 ? () => onAsk(true) : onTake}><Icon.close /></button>
      )}
    </li>
  );
}
