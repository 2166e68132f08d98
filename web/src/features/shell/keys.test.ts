import { expect, it, vi } from "vitest";
import { typing } from "./keys";

it("letters belong to a tree, a table or a menu that has the focus", () => {
  class Place { isContentEditable = false; tagName = "DIV"; constructor(readonly role: string) {} closest(roles: string) { return roles.includes(`role=${this.role}]`) ? this : null; } }
  vi.stubGlobal("HTMLElement", Place);
  vi.stubGlobal("HTMLInputElement", class {});
  const key = (role: string, name: string, more = {}) => typing({ key: name, target: new Place(role), ...more } as never);
  for (const role of ["tree", "grid", "menu"]) expect([key(role, "c"), key(role, "/"), key(role, "Escape"), key(role, "c", { ctrlKey: true })]).toEqual([true, false, false, false]);
  expect(key("list", "c")).toBe(false);
});
