import { expect, it } from "vitest";
import { partQuery } from "./large-text";

it("a part that begins with a whole line is another one than at a place where nobody counted", () => {
  const key = (from: number, first: number) => partQuery("/p", "a.txt", 9e6, "t", { from, first }).queryKey;
  expect(key(100, 7)).not.toEqual(key(100, 0));
  expect(key(100, 7)).toEqual(key(100, 8));
});
