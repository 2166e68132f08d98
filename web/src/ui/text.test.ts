import { describe, expect, it } from "vitest";
import { validDraft } from "../features/workbench/drafts";
import { selectable } from "../features/workbench/options";
import { blocksOf } from "./blocks";
import { pairsOf } from "./diff-lines";
import { parseDiff } from "./diff-parse";
import { ago, bytes, duration, plain } from "./format";

describe("a diff", () => {
  it("is read with its numbers, new and removed files, and lines that look like headers", () => {
    const files = parseDiff("--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n same\n--- a\n+-- b\n end\n--- /dev/null\n+++ b/new dir/n\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n");
    expect(files.map((f) => [f.path, f.state, f.added, f.removed])).toEqual([["x", "changed", 1, 1], ["new dir/n", "new", 1, 0], ["gone", "gone", 0, 1]]);
    expect(files[0]!.hunks[0]!.map((l) => [l.kind, l.text, l.old, l.new])).toEqual([
      ["same", "same", 3, 3], ["del", "-- a", 4, undefined], ["add", "-- b", undefined, 4], ["same", "end", 5, 5],
    ]);
    expect(files[1]!.hunks[0]!.at(-1)).toEqual({ kind: "note", text: "\\ No newline at end of file" });
  });

  it("marks what differs in lines that replace each other", () => {
    const [file] = parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-D0,0.0,3.40\n+D0,0.0,3.45\n");
    expect(file!.hunks[0]!.map((l) => l.text.slice(...l.mark!))).toEqual(["0", "5"]);
  });

  it("survives any text", () => {
    for (const text of ["", "\n", "--- a\n", "@@ -1 +1 @@\n", "Binary files differ\n", "--- a/x\n+++ b/x\n@@ -1,99 +1 @@\n-x"]) expect(() => parseDiff(text)).not.toThrow();
  });
});

describe("growing Markdown", () => {
  it("is cut only where a block has ended", () => {
    expect(blocksOf("a\n\nb\n\n- c\n\n- d\n\n  e\n\nf")).toEqual(["a\n", "b\n\n- c\n\n- d\n\n  e\n", "f"]);
    expect(blocksOf("```\na\n\nb\n```\n\nc")).toEqual(["```\na\n\nb\n```\n", "c"]);
    expect(blocksOf("````\n```\n\nx\n````\n\ny")).toEqual(["````\n```\n\nx\n````\n", "y"]);
  });

  it("keeps every character", () => {
    const text = "# a\n\n1. x\n\n   y\n~~~\n\n\nz";
    expect(blocksOf(text).join("\n")).toBe(text);
  });
});

it("drafts that have no right form are left out", () => {
  const file = { id: "1", name: "a", bytes: 1, state: "ready", path: "/a", sha256: "x" };
  expect(validDraft(JSON.stringify({ text: "t", files: [file, null, 7, { ...file, path: 1 }, { ...file, state: "busy" }] }))).toEqual({ text: "t", files: [file] });
  for (const bad of [null, "", "null", "7", "{", '{"text":1,"files":{}}']) expect(validDraft(bad)).toEqual({ text: "", files: [] });
});

it("the workbench offers the personas of the matrix; without any, all but those of class TASK", () => {
  const personas = ["TASK", "ENGINEER", "CHANGE", "HELP", "WORKING_ITEMS"].map((id) => ({ id, class: id === "TASK" ? "TASK" : "PERSONA" }));
  const ids = (of: typeof personas) => selectable(of).map((p) => p.id);
  expect(ids(personas)).toEqual(["HELP", "WORKING_ITEMS", "CHANGE"]);
  expect(ids(personas.filter((p) => !["HELP", "WORKING_ITEMS", "CHANGE"].includes(p.id)))).toEqual(["ENGINEER"]);
});

it("numbers and times are short", () => {
  expect([bytes(7), bytes(2048), bytes(3 << 20)]).toEqual(["7 B", "2.0 KiB", "3.0 MiB"]);
  expect([duration(5), duration(1500), duration(61_000)]).toEqual(["5 ms", "1.5 s", "1 min 1 s"]);
  expect(ago("2026-01-01T00:00:00Z", Date.parse("2026-01-01T03:10:00Z"))).toBe("3 h");
  expect(plain("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x")).toBe("red x");
});

it("lines that replace each other stand beside each other", () => {
  const [file] = parseDiff("--- a/n\n+++ b/n\n@@ -1,4 +1,3 @@\n same\n-one\n-two\n+eins\n last\n");
  expect(pairsOf(file!.hunks[0]!).map(({ left, right }) => `${left?.text ?? ""}|${right?.text ?? ""}`)).toEqual(["same|same", "one|eins", "two|", "last|last"]);
});
