import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { listingQuery } from "../project/queries";
import { moveDraft, strayDraft } from "./kept-draft";
import { registerQuery } from "./queries";
import RegisterView from "./register";

// The address and the size of the window are not there without a browser.
vi.mock("../../route", async (real) => ({ ...await real<object>(), useParam: () => "" }));
vi.mock("./grid", () => ({ Grid: () => null }));

let storage: Record<string, string>;
beforeEach(() => {
  storage = Object.create({
    getItem(name: string) { return storage[name] ?? null; },
    setItem(name: string, text: string) { storage[name] = text; },
    removeItem(name: string) { delete storage[name]; },
  });
  vi.stubGlobal("localStorage", storage);
});
afterEach(() => { vi.unstubAllGlobals(); });

const draft = JSON.stringify({ v: 1, is: { A: { Notes: { was: "x", now: "y" } } } });
const deliverable = (pkg: string, id = "DEL-01-01") => ({ id, pkg, key: `${pkg}::${id}`, path: `/p/${pkg}/${id}`, name: id });
const one = deliverable("PKG-01_A"), other = deliverable("PKG-02_B");

/** Whether the register of a deliverable shows changes that are not saved, in a project with these deliverables. */
function showsDraft(d: typeof one, all: readonly (typeof one)[]): boolean {
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false, staleTime: Infinity } } });
  client.setQueryData(registerQuery("/p", d.path).queryKey, { headers: ["DependencyID", "Notes"], rows: [{ DependencyID: "A", Notes: "x" }], findings: [], numbers: [2], tag: '"t"', summaryProblem: "", exists: true });
  client.setQueryData(listingQuery("/p").queryKey, { deliverables: all, truncated: false } as never);
  return drawn(RegisterView, { project: { id: "p", path: "/p" } as never, d: d as never }, client).html.includes("1 cell in 1 row changed, not saved");
}

it("a draft belongs to one deliverable, also where another one has its id", () => {
  storage[`belay.register.p.${one.key}`] = draft;
  expect(showsDraft(one, [one, other])).toBe(true);
  expect(showsDraft(other, [one, other])).toBe(false);
});

it("a draft that was kept by the id goes to the only deliverable of that id", () => {
  storage["belay.register.p.DEL-01-01"] = draft;
  expect(showsDraft(one, [one, other])).toBe(false);
  expect(Object.keys(storage)).toEqual(["belay.register.p.DEL-01-01"]);
  expect(showsDraft(one, [one, deliverable("PKG-01_A", "DEL-01-02")])).toBe(true);
  expect(Object.keys(storage)).toEqual([`belay.register.p.${one.key}`]);
});

it("a deliverable that moves to another package keeps its draft", () => {
  storage[`belay.register.p.${one.key}`] = draft;
  expect(showsDraft(other, [other])).toBe(true);
  expect(Object.keys(storage)).toEqual([`belay.register.p.${other.key}`]);
});

it("edits and added rows move together, and those of other projects and ids stay", () => {
  Object.assign(storage, { "belay.register.p.DEL-01-01": "edits", "belay.register.p.DEL-01-01.added": "rows", "belay.register.q.DEL-01-01": "q", "belay.register.p.DEL-01-011": "long" });
  moveDraft("p", strayDraft("p", one), one.key);
  expect(storage).toEqual({ [`belay.register.p.${one.key}`]: "edits", [`belay.register.p.${one.key}.added`]: "rows", "belay.register.q.DEL-01-01": "q", "belay.register.p.DEL-01-011": "long" });
  expect(strayDraft("p", one)).toBe("");
  expect(strayDraft("r", one)).toBe("");
});
