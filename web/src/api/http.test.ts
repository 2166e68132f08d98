import { afterEach, expect, it, vi } from "vitest";
import { Failure, get } from "./http";

afterEach(() => { vi.unstubAllGlobals(); });

it("knows how long an answer asks to wait", async () => {
  const waits = async (text?: string) => {
    vi.stubGlobal("fetch", async () => new Response("", { status: 429, ...(text === undefined ? {} : { headers: { "Retry-After": text } }) }));
    return get("/x").catch((err: Failure) => err.retryAfter);
  };
  expect(await waits("3")).toBe(3000);
  expect(await waits("86400")).toBe(60_000); // nobody waits that long before a page
  expect(await waits(new Date(Date.now() + 600_000).toUTCString())).toBe(60_000);
  for (const none of [undefined, "", "soon", "-1", new Date(0).toUTCString()]) expect(await waits(none)).toBe(0);
});
