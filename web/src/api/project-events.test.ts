import { afterEach, expect, test, vi } from "vitest";
import { changeOf, followProject } from "./project-events";

test("a change names what changed, or says that anything may have", () => {
  expect(changeOf({ paths: ["a.md"] })).toEqual({ paths: ["a.md"], all: false, proposals: false });
  expect(changeOf({ paths: ["a.md"], more: true })).toEqual({ paths: ["a.md"], all: true, proposals: false });
  expect(changeOf({ paths: [], proposals: true })).toEqual({ paths: [], all: false, proposals: true });
  expect(changeOf({ paths: [] })).toEqual({ paths: [], all: true, proposals: false });
  expect(changeOf(undefined)).toEqual({ paths: [], all: true, proposals: false });
});

afterEach(() => { vi.useRealTimers(); vi.unstubAllGlobals(); });

/** How many requests a minute has for a project whose answers these are, in their order, and what the page says. */
async function minute(answers: readonly [status: number, body: string][]): Promise<{ asked: number; live: boolean[] }> {
  vi.useFakeTimers();
  vi.stubGlobal("BroadcastChannel", undefined); // this tab reads by itself
  let asked = 0;
  vi.stubGlobal("fetch", async () => {
    const [status, body] = answers[Math.min(asked++, answers.length - 1)]!;
    return new Response(body, { status });
  });
  const live: boolean[] = [], stop = new AbortController();
  followProject("p1", { onChange: () => undefined, onLive: (is) => live.push(is) }, stop.signal);
  await vi.advanceTimersByTimeAsync(60_000);
  stop.abort();
  return { asked, live };
}

const refusal = (type: string) => JSON.stringify({ error: { type, message: "no" } });
const ready = 'event: project:ready\ndata: {"version":1,"watch":"events"}\n\n';

test.each([[401, "UNAUTHORIZED"], [403, "FORBIDDEN"], [404, "SOMETHING_ELSE"]])("a browser that is refused with %i asks again, slowly, until it is let in", async (status, type) => {
  const { asked } = await minute([[status, refusal(type)]]);
  expect(asked).toBeGreaterThan(1);
  expect(asked).toBeLessThan(6);
  expect((await minute([[status, refusal(type)], [200, ready]])).live).toContain(true);
});

test.each([[404, "NOT_FOUND"], [409, "WORKING_ROOT_INACCESSIBLE"], [400, "INVALID_PROJECT_ROOT"]])("a project that is gone is not asked for again: %i %s", async (status, type) => {
  expect((await minute([[status, refusal(type)]])).asked).toBe(1);
});

test("a refusal that passes is soon followed by another try", async () => {
  for (const status of [408, 425, 429]) expect((await minute([[status, ""]])).asked).toBeGreaterThan(6);
});
