import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { Failure } from "../../api/http";
import { drawn } from "../../ui/drawn.test-helper";
import { ClosedQuestion } from "./closed";

/** What the link of a question shows, given what the server says of it. */
async function shown(answer?: () => Promise<unknown>): Promise<string> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false } } });
  if (answer) await client.fetchQuery({ queryKey: ["closed", "dec_1"], queryFn: answer }).catch(() => undefined);
  return drawn(ClosedQuestion, { id: "dec_1" }, client).html;
}

it("says of a question what the server says: that it is closed, or that there is none", async () => {
  const closed = "This question is closed", none = "There is no such question";
  expect(await shown(() => Promise.resolve({ open: false, closed: { decisionId: "dec_1", verdict: "deny", by: "ada", time: "2026-01-01T00:00:00Z", summary: "s" } }))).toContain(closed);
  expect(await shown(() => Promise.reject(new Failure(404, "NOT_FOUND", "there is no question")))).toContain(none);
  const lost = await shown(() => Promise.reject(new Failure(0, "UNREACHABLE", "lost")));
  expect(lost).toContain("The server does not answer");
  for (const unknown of [lost, await shown(), await shown(() => Promise.resolve({ open: true }))]) expect(unknown).not.toMatch(`${closed}|${none}`);
});
