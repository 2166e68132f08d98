import { expect, it } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { CheckedFile } from "./checked";

it("characters that turn a line of a workflow around are shown by their number", () => {
  const checked = { valid: false, text: "message: \"\u202elive\"", problems: [{ line: 1, column: 1, message: "no \u202efield" }] };
  const { html } = drawn(CheckedFile, { checked: checked as unknown as Parameters<typeof CheckedFile>[0]["checked"] });
  expect(html).not.toContain("\u202e");
  expect(html.match(/202E/g)).toHaveLength(2);
});
