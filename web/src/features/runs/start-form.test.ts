import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { RequestKey } from "../../api/request-key";
import { drawn } from "../../ui/drawn.test-helper";
import { StartForm } from "./start-form";

vi.mock("../../route", async (real) => ({ ...await real<object>(), navigate: () => undefined }));

const schema = { type: "object", properties: { name: { type: "string" } } };
const form = (path: string, client = new QueryClient()) => drawn(StartForm, { project: { id: "p", path: "/p" } as never, path, schema, keys: new RequestKey() }, client);

it("what was typed stays while the file is wrong for a moment, until it is started", async () => {
  const first = form("w.yaml");
  first.elements.find((e) => e.props.field?.name === "name")!.props.onChange("long text");
  first.elements.find((e) => e.props.name === "mode")!.props.onChange({ target: { value: "plan" } });
  // The form is drawn anew, as after the file was invalid.
  const client = new QueryClient(), { html, elements } = form("w.yaml", client);
  expect(html).toContain("long text");
  expect(elements.find((e) => e.props.name === "mode")!.props.value).toBe("plan");
  expect(form("other.yaml").html).not.toContain("long text");
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ id: "r" })));
  elements.find((e) => e.props.id === "start-run")!.props.onClick();
  await vi.waitFor(() => expect(client.isMutating()).toBe(0));
  expect(form("w.yaml").html).not.toContain("long text");
});
