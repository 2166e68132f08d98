import { createElement } from "react";
import { expect, it } from "vitest";
import { drawn } from "./drawn.test-helper";
import { Windowed } from "./windowed";

it("a part stays the same one when another item comes first, so that it keeps the focus", () => {
  const keys = (items: string[]) => drawn(Windowed<string>, { items, size: 2, estimate: 50, root: { current: null }, children: (x: string) => createElement("a", { key: x }, x) }).elements.map((e) => e.key);
  expect(keys(["c", "a", "b"])).toEqual(keys(["a", "b", "c"]));
});
