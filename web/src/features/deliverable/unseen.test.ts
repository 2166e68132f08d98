import { expect, it, vi } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { Conflicts } from "./conflicts";
import { Evidence } from "./evidence";
import { Approval } from "./transition";

const trick = "a\u202eb\u200b", shown = "a&lt;U+202E&gt;b&lt;U+200B&gt;";

vi.mock("./source", () => ({ Source: () => null }));

it("a conflict and a commit to approve show what is not seen", () => {
  const conflict = { key: trick, column: trick, was: trick, now: trick, theirs: trick, gone: false };
  const none = () => undefined;
  const conflicts = drawn(Conflicts, { conflicts: [conflict], taken: [{ key: "+1", id: "D", statement: trick }], onDecide: none, onRenumber: none, onDrop: none }).html.replace(/ data-column="[^"]*"/, "");
  const commit = { sha: "0123456789ab", subject: trick, author: trick, date: "2026-01-01T00:00:00Z" };
  const approval = drawn(Approval, { d: { id: "D" }, commits: { commits: [commit], uncommitted: [{ path: trick, kind: "changed" }] }, error: undefined, sha: "", onSha: none } as never).html;
  expect([conflicts, approval].map((html) => html.split(shown).length - 1)).toEqual([6, 3]);
  expect(conflicts + approval).not.toMatch(/[\u202e\u200b]/);
});

it("the evidence of a row shows what is not seen in its files and places", () => {
  const d = { projectRoot: "/p", relativePath: "d", documents: [] };
  const { html } = drawn(Evidence, { d: d as never, cited: { file: `x.md; ${trick}`, ref: trick, quote: "", location: "" } });
  expect(html.split(shown).length - 1).toBe(2);
  const alone = drawn(Evidence, { d: d as never, cited: { file: trick, ref: "", quote: "", location: "" } }).html;
  expect(alone.split(shown).length - 1).toBe(1);
  expect(html + alone).not.toMatch(/[\u202e\u200b]/);
});
