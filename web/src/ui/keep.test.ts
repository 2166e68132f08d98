import { readdirSync, readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { newSessionLink } from "../route";
import { clear, forgetAll, keepRoot, lastRoot, read, write } from "./keep";
import { emptyStorage, fill } from "./storage.test-helper";

/** Another tab has a storage of its own beside the one of all. */
function tab() {
  const all = globalThis.localStorage;
  emptyStorage();
  const own = globalThis.localStorage;
  vi.stubGlobal("localStorage", all);
  return () => { vi.stubGlobal("sessionStorage", own); };
}

it("a tab stays with its project when another one is opened elsewhere", () => {
  emptyStorage();
  const one = tab(), two = tab(), fresh = tab();
  one();
  keepRoot("/projects/X");
  two();
  expect(lastRoot()).toBe("/projects/X");
  keepRoot("/projects/Y");
  one();
  expect(lastRoot()).toBe("/projects/X");
  fresh();
  expect(lastRoot()).toBe("/projects/Y");
  two();
  forgetAll();
  expect(lastRoot()).toBe("");
});

it("what finds no room leaves what was kept before, but nothing that was cleared", () => {
  const kept = emptyStorage();
  clear("a", "{}");
  expect(kept).toEqual({});
  expect(write("a", "one")).toBe(true);
  fill(kept, 3);
  expect([write("a", "longer"), read("a")]).toEqual([false, "one"]);
  clear("a", "{}");
  expect(read("a")).toBe("{}");
  fill(kept);
  clear("a", "{}");
  expect(read("a")).toBe(null);
});

it("every link to a new session names its project", () => {
  expect(newSessionLink("/projects/a b", "HELP")).toBe("/?new=1&persona=HELP&root=%2Fprojects%2Fa+b");
  const src = new URL("../", import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((name) => readFileSync(new URL(name, src), "utf8").includes("?new=1"))).toEqual([]);
});
