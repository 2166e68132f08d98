import { expect, test } from "vitest";
import { changeOf } from "./project-events";

test("a change names what changed, or says that anything may have", () => {
  expect(changeOf({ paths: ["a.md"] })).toEqual({ paths: ["a.md"], all: false, proposals: false });
  expect(changeOf({ paths: ["a.md"], more: true })).toEqual({ paths: ["a.md"], all: true, proposals: false });
  expect(changeOf({ paths: [], proposals: true })).toEqual({ paths: [], all: false, proposals: true });
  expect(changeOf({ paths: [] })).toEqual({ paths: [], all: true, proposals: false });
  expect(changeOf(undefined)).toEqual({ paths: [], all: true, proposals: false });
});
