import { MutationObserver, onlineManager } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { newQueryClient } from "./query-client";

afterEach(() => onlineManager.setOnline(true));

it("asks and acts at once where the browser says that it is offline", async () => {
  onlineManager.setOnline(false);
  const client = newQueryClient();
  const act = vi.fn(() => Promise.resolve("done")), ask = vi.fn(() => Promise.resolve("known"));
  const action = new MutationObserver(client, { mutationFn: act });
  void action.mutate();
  void client.prefetchQuery({ queryKey: ["a"], queryFn: ask });
  await vi.waitFor(() => expect([action.getCurrentResult().data, client.getQueryData(["a"])]).toEqual(["done", "known"]), { timeout: 240_000 });
  onlineManager.setOnline(true);
  await client.resumePausedMutations();
  expect([act.mock.calls.length, ask.mock.calls.length]).toEqual([1, 1]);
});

it("asks again for what is shown when the network is back", () => {
  const client = newQueryClient();
  expect(client.defaultQueryOptions({ queryKey: ["a"] }).refetchOnReconnect).toBe(true);
});
