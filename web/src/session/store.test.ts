import { expect, it } from "vitest";
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
