import { beforeEach, expect, it, vi } from "vitest";
import { Feed } from "../../session/store";
import { emptyStorage } from "../../ui/storage.test-helper";
import { Draft } from "./drafts";
import { none } from "./options";
import { compactKey, sendCompact, sendInto, sendTurn } from "./send";

// Outside of a component a hook gives what its store has.
vi.mock("react", async (real) => ({ ...await real<object>(), useSyncExternalStore: (_: unknown, get: () => unknown) => get() }));

let kept: Record<string, string>;
let keys: string[], bodies: string[];
let answer: () => Response | Promise<Response>;
beforeEach(() => {
  vi.unstubAllGlobals();
  kept = emptyStorage();
  [keys, bodies] = [[], []];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => { bodies.push(init.body as string); keys.push(new Headers(init.headers).get("Idempotency-Key")!); return answer(); });
});

/** What is kept but that a draft is empty. */
const said = () => Object.fromEntries(Object.entries(kept).filter(([, text]) => text !== '{"text":"","files":[]}'));
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
    expect(said()).toEqual({});
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
  expect(said()).toEqual({});
  answer = takes;
  draft.setText("m");
  await page.sendTurn(page.feed, draft, none, undefined);
  expect(new Set(keys).size).toBe(3);
});

/** Locks of all pages; returns those that are held, which a page loses when it is gone. */
function locks(): Set<string> {
  const held = new Set<string>();
  vi.stubGlobal("navigator", { locks: {
    request: async (name: string, { ifAvailable }: { ifAvailable?: boolean }, work: (lock: object | null) => unknown) => {
      if (ifAvailable) return work(held.has(name) ? null : {});
      held.add(name);
      await work({});
      held.delete(name);
    },
  } });
  return held;
}

it("leaves a message alone that another tab is sending, and no other one", async () => {
  const held = locks(), one = await loaded(), draft = one.draft("s");
  answer = hangs;
  draft.setText("m");
  void one.sendTurn(one.feed, draft, none, undefined);
  expect((await loaded()).draft("s").get().text).toBe("");
  const two = await loaded(), other = two.draft("s");
  held.clear(); // the page of the first is gone
  other.setText("n");
  void two.sendTurn(two.feed, other, none, undefined);
  expect(held.size).toBe(1);
  expect((await loaded()).draft("s").get().text).toBe("m");
  held.clear();
  expect((await loaded()).draft("s").get().text).toBe("n\n\nm");
});

it("a message that one tab gives up while another one sends it again keeps its record", async () => {
  const one = await loaded(), draft = one.draft("s");
  answer = proxy;
  draft.setText("m");
  await one.sendTurn(one.feed, draft, none, undefined);
  const two = await loaded(), again = two.draft("s");
  answer = hangs;
  void two.sendTurn(two.feed, again, none, undefined);
  draft.setText("");
  expect((await loaded()).draft("s").get().text).toBe("m");
});

it("the approval of a message whose fate is unknown counts for that message alone", async () => {
  for (const lost of ["left", "answer"] as const) {
    for (const [text, cleared, has] of [["m", false, true], ["another", false, false], ["m", true, false]] as const) {
      emptyStorage();
      const page = await loaded(), draft = page.draft("s"), before = await import("./options");
      [keys, bodies] = [[], []];
      answer = lost === "left" ? hangs : proxy;
      before.setOption("s", "approval", " TICKET-1");
      draft.setText("m");
      const sent = page.sendTurn(page.feed, draft, before.useOptions("s"), undefined);
      await vi.waitFor(() => expect(keys.length).toBe(1));
      expect(before.useOptions("s").approval).toBe("");
      if (lost === "answer") await sent;
      const after = lost === "left" ? await loaded() : page, again = lost === "left" ? after.draft("s") : draft, options = await import("./options");
      expect(again.get().text).toBe("m");
      await Promise.resolve();
      answer = takes;
      if (cleared) again.setText("");
      for (const next of [text, "m"]) {
        again.setText(next);
        await after.sendTurn(after.feed, again, options.useOptions("s"), undefined);
      }
      expect(bodies.map((b) => b.includes("TICKET-1"))).toEqual([true, has, false]);
      expect(keys[1] === keys[0]).toBe(has);
    }
  }
});

it("the approval of a message that is sent again and refused is there for the next try", async () => {
  const page = await loaded(), draft = page.draft("s"), options = await import("./options");
  options.setOption("s", "approval", "TICKET-1");
  for (const next of [proxy, refuses, takes, takes]) {
    answer = next;
    draft.setText("m");
    await page.sendTurn(page.feed, draft, options.useOptions("s"), undefined);
  }
  expect(bodies.map((b) => b.includes("TICKET-1"))).toEqual([true, true, true, false]);
});

it("a message that is sent while another one is on its way keeps its own record", async () => {
  const page = await loaded(), draft = page.draft("s"), answers: ((r: Response) => void)[] = [];
  answer = () => new Promise<Response>((is) => answers.push(is));
  const send = (text: string) => { draft.setText(text); return page.sendTurn(page.feed, draft, none, undefined); };
  const one = send("one");
  void send("two");
  await vi.waitFor(() => expect(answers.length).toBe(2));
  answers[0]!(takes());
  await one;
  const after = await loaded(), again = after.draft("s");
  expect(again.get().text).toBe("two");
  answer = takes;
  await after.sendTurn(after.feed, again, none, undefined);
  expect(keys[2]).toBe(keys[1]);
  expect(Object.keys(kept).filter((name) => name.startsWith("belay.sending."))).toEqual([]);
});

it("a page that is left while it sends two messages gives both back", async () => {
  const page = await loaded(), draft = page.draft("s");
  answer = hangs;
  for (const text of ["one", "two"]) {
    draft.setText(text);
    void page.sendTurn(page.feed, draft, none, undefined);
  }
  await vi.waitFor(() => expect(keys.length).toBe(2));
  expect((await loaded()).draft("s").get().text.split("\n\n").sort()).toEqual(["one", "two"]);
});

it("gives back what an earlier page kept of the latest message", async () => {
  kept["belay.sending.s"] = JSON.stringify({ v: 1, is: { taken: { text: "m", files: [] }, body: "{}", key: "k" } });
  expect((await loaded()).draft("s").get().text).toBe("m");
  expect((await loaded()).draft("s").get().text).toBe("m");
  expect(kept["belay.sending.s"]).toBeUndefined();
});
