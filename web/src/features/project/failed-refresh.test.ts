import { readdirSync, readFileSync } from "node:fs";
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { type ComponentType, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { Failure } from "../../api/http";
import { BatchView } from "../pipeline/batch";
import Workflows from "../runs/workflows";
import { FirstRun } from "./first-run";
import { projectKey } from "./live";
import Project from "./project";

// The address is not there without a browser, and the parts of a project come late.
vi.mock("../../route", async (real) => ({ ...await real<object>(), useParam: () => "" }));
vi.mock("../../ui/later", () => ({ later: () => Object.assign(() => "THE VIEW", { preload: () => undefined }) }));
vi.mock("./switcher", () => ({ Switcher: () => null }));
vi.mock("./making", () => ({ TryExample: () => "THE EXAMPLE", ScaffoldButton: () => null }));

vi.stubGlobal("document", { hidden: false });

const project = { id: "p1", path: "/p", name: "p", exists: true };

/** What a component draws when a query has this data, or none, and its last refresh failed. */
async function drawn<P extends object>(component: ComponentType<P>, props: P, known: readonly (readonly [QueryKey, unknown])[]): Promise<string> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false } } });
  for (const [queryKey, data] of known) {
    if (data !== undefined) client.setQueryData(queryKey, data, { updatedAt: 1 });
    await client.fetchQuery({ queryKey, queryFn: () => Promise.reject(new Failure(0, "UNREACHABLE", "no way")) }).catch(() => undefined);
  }
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(component, props)));
}

const failure = "The server does not answer";

describe("a failed refresh", () => {
  it("of the projects leaves the view of a project", async () => {
    const props = { id: "p1", part: "" as const, item: "" };
    const html = await drawn(Project, props, [[["projects"], [project]]]);
    expect(html).toContain("THE VIEW");
    expect(html).toContain(failure);
    expect(await drawn(Project, props, [[["projects"], undefined]])).toContain(failure);
  });

  it("of a start leaves its sessions", async () => {
    const batch = { batch: { id: "b", type: "PREPARATION", of: 1, live: true }, sessions: [{ sessionId: "s1", title: "THE SESSION", turns: 0 }] };
    const html = await drawn(BatchView, { project, id: "b" } as never, [[["sessions", "batch", "/p", "b"], batch]]);
    expect(html).toContain("THE SESSION");
    expect(html).toContain(failure);
  });

  it("of runs leaves the runs", async () => {
    const html = await drawn(Workflows, { project, item: "" } as never, [[projectKey("/p", "workflows"), { workflows: [] }], [["active", "all runs", "/p"], [{ id: "r1", workflow: "THE RUN", status: "success", startedAt: "2026-01-01T00:00:00Z" }]]]);
    expect(html).toContain("THE RUN");
    expect(html.split(failure)).toHaveLength(3);
  });

  it("of sessions leaves what a first visit is offered", async () => {
    expect(await drawn(FirstRun, {}, [[["sessions", "*", "", ""], { pages: [{ sessions: [], total: 0 }], pageParams: [""] }]])).toContain("THE EXAMPLE");
  });

  it("hides nowhere what is known: no view ends with an error alone", () => {
    const src = new URL("../../", import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"));
    expect(files.length).toBeGreaterThan(50);
    const wrong = files.filter((name) => /if \([\w.]*\berror\) return [^;]*<ErrorNotice/.test(readFileSync(new URL(name, src), "utf8")));
    expect(wrong).toEqual([]);
  });
});
