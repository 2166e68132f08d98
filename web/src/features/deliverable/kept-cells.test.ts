import { beforeEach, expect, it } from "vitest";
import { emptyStorage, fill } from "../../ui/storage.test-helper";
import { type Edits, validEdits } from "./edits";
import { KeptCells, keptEdits, moveDraft, strayDraft } from "./kept-draft";

let kept: Record<string, string>;
beforeEach(() => { kept = emptyStorage(); });

const edit = (now: string) => ({ was: "a", now });

/** What a tab does: it changes what it has, and keeps it with what others have changed. */
class Tab {
  private readonly cells = new KeptCells<Edits>("r", validEdits);
  own: Edits = this.cells.base;
  hear(): void { this.own = this.cells.merged(this.own); }
  set(own: Edits): void {
    const all = this.cells.merged(own);
    this.cells.keep(all);
    this.own = all;
  }
}

const stored = () => (kept.r ? (JSON.parse(kept.r) as { is: Edits }).is : {});

it("two tabs keep the cells of both, also before they hear of each other", () => {
  const a = new Tab(), b = new Tab();
  a.set({ A: { Statement: edit("an hour of words") } });
  b.set({ A: { Notes: edit("z") } });
  expect(stored()).toEqual({ A: { Statement: edit("an hour of words"), Notes: edit("z") } });
  a.hear();
  expect(a.own).toEqual(stored());
  // Each takes back what it changes itself, and nothing else.
  a.set({ A: { Notes: edit("z") } });
  b.set({ A: { Statement: edit("an hour of words"), Notes: edit("y") } });
  expect(stored()).toEqual({ A: { Notes: edit("y") } });
  b.set({});
  a.hear();
  expect([a.own, stored()]).toEqual([{}, {}]);
});

it("of the same cell the last one holds, and nothing changes where nothing was changed", () => {
  const a = new Tab(), b = new Tab();
  a.set({ A: { Notes: edit("a") } });
  b.set({ A: { Notes: edit("b") } });
  a.hear();
  expect(stored()).toEqual({ A: { Notes: edit("b") } });
  const before = b.own;
  b.hear();
  expect(b.own).toBe(before);
});

it("cells that are removed, or find no room, are gone in no tab", () => {
  const a = new Tab(), b = new Tab(), x = { A: { Notes: edit("x") } }, long = { A: { Notes: edit("long".repeat(50)) }, B: { Notes: edit("b") } };
  b.set(x);
  a.hear();
  fill(kept, 150);
  a.set(long);
  b.hear();
  expect([a.own, b.own, stored()]).toEqual([long, x, x]);
  b.set({ ...x, C: { Notes: edit("c") } });
  a.hear();
  expect(a.own).toEqual({ ...long, C: { Notes: edit("c") } });
  a.set({ A: long.A, C: { Notes: edit("c") } }); // what had no room can be taken back
  expect(a.own).toEqual({ A: long.A, C: { Notes: edit("c") } });
  delete kept.r;
  b.hear();
  expect(b.own).toEqual({ ...x, C: { Notes: edit("c") } });
  new Tab().set({ D: { Notes: edit("d") } });
  b.hear();
  expect(b.own).toEqual({ ...x, C: { Notes: edit("c") }, D: { Notes: edit("d") } });
});

it("a draft that was discarded is none, and gives its name to no other deliverable", () => {
  const was = { id: "D", key: "P::D" }, is = { id: "D", key: "Q::D" };
  const of = ({ key }: typeof was) => new KeptCells<Edits>(keptEdits("p", key), validEdits);
  of(was).keep({ A: { Notes: edit("x") } });
  expect(strayDraft("p", is)).toBe(was.key);
  of(was).keep({});
  expect(strayDraft("p", is)).toBe("");
  of(was).keep({ A: { Notes: edit("x") } });
  of(is).keep({ A: { Notes: edit("y") } });
  of(is).keep({});
  moveDraft("p", strayDraft("p", is), is.key);
  expect(of(is).base).toEqual({ A: { Notes: edit("x") } });
});

it("a full storage takes no cells away", () => {
  Object.getPrototypeOf(kept).setItem = () => { throw new Error("full"); };
  const a = new Tab();
  a.set({ A: { Notes: edit("a") } });
  a.hear();
  a.set({ ...a.own, B: { Notes: edit("b") } });
  expect(a.own).toEqual({ A: { Notes: edit("a") }, B: { Notes: edit("b") } });
});
