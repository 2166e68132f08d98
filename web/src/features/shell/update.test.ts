import { expect, it } from "vitest";
import { scriptOf } from "./update";

it("finds the script of an index page", () => {
  expect(scriptOf('<script type="module" crossorigin src="/assets/index-R8Cn_Ila.js"></script>')).toBe("/assets/index-R8Cn_Ila.js");
  expect(scriptOf("<p>down for maintenance</p>")).toBe("");
});
