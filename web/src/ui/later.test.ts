import { type ComponentType, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { later } from "./later";
import { waits } from "./waits";

it("a view whose code takes long says that it is being read", () => {
  const View = later(() => new Promise<{ default: ComponentType<object> }>(() => undefined), waits);
  expect(renderToStaticMarkup(createElement(View))).toContain("Reading");
});
