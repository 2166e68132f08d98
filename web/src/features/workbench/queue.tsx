// What was said into the running turn and the agent has not read yet.
import { useMutation, useQuery } from "@tanstack/react-query";
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
  const drop = useMutation({
    mutationFn: (input: QueuedInput) => api.dropInput(sessionId, input.id),
    onSuccess: (_, input) => {
      draft.restore({ text: input.message, files: [] });
      announce("Taken back into the message.");
      document.getElementById("message")?.focus();
    },
    onSettled: () => refresh("queue"),
  });
  if (!data?.length && !drop.error) return null;
  return (
    <section className="queue small" aria-label="Waiting messages">
      {data && data.length > 0 && <h3 className="soft">{count(data.length, "message")} not read yet</h3>}
      <ol className="queue-list">
        {(data ?? []).map((input) => (
          <li key={input.id}>
            <span className="chip">{input.mode === "followUp" ? "after the answer" : "next"}</span>
            <span className="clip grow">{input.message || count(input.attachments ?? 0, "file")}</span>
            {input.message && input.attachments ? <span className="soft nowrap">{count(input.attachments, "file")}</span> : null}
            <button type="button" className="button plain icon" aria-label={`Take back: ${input.message.slice(0, 60)}`} title="Take back" disabled={drop.isPending} onClick={() => drop.mutate(input)}><Icon.close /></button>
          </li>
        ))}
      </ol>
      {drop.error && <ErrorNotice error={drop.error} onClose={() => drop.reset()} />}
    </section>
  );
}
