import { readFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";
import { errorTexts, tell, tellOf } from "./errors";
import { Failure, get, post } from "./http";

afterEach(() => { vi.unstubAllGlobals(); });

it("every error of the contract has a title and a next step", () => {
  const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const types = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((m) => m[1]!);
  expect(types.length).toBeGreaterThan(50);
  for (const type of types) {
    expect(errorTexts[type]?.[0], type).toBeTruthy();
    expect(errorTexts[type]?.[1], type).toBeTruthy();
  }
});

it("details are listed, and the operator's authority has its own next step", () => {
  const refused = tell(new Failure(400, "ATTACHMENT_FAILURE", "refused", "", { attachmentErrors: [{ path: "/a", code: "SYMLINK", reason: "a link" }] }));
  expect(refused.items).toEqual(["/a: SYMLINK: a link"]);
  const problems = (...all: string[]) => tell(new Failure(400, "INVALID_REQUEST", "targets has 4950 deliverables", "", { problems: all.map((message) => ({ field: "targets", message })) })).items;
  expect(problems("has 4950 deliverables")).toEqual([]); // the message says it already
  expect(problems("has 4950 deliverables", "are of two projects")).toEqual(["targets: are of two projects"]);
  expect(tell(new Failure(403, "FORBIDDEN", "no", "", { reason: "operator" })).next).toContain("belay open");
  expect(tell(new Failure(500, "NEW_TYPE", "strange", "look there")).next).toBe("look there");
});

it("what ended with the server's process is not called a failure of the provider", () => {
  for (const category of ["PROCESS_ENDED", "PANIC"]) expect(tellOf("SDK_FAILURE", "m", { category }).title).not.toContain("provider");
  expect(tellOf("SDK_FAILURE", "m", { category: "STREAM_TRUNCATED" }).title).toBe("The provider failed");
});

it("only what the page asks for is tried again by itself", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("lost")));
  const next = (request: Promise<unknown>) => request.then(() => "", (err: unknown) => tell(err).next);
  expect(await next(get("/x"))).toContain("tries again by itself");
  const action = await next(post("/x", {}));
  expect(action).not.toContain("by itself");
  expect(action).toContain("Do it again");
});
