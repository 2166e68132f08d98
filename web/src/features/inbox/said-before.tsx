// What the agent said just before the call that a question is about.
import { useQuery } from "@tanstack/react-query";
import * as api from "../../api/client";
import { Markdown } from "../../ui/markdown";
import type { Ask } from "./ask";
import { lastWords } from "./last-words";

export function SaidBefore({ ask }: { ask: Ask }) {
  const { sessionId, turnId } = ask;
  const { data } = useQuery({
    queryKey: ["said-before", sessionId, ask.id], enabled: Boolean(sessionId && turnId), staleTime: Infinity, retry: false,
    queryFn: async ({ signal }) => lastWords(await api.transcript(sessionId!, signal), turnId!),
  });
  if (!data) return null;
  return (
    <section className="said-before" aria-label="What the agent said before">
      <h3 className="soft small">{ask.persona || "The agent"} said</h3>
      <Markdown text={data} growing={false} />
    </section>
  );
}
