import { beforeEach, expect, it, vi } from "vitest";
import { keptElsewhere } from "../../ui/keep";
import { emptyStorage, fill } from "../../ui/storage.test-helper";
import { Draft } from "./drafts";

let kept: Record<string, string>;
beforeEach(() => { kept = emptyStorage(); });

it("two tabs have one draft", () => {
  const a = new Draft("s"), b = new Draft("s");
  a.setText("two hours of work");
  keptElsewhere("belay.draft.s");
  expect(b.get().text).toBe("two hours of work");
  b.setText("two hours of work, and more");
  keptElsewhere(null);
  expect(a.get().text).toBe("two hours of work, and more");
  a.take(); // it is sent
  keptElsewhere("belay.draft.s");
  expect(b.get().text).toBe("");
});

it("a tab that has not heard of another one's words keeps them", () => {
  const a = new Draft("s"), b = new Draft("s");
  a.setText("two hours of work");
  b.setText("x");
  expect(b.get().text).toBe("two hours of work\n\nx");
  expect(new Draft("s").get().text).toBe("two hours of work\n\nx");
});

it("files that are not uploaded yet stay in their tab", () => {
  const a = new Draft("s"), b = new Draft("s");
  b.add([new File(["x"], "b.txt")], { upload: () => new Promise(() => undefined), inspect: async () => undefined });
  a.setText("words");
  keptElsewhere("belay.draft.s");
  expect(b.get()).toMatchObject({ text: "words", files: [{ name: "b.txt", state: "busy" }] });
});

it("words that were removed, or found no room, are gone in no tab", () => {
  const a = new Draft("s"), b = new Draft("s"), heard = () => keptElsewhere("belay.draft.s");
  a.setText("two hours");
  heard();
  fill(kept, 40);
  a.setText("two hours of work, and another one");
  heard();
  expect([a.get().text, b.get().text, new Draft("s").get().text]).toEqual(["two hours of work, and another one", "two hours", "two hours"]);
  delete kept["belay.draft.s"];
  heard();
  expect([a.get().text, b.get().text]).toEqual(["two hours of work, and another one", "two hours"]);
  fill(kept, 999);
  new Draft("s").setText("new");
  heard();
  b.setText("two hours!");
  expect(new Draft("s").get().text).toBe("new\n\ntwo hours!");
});

it("a message that was sent does not come back where there is no room even for an empty draft", () => {
  const a = new Draft("s");
  a.setText("m");
  fill(kept);
  a.take();
  expect(new Draft("s").get().text).toBe("");
});

it("what a full storage could not keep stays in its tab", () => {
  const a = new Draft("s");
  Object.getPrototypeOf(kept).setItem = () => { throw new Error("full"); };
  a.setText("long");
  keptElsewhere(null);
  expect(a.get().text).toBe("long");
  a.setText("longer");
  expect(a.get().text).toBe("longer");
  vi.unstubAllGlobals();
});
