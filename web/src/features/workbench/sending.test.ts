import { beforeEach, expect, it, vi } from "vitest";
import { Feed } from "../../session/store";
import { emptyStorage } from "../../ui/storage.test-helper";
import { Draft } from "./drafts";
import { none } from "./options";
import { compactKey, sendCompact, sendInto, sendTurn } from "./send";

// Outside of a component a hook gives what its store has.
vi.mock("react", async (real) => ({ ...await real<object>(), useSyncExternalStore: (_: unknown, get: () => unknown) => get() }));

let kept: Record<string, string>;
let keys: string[];
let answer: () => Response | Promise<Response>;
beforeEach(() => {
  vi.unstubAllGlobals();
  kept = emptyStorage();
  keys = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => { keys.push(new Headers(init.headers).get("Idempotency-Key")!); return answer(); });
});

const hangs = () => new Promise<Response>(() => undefined);
const takes = () => new Response(JSON.stringify({ turnId: "t" }));
const proxy = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
const refuses = () => new Response(JSON.stringify({ error: { type: "INVALID_REQUEST", message: "no" } }), { status: 400 });

/** A page that is loaded now: of the modules nothing is left but what the browser keeps. */
async function loaded() {
  vi.resetModules();
  const drafts = await import("./drafts"), send = await import("./send"), store = await import("../../session/store");
  return { draft: (key: string) => new drafts.Draft(key), feed: new store.Feed("s", {} as never), ...send };
}

const ways = {
  turn: (feed: Feed, draft: Draft, by: { sendTurn: typeof sendTurn }) => by.sendTurn(feed, draft, none, undefined),
  steer: (feed: Feed, draft: Draft, by: { sendInto: typeof sendInto }) => by.sendInto(feed, draft, "steer", none, undefined),
  compact: (feed: Feed, draft: Draft, by: { sendCompact: typeof sendCompact }) => by.sendCompact(feed, draft),
};

it.each(Object.keys(ways) as (keyof typeof ways)[])("a page that is left while it sends gives the words back, with their key: %s", async (how) => {
  const key = how === "compact" ? compactKey("s") : "s", send = ways[how] as (feed: Feed, draft: Draft, by: object) => Promise<void>;
  for (const first of [hangs, proxy]) {
    const page = await loaded(), draft = page.draft(key);
    keys = [];
    answer = first;
    draft.setText("two hours of work");
    void send(page.feed, draft, page);
    await vi.waitFor(() => expect(keys.length).toBe(1));
    if (first === proxy) await vi.waitFor(() => expect(draft.get().text).toBe("two hours of work"));
    // Twice: it is not given back again.
    await loaded().then((p) => p.draft(key));
    const after = await loaded(), again = after.draft(key);
    expect(again.get().text).toBe("two hours of work");
    answer = takes;
    await send(after.feed, again, after);
    expect(keys[1]).toBe(keys[0]);
    expect(kept).toEqual({});
  }
});

it("nothing is kept of a message that was refused, or given up", async () => {
  const page = await loaded(), draft = page.draft("s");
  answer = refuses;
  draft.setText("m");
  await page.sendTurn(page.feed, draft, none, undefined);
  expect(Object.keys(kept)).toEqual(["belay.draft.s"]);
  answer = proxy;
  await page.sendTurn(page.feed, draft, none, undefined);
  draft.setText("");
  expect(kept).toEqual({});
  answer = takes;
  draft.setText("m");
  await page.sendTurn(page.feed, draft, none, undefined);
  expect(new Set(keys).size).toBe(3);
});

it("leaves a message alone that another tab is sending", async () => {
  const held = new Set<string>();
  vi.stubGlobal("navigator", { locks: {
    request: async (name: string, { ifAvailable }: { ifAvailable?: boolean }, work: (lock: object | null) => unknown) => {
      if (ifAvailable) return work(held.has(name) ? null : {});
      held.add(name);
      await work({});
      held.delete(name);
    },
  } });
  const one = await loaded(), draft = one.draft("s");
  answer = hangs;
  draft.setText("m");
  void one.sendTurn(one.feed, draft, none, undefined);
  expect((await loaded()).draft("s").get().text).toBe("");
  held.clear(); // its page is gone
  expect((await loaded()).draft("s").get().text).toBe("m");
});

it("the approval of a turn comes back with it", async () => {
  const page = await loaded(), draft = page.draft("s");
  answer = hangs;
  draft.setText("m");
  void page.sendTurn(page.feed, draft, { ...none, approval: "TICKET-1" }, undefined);
  await vi.waitFor(() => expect(keys.length).toBe(1));
  const after = await loaded(), again = after.draft("s"), options = await import("./options");
  answer = takes;
  await after.sendTurn(after.feed, again, options.useOptions("s"), undefined);
  expect(keys[1]).toBe(keys[0]);
});
