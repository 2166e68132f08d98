import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../api/files";
import { above, kindOf, shownName } from "./names";
import { pollEvery, type Page, Refresher, settleTime } from "./refresh";
import { countLines, linesOf, wholeLines } from "./text-lines";
import { depthAhead, Tree } from "./tree";

describe("names", () => {
  it("show what nobody sees", () => expect(shownName("a\u202egpj\u200b.md")).toBe("a[202E]gpj[200B].md"));
  it("have folders above them", () => expect(above("a/b/c.md")).toEqual(["a", "a/b"]));
  it("do not decide what a file is", () => {
    expect(kindOf("x.md", "application/octet-stream")).toBe("binary");
    expect(kindOf("x.md", "text/plain")).toBe("markdown");
    expect(kindOf("x.pdf", "application/octet-stream")).toBe("pdf");
    expect(kindOf("x.png", "text/plain")).toBe("text");
    expect(kindOf("x.txt", "image/png")).toBe("picture");
  });
});

describe("text", () => {
  it("has lines of every kind", () => expect(linesOf("a\r\nb\nc\rd\n")).toEqual(["a", "b", "c", "d"]));
  it("is cut at lines", () => {
    const data = new TextEncoder().encode("end\nwhole\nbegin");
    expect(wholeLines(data, false, false)).toEqual({ text: "whole\n", skipped: 4, left: 5 });
    expect(wholeLines(data, true, true).text).toBe("end\nwhole\nbegin");
    expect(wholeLines(new TextEncoder().encode("é").subarray(1), false, true).text).toBe("");
  });
  it("is counted up to a line", () => expect(countLines(new TextEncoder().encode("a\nb\nc\n"), 2)).toEqual({ lines: 2, end: 4 }));
});

/** A page whose time the test decides. */
class Clock implements Page {
  time = 0;
  unseen = false;
  private due: { at: number; act: () => void }[] = [];
  hidden = () => this.unseen;
  now = () => this.time;
  later = (act: () => void, ms: number) => {
    const one = { at: this.time + ms, act };
    this.due.push(one);
    return () => { this.due = this.due.filter((d) => d !== one); };
  };
  pass(ms: number): void {
    this.time += ms;
    const now = this.due.filter((d) => d.at <= this.time);
    this.due = this.due.filter((d) => d.at > this.time);
    for (const d of now) d.act();
  }
}

// Notes of the original, spec 9.8: depth 3, poll 15 s, debounce 350 ms, refresh on focus and when seen, no polling while hidden.
describe("FileTreeRefresh_9_8", () => {
  const made = () => {
    const clock = new Clock(), seen: (string[] | "all")[] = [];
    return { clock, seen, refresher: new Refresher((paths) => seen.push(paths === "all" ? "all" : [...paths]), clock) };
  };
  it("has the original's numbers", () => expect([depthAhead, pollEvery, settleTime]).toEqual([3, 15_000, 350]));
  it("passes the first change on at once and gathers those that follow", () => {
    const { clock, seen, refresher } = made();
    refresher.changed(["a"]);
    refresher.changed(["b"]);
    refresher.changed(["c", "b"]);
    expect(seen).toEqual([["a"]]);
    clock.pass(349);
    expect(seen).toHaveLength(1);
    clock.pass(1);
    expect(seen).toEqual([["a"], ["b", "c"]]);
  });
  it("polls only where no events come and somebody looks", () => {
    const { clock, seen, refresher } = made();
    refresher.tick();
    expect(seen).toEqual(["all"]);
    clock.pass(pollEvery);
    clock.unseen = true;
    refresher.tick();
    expect(seen).toHaveLength(1);
    clock.unseen = false;
    refresher.setLive(true);
    clock.pass(pollEvery);
    refresher.tick();
    expect(seen).toHaveLength(1);
    refresher.setLive(false);
    refresher.tick();
    expect(seen).toHaveLength(2);
  });
  it("reads again when it is seen", () => {
    const { seen, refresher } = made();
    refresher.setLive(true);
    refresher.seen();
    expect(seen).toEqual(["all"]);
  });
});

/** Lets everything happen that waits for nothing else. */
const settle = () => new Promise((resolve) => { setTimeout(resolve); });

describe("tree", () => {
  const folder = (name: string, children?: TreeNode[], more: Partial<TreeNode> = {}): TreeNode => ({ name, path: name, kind: "directory", ...(children ? { children } : {}), ...more });
  const file = (name: string): TreeNode => ({ name, path: name, kind: "file" });

  it("reads what is open, reads ahead, and forgets what is gone", async () => {
    const asked: string[] = [];
    let top = folder("", [folder("a", [file("x")]), file("f")]);
    const tree = new Tree("/p", async (path, depth) => { asked.push(`${path}:${depth}`); return path === "" ? top : folder("a", [file("x"), file("y")]); });
    await tree.load("", depthAhead);
    tree.toggle("a");
    expect(tree.get().map((r) => r.path)).toEqual(["a", "a/x", "f"]);
    expect(asked).toEqual([":3"]);
    tree.refresh(new Set(["a/y"]));
    await Promise.resolve();
    await Promise.resolve();
    expect(tree.get().map((r) => r.path)).toEqual(["a", "a/x", "a/y", "f"]);
    top = folder("", [file("f")]);
    await tree.load("");
    expect(tree.get().map((r) => r.path)).toEqual(["f"]);
  });

  it("reads a closed folder anew when anything may have changed, with what is open in it", async () => {
    const inside: Record<string, TreeNode[]> = { a: [folder("b")], "a/b": [folder("c")], "a/b/c": [folder("d")], "a/b/c/d": [file("old")] };
    // The root is read three levels deep, so what lies in a/b/c is not read with it.
    const top = folder("", [folder("a", [folder("b", [folder("c")])])]);
    const tree = new Tree("/p", async (path) => (path === "" ? top : folder(path, inside[path])));
    await tree.load("", depthAhead);
    for (const path of ["a", "a/b", "a/b/c", "a/b/c/d"]) tree.toggle(path);
    await settle();
    expect(tree.get().at(-1)?.path).toBe("a/b/c/d/old");
    tree.toggle("a/b/c");
    inside["a/b/c"] = [folder("d"), file("new")];
    inside["a/b/c/d"] = [file("new")];
    tree.refresh("all");
    await settle();
    tree.toggle("a/b/c");
    await settle();
    expect(tree.get().map((r) => r.path)).toEqual(["a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/new", "a/b/c/new"]);
  });

  it("does not keep what was read of a folder before anything may have changed", async () => {
    const answers: ((node: TreeNode) => void)[] = [];
    const tree = new Tree("/p", (path) => (path === "" ? Promise.resolve(folder("", [folder("a", [], { truncated: true, total: 61 })])) : new Promise((resolve) => answers.push(resolve))));
    await tree.load("");
    tree.toggle("a");
    tree.toggle("a"); // closed before it was read
    tree.refresh("all");
    answers.shift()!(folder("a", [file("old")]));
    await settle();
    answers.shift()!(folder("a", [file("new")]));
    await settle();
    tree.toggle("a");
    expect(tree.get().map((r) => r.path)).toEqual(["a", "a/new"]);
  });

  it("reads large folders page by page", async () => {
    const tree = new Tree("/p", async (_path, _depth, offset) => (offset === 0 ? folder("", [file("a")], { truncated: true, total: 2, next: 1 }) : folder("", [file("b")], { truncated: true, total: 2 })));
    await tree.load("");
    expect(tree.get().at(-1)?.more).toEqual({ shown: 1, total: 2 });
    await tree.more("");
    expect(tree.get().map((r) => r.path)).toEqual(["a", "b"]);
  });

  it("does not take a folder that cannot be read for an empty one", async () => {
    const tree = new Tree("/p", async (path) => (path === "" ? folder("", [folder("a", undefined, { truncated: true }), folder("b")]) : folder(path, undefined, { truncated: path === "a" })));
    await tree.load("", depthAhead);
    tree.toggle("a");
    tree.toggle("b");
    await settle();
    expect(tree.get().map((r) => [r.path, r.state])).toEqual([["a", "failed"], ["b", "ready"]]);
    const shut = new Tree("/p", async () => folder("", undefined, { truncated: true }));
    await shut.load("");
    expect(shut.top().state).toBe("failed");
  });

  it("reads the next page after the one that is under way, and none unasked", async () => {
    const names = ["a", "b", "c", "d"], asked: number[] = [];
    const tree = new Tree("/p", async (_path, _depth, offset) => { asked.push(offset); return folder("", [file(names[offset]!)], { truncated: true, total: 4, next: offset + 1 }); });
    await tree.load("");
    await Promise.all([tree.more(""), tree.more("")]); // the second press comes while the first is answered
    expect(tree.get().map((r) => r.name || "more")).toEqual(["a", "b", "c", "more"]);
    asked.length = 0;
    await tree.load("");
    expect(asked).toEqual([0]);
  });

  it("asks for no more where that fails", async () => {
    let asked = 0;
    const tree = new Tree("/p", async () => { if (++asked > 1) throw new Error("gone"); return folder("", [file("a")], { truncated: true, total: 3, next: 1 }); });
    await tree.load("");
    await Promise.all([tree.more(""), tree.more("")]);
    expect(asked).toBe(2);
  });

  it("keeps what it has when the project cannot be read", async () => {
    let fails = false;
    const tree = new Tree("/p", async () => { if (fails) throw new Error("gone"); return folder("", [file("a")]); });
    await tree.load("");
    fails = true;
    await tree.load("");
    expect(tree.top().state).toBe("failed");
    expect(tree.get().map((r) => r.path)).toEqual(["a"]);
  });
});
