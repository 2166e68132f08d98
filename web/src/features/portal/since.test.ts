import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, test, vi } from "vitest";
import type { Project } from "../../api/types";
import { drawn } from "../../ui/drawn.test-helper";
import { projectKey } from "../project/live";
import { looked, visitNow } from "./last-visit";
import { Since } from "./since";

const project = { id: "p1", path: "/p" } as Project;
const hour = 3_600_000, before = new Date(Date.now() - hour).toISOString(), newest = new Date(Date.now() - hour / 2).toISOString();

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, text: string) => { kept.set(name, text); } });
  looked(project.id, Date.parse(before));
});

/** The list of a visit whose one happening is known. */
function shown() {
  const client = new QueryClient();
  client.setQueryData(projectKey("/p", "activity", before), { pages: [{ asked: 1, total: 1, happenings: [{ id: "1", at: newest, kind: "run", what: "w", status: "success" }] }], pageParams: [""] });
  return drawn(Since, { project }, client);
}

test("seen is what was shown, by the server's time, and nothing later", () => {
  const { html, elements } = shown();
  expect(html).toContain("Run done:");
  elements.find((e) => e.props.id === "seen-all")!.props.onClick();
  expect(visitNow(project.id).before).toBe(newest);
});

test("who leaves before anything is shown has seen nothing", () => {
  shown();
  expect(visitNow(project.id).before).toBe(before);
  looked(project.id, Date.now());
  expect(visitNow(project.id)).toMatchObject({ before });
});
