import { afterEach, expect, it, vi } from "vitest";
import { newQueryClient } from "../../query-client";
import { RequestKey } from "../../api/request-key";
import { drawn } from "../../ui/drawn.test-helper";
import { PreviewSheet } from "./preview";

// A dialog is drawn into the document, which is not there.
vi.mock("../../ui/parts", async (real) => ({ ...await real<object>(), Sheet: () => null }));
vi.mock("../../route", async (real) => ({ ...await real<object>(), navigate: () => undefined }));

afterEach(() => { vi.unstubAllGlobals(); });

it("starts the same again under its key after the sheet was closed and opened", async () => {
  const keys = new RequestKey(), sent: string[] = [];
  let answer: Response | Error = new TypeError("lost");
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    sent.push(new Headers(init.headers).get("Idempotency-Key")!);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  /** Opens the sheet on a selection and starts it. */
  const start = async (type: string) => {
    const client = newQueryClient(), project = { id: "p", path: "/p" } as never;
    const { elements } = drawn(PreviewSheet, { project, body: { projectRoot: "/p", category: "TASK", type } as never, keys, onAcceptEdits: () => undefined, onStarted: () => undefined, onClose: () => undefined }, client);
    const footer = elements[0]!.props.footer.props.children as { props: { id?: string; onClick(): void } }[];
    footer.find((e) => e.props.id === "start-pipeline")!.props.onClick();
    await vi.waitFor(() => expect(client.isMutating()).toBe(0), { timeout: 240_000 });
  };
  await start("TASK");
  answer = new Response("<h1>Bad gateway</h1>", { status: 502 });
  await start("TASK");
  await start("SCOPE");
  expect(sent).toHaveLength(3);
  expect(sent[1]).toBe(sent[0]);
  expect(sent[2]).not.toBe(sent[0]);
});
