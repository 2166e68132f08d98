import { afterEach, expect, it, vi } from "vitest";
import { Feed } from "../../session/store";
import { Draft } from "./drafts";
import { none } from "./options";
import { sendInto, sendTurn } from "./send";

afterEach(() => { vi.unstubAllGlobals(); });

/** Sends texts one after another, each as the server answers then, and returns the keys that it got. */
async function keysOf(session: string, steps: readonly (readonly [text: string, answer: () => Response])[], send: (feed: Feed, draft: Draft) => Promise<void>): Promise<string[]> {
  const keys: string[] = [];
  let answer = steps[0]![1];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => { keys.push(new Headers(init.headers).get("Idempotency-Key")!); return answer(); });
  const feed = new Feed(session, {} as never), draft = new Draft(session);
  for (const [text, next] of steps) {
    answer = next;
    draft.setText(text);
    await send(feed, draft);
  }
  return keys;
}

const turn = (feed: Feed, draft: Draft) => sendTurn(feed, draft, none, undefined);
const into = (feed: Feed, draft: Draft) => sendInto(feed, draft, "steer", none, undefined);
const lost = (): Response => { throw new TypeError("lost"); };
const proxy = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
const refuses = () => new Response(JSON.stringify({ error: { type: "OVERLOADED", message: "busy" } }), { status: 429 });
const takes = () => new Response("{}");

it("sends a message again under its key until the server has refused or taken it", async () => {
  for (const [name, send] of [["turn", turn], ["steer", into]] as const) {
    const [a, b, c, d, e] = await keysOf(name, [["m", lost], ["m", proxy], ["m", refuses], ["m", takes], ["m", takes]], send);
    expect([b, c]).toEqual([a, a]);
    expect(new Set([a, d, e]).size).toBe(3);
  }
});

it("sends another message under another key", async () => {
  const [a, b] = await keysOf("other", [["m", proxy], ["n", takes]], turn);
  expect(b).not.toBe(a);
});

it("sends no more than was sent where the running turn has just ended, and keeps what was typed since", async () => {
  const bodies: { message: string }[] = [];
  for (const takesTurn of [true, false]) {
    const feed = new Feed(`ended-${takesTurn}`, {} as never), draft = new Draft(`ended-${takesTurn}`);
    vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
      bodies.push(JSON.parse(init.body as string) as { message: string });
      if (takesTurn && bodies.length === 2) return takes();
      draft.setText("half a");
      return new Response(JSON.stringify({ error: { type: "NO_TURN_IN_PROGRESS", message: "none runs" } }), { status: 409 });
    });
    draft.setText("whole");
    await into(feed, draft);
    expect(draft.get().text).toBe(takesTurn ? "half a" : "whole\n\nhalf a");
  }
  expect(bodies.map((b) => b.message)).toEqual(["whole", "whole", "whole", "whole"]);
});
