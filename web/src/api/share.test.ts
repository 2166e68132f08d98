import { expect, test, vi } from "vitest";
import type { Following } from "./events";
import { Failure } from "./http";
import { Share } from "./share";
import type { Message, Ways } from "./share-lead";
import type { LogEvent } from "../session/event";

const text = (seq: number): LogEvent => ({ seq, type: "chat:delta", data: { text: String(seq) } });

type Read = Ways["read"];

/** Waits for as long as a busy machine may take. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 240_000 });

/** A browser with tabs, and a server whose sessions have logs. */
class Browser {
  readonly logs = new Map<string, number>();
  readonly asked: string[] = [];
  readonly alone: string[] = [];
  open = 0;
  refuse: Failure | undefined;
  private readonly ends = new Set<{ onmessage: ((e: { data: Message }) => void) | null }>();
  private lock: Promise<void> = Promise.resolve();
  private readonly heard = new Set<() => void>();

  add(session: string, last: number): void {
    this.logs.set(session, last);
    for (const h of this.heard) h();
  }

  tab(): Share {
    const ends = this.ends;
    const end = {
      onmessage: null as ((e: { data: Message }) => void) | null,
      postMessage(message: Message) { for (const other of ends) if (other !== end) setTimeout(() => other.onmessage?.({ data: message })); },
    };
    ends.add(end);
    return new Share({
      channel: end, gather: 2, read: this.read,
      elect: (lead, signal) => { this.lock = this.lock.then(() => (signal.aborted ? undefined : lead(signal))); },
      alone: async (session) => { this.alone.push(session); },
    });
  }

  private readonly read: Read = (path, _last, signal, _silence, onOpen, onMessages) => new Promise((resolve, reject) => {
    this.asked.push(decodeURIComponent(path.split("sessions=")[1] ?? ""));
    if (this.refuse) { const err = this.refuse; this.refuse = undefined; reject(err); return; }
    this.open++;
    onOpen();
    const at = new Map((this.asked.at(-1) ?? "").split(",").filter(Boolean).map((s) => [s.split(":")[0]!, Number(s.split(":")[1])]));
    const send = () => {
      for (const [session, after] of at) {
        const last = this.logs.get(session) ?? 0;
        if (last <= after) continue;
        at.set(session, last);
        onMessages(Array.from({ length: last - after }, (_, i) => ({
          id: "FEED.1,s", event: "session:event", data: JSON.stringify({ sessionId: session, ...text(after + i + 1) }),
        })));
      }
    };
    this.heard.add(send);
    send();
    signal.addEventListener("abort", () => { this.heard.delete(send); this.open--; resolve(); }, { once: true });
  });
}

function follower(share: Share, session: string, after = 0) {
  const seen: number[] = [];
  const states: string[] = [];
  const stop = new AbortController();
  const to: Following = { onEvents: (events) => seen.push(...events.map((e) => e.seq)), onState: (s) => states.push(s) };
  void share.follow(session, after, to, stop.signal);
  return { seen, states, stop: () => stop.abort() };
}

test("tabs share one stream, and each gets its sessions without gaps or repeats", async () => {
  const b = new Browser();
  b.add("a", 3);
  b.add("b", 2);
  const first = follower(b.tab(), "a");
  await soon(() => expect(first.seen).toEqual([1, 2, 3]));
  const second = follower(b.tab(), "b");
  const third = follower(b.tab(), "a", 1);
  await soon(() => expect([second.seen, third.seen]).toEqual([[1, 2], [2, 3]]));
  b.add("a", 5);
  await soon(() => expect([first.seen, third.seen]).toEqual([[1, 2, 3, 4, 5], [2, 3, 4, 5]]));
  expect(second.seen).toEqual([1, 2]);
  expect(b.open).toBe(1);
  expect(b.alone).toEqual([]);
});

test("another tab reads on when the first one is closed", async () => {
  const b = new Browser();
  b.add("a", 1);
  b.add("b", 1);
  const first = follower(b.tab(), "a");
  const second = follower(b.tab(), "b");
  await soon(() => expect(second.seen).toEqual([1]));
  first.stop();
  await soon(() => expect(b.asked.at(-1)).toBe("b:1"));
  b.add("b", 4);
  await soon(() => expect(second.seen).toEqual([1, 2, 3, 4]));
  expect(b.open).toBe(1);
});

test("a page that is left lets another tab read, and goes on when it is shown again", async () => {
  const b = new Browser();
  b.add("a", 1);
  b.add("b", 1);
  const left = b.tab();
  const first = follower(left, "a");
  const second = follower(b.tab(), "b");
  await soon(() => expect(second.seen).toEqual([1]));
  left.suspend();
  await soon(() => expect(b.asked.at(-1)).toBe("b:1"));
  b.add("a", 2);
  b.add("b", 2);
  await soon(() => expect(second.seen).toEqual([1, 2]));
  left.resume();
  await soon(() => expect(first.seen).toEqual([1, 2]));
  expect(b.open).toBe(1);
});

test("more than eight sessions: two have a stream of their own, others wait for a place", async () => {
  const b = new Browser();
  const share = b.tab();
  b.add("s1", 3);
  const all = Array.from({ length: 11 }, (_, i) => follower(share, `s${i + 1}`));
  await soon(() => expect(b.asked.at(-1)?.split(",")).toHaveLength(8));
  await soon(() => expect(b.alone.toSorted()).toEqual(["s2", "s3"]));
  expect(all[0]!.seen).toEqual([]);
  for (const one of all.slice(8)) one.stop();
  await soon(() => expect(all[0]!.seen).toEqual([1, 2, 3]));
});

test("a session that is gone is refused, and the others go on", async () => {
  const b = new Browser();
  b.add("b", 2);
  const share = b.tab();
  const gone = follower(share, "a");
  const other = follower(share, "b");
  b.refuse = new Failure(404, "SESSION_NOT_FOUND", "no session", "", { sessionId: "a" });
  await soon(() => expect(other.seen).toEqual([1, 2]));
  expect(gone.states).toEqual(["refused"]);
});

test("a refusal that passes ends no stream", async () => {
  const b = new Browser();
  b.add("a", 2);
  b.refuse = new Failure(408, "UNKNOWN", "");
  const one = follower(b.tab(), "a");
  await soon(() => expect(one.seen).toEqual([1, 2]));
  expect(b.alone).toEqual([]);
});

test("without the stream each session has its own, also one that is followed later", async () => {
  const b = new Browser();
  b.refuse = new Failure(404, "NOT_FOUND", "no such path");
  const share = b.tab();
  follower(share, "a");
  await soon(() => expect(b.alone).toEqual(["a"]));
  follower(share, "b");
  await soon(() => expect(b.alone).toEqual(["a", "b"]));
});

test("what another tab has read is not read again when this one opens and closes sessions", async () => {
  const b = new Browser();
  b.add("a", 1);
  b.add("b", 500);
  const share = b.tab();
  follower(share, "a");
  const second = follower(b.tab(), "b");
  await soon(() => expect(second.seen).toHaveLength(500));
  const before = b.asked.length;
  for (const session of ["c", "d"]) {
    b.add(session, 1);
    const next = follower(share, session);
    await soon(() => expect(next.seen).toEqual([1]));
    next.stop();
  }
  expect(b.asked.length).toBeGreaterThan(before);
  expect(b.asked.slice(before).filter((asked) => !asked.includes("b:500"))).toEqual([]);
  // It still begins there for who has nothing of it.
  const third = follower(b.tab(), "b");
  await soon(() => expect(third.seen).toHaveLength(500));
  expect(second.seen).toHaveLength(500);
});

test("all lists are asked for again when a stream begins that goes on from no place", async () => {
  for (const [feed, of] of [["", 6], ["FEED.1", 0]] as const) {
    const share = new Share({
      channel: undefined, gather: 0, alone: async () => undefined, elect: (lead, signal) => { void lead(signal); },
      read: (_path, _last, signal, _silence, onOpen, onMessages) => new Promise((resolve) => {
        onOpen();
        onMessages([{ id: "FEED.1,s", event: "feed:ready", data: "{}" }]);
        signal.addEventListener("abort", () => resolve());
      }),
    });
    share.feed = feed;
    const lists: string[] = [], stop = new AbortController();
    let live = false;
    share.changes((changed) => lists.push(...changed), (to) => { live ||= to; }, stop.signal);
    await soon(() => expect(live).toBe(true));
    expect(lists).toHaveLength(of);
    stop.abort();
  }
});
