import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { errorTexts, tell } from "./errors";
import { Failure } from "./http";

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
  expect(tell(new Failure(403, "FORBIDDEN", "no", "", { reason: "operator" })).next).toContain("belay open");
  expect(tell(new Failure(500, "NEW_TYPE", "strange", "look there")).next).toBe("look there");
});
