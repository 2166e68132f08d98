import { expect, it, vi } from "vitest";
import { Failure } from "../api/http";
import { Feed } from "./store";

it("a session that was refused is followed anew when a person asks", () => {
  const signals: AbortSignal[] = [];
  let tell: (link: string, refused?: Failure) => void = () => undefined;
  const feed = new Feed("s", {
    whileVisible: (work: (signal: AbortSignal) => void) => { const c = new AbortController(); work(c.signal); return () => c.abort(); },
    follow: async (_id: string, _after: number, to: { onState: typeof tell }, signal: AbortSignal) => { signals.push(signal); tell = to.onState; },
    transcript: async () => [], soon: (act: () => void) => act(),
  } as never);
  const leave = feed.subscribe(() => undefined);
  tell("refused", new Failure(400, "WORKING_ROOT_INACCESSIBLE", "the folder is gone"));
  expect(feed.get()).toMatchObject({ link: "refused", refused: { type: "WORKING_ROOT_INACCESSIBLE" } });
  feed.retry();
  expect(signals.map((s) => s.aborted)).toEqual([true, false]);
  expect(feed.get().link).toBe("connecting");
  expect(feed.get().refused).toBeUndefined();
  leave();
  feed.retry(); // nobody looks at it
  expect(signals.map((s) => s.aborted)).toEqual([true, true]);
});

it("what was said is read, also where the visit before had not read it to its end", async () => {
  const asked: { signal: AbortSignal; fail: () => void }[] = [];
  const feed = new Feed("s", {
    whileVisible: (work: (signal: AbortSignal) => void) => { const c = new AbortController(); work(c.signal); return () => c.abort(); },
    follow: async () => undefined, soon: (act: () => void) => act(),
    transcript: (_: string, signal: AbortSignal) => new Promise((_done, fail) => { asked.push({ signal, fail: () => fail(new Error("aborted")) }); }),
  } as never);
  feed.subscribe(() => undefined)();
  feed.subscribe(() => undefined);
  asked[0]!.fail();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]!.signal.aborted).toBe(false);
});

it("that the server does not answer is said until it does", () => {
  let tell: (link: string) => void = () => undefined;
  const feed = new Feed("s", {
    whileVisible: (work: (signal: AbortSignal) => void) => { work(new AbortController().signal); return () => undefined; },
    follow: async (_id: string, _after: number, to: { onState: typeof tell }) => { tell = to.onState; }, transcript: async () => [], soon: (act: () => void) => act(),
  } as never);
  feed.subscribe(() => undefined);
  tell("lost");
  feed.fail(new Failure(0, "UNREACHABLE", "no answer"));
  tell("connecting");
  expect(feed.get().failure).toBeDefined();
  tell("live");
  expect(feed.get()).toMatchObject({ link: "live" });
  expect(feed.get().failure).toBeUndefined();
  tell("lost");
  feed.fail(new Failure(409, "TURN_IN_PROGRESS", "a turn runs"));
  tell("live");
  expect(feed.get().failure).toBeDefined(); // nothing answers that
});
