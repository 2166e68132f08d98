import { afterEach, expect, it, vi } from "vitest";
import { applyProposal, type Proposal, putRegister } from "./deliverable";
import { setCoordination } from "./history";

afterEach(() => { vi.unstubAllGlobals(); });

/** The preconditions that requests are sent with. */
async function sent(...requests: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const all: unknown[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    all.push([headers.get("If-Match"), headers.get("If-None-Match")]);
    return new Response('{"summaryProblem":"why","register":{"summaryProblem":"why"}}');
  });
  for (const request of requests) await request();
  return all;
}

it("writes over a file that was seen, and makes one only where there is none", async () => {
  const proposal = (registerTag: string) => ({ id: "x", registerTag }) as Proposal;
  const seen = await sent(() => setCoordination("/p", "HYBRID", '"t"'), () => putRegister("/p", "d", [], '"t"'), () => applyProposal(proposal("t"), "/p", undefined, false));
  expect(seen).toEqual([['"t"', null], ['"t"', null], ['"t"', null]]);
  const absent = await sent(() => setCoordination("/p", "HYBRID", ""), () => putRegister("/p", "d", [], ""), () => applyProposal(proposal(""), "/p", undefined, false));
  expect(absent).toEqual([[null, "*"], [null, "*"], [null, "*"]]);
});

it("says of a change of the register why _DEPENDENCIES.md did not follow", async () => {
  const said: unknown[] = [];
  await sent(async () => said.push((await putRegister("/p", "d", [], '"t"')).summaryProblem), async () => said.push(await applyProposal({ id: "x" } as Proposal, "/p", undefined, false)));
  expect(said).toEqual(["why", "why"]);
});
