import { expect, it } from "vitest";
import { drawn } from "../../ui/drawn.test-helper";
import { FolderView } from "./folder-view";

it("a folder links to what is in it, by paths of the project", () => {
  const entry = (name: string, kind: string) => ({ name, kind, path: `/home/p/docs/${name}` });
  const shown = (children: ReturnType<typeof entry>[], total?: number) =>
    drawn(FolderView, { path: "docs", linkOf: (path: string) => `/files?path=${path}`, folder: { ...entry("docs", "directory"), children, ...(total ? { total } : {}) } }).html;
  expect(shown([entry("a", "directory"), entry("b.md", "file")])).toMatch(/A folder with 2 entries.*href="\/files\?path=docs\/a".*href="\/files\?path=docs\/b\.md"/);
  expect(shown([entry("a", "directory")], 900)).toMatch(/A folder with 900 entries.*899 more entries/);
  expect(shown([])).toContain("This folder is empty.");
});
