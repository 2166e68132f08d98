import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// The policy of package page forbids innerHTML; Markdown that used it would be shown as plain text.
it("builds Markdown without innerHTML", () => {
  const assets = new URL("../../dist/assets/", import.meta.url);
  const markdown = readdirSync(assets).filter((name) => /^markdown-block-.*\.js$/.test(name));
  expect(markdown).toHaveLength(1);
  expect(readFileSync(new URL(markdown[0]!, assets), "utf8")).not.toContain("innerHTML");
});
