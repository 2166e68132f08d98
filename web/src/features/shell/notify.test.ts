import { isValidElement, type ReactElement, type ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { Boundary } from "../../ui/boundary";
import { notify, notifying } from "./notify";

it("a notification that cannot be made is the last one that is tried", () => {
  vi.stubGlobal("localStorage", { getItem: () => "on" });
  vi.stubGlobal("Notification", class {
    static permission = "granted";
    constructor() { throw new TypeError("Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead."); }
  });
  expect(notifying()).toBe("on");
  expect(notify({ id: "d", tool: "bash", reason: "r", session: false })).toBe(false);
  expect(notifying()).toBe("missing");
});

it("whatever cannot be drawn, the page says so", async () => {
  const { App } = await import("../../app");
  const within = (node: ReactNode): unknown[] => (isValidElement(node) ? [node.type, ...within((node as ReactElement<{ children?: ReactNode }>).props.children)] : []);
  const types = within(App({}));
  expect(types.at(-2)).toBe(Boundary); // around all views and the bar
});
