// Colours code. Loaded when the first code is shown.
import { common, createLowlight } from "lowlight";
import { Fragment, type ReactNode } from "react";

const lowlight = createLowlight(common);

interface Node { type: string; value?: string; children?: Node[]; properties?: { className?: unknown } }

/** The code with its colours; as it is where the language is unknown. */
export function highlight(code: string, language: string): ReactNode {
  if (!lowlight.registered(language)) return code;
  return draw(lowlight.highlight(language, code) as Node);
}

function draw(node: Node): ReactNode {
  if (node.type === "text") return node.value;
  const inner = node.children?.map((child, i) => <Fragment key={i}>{draw(child)}</Fragment>);
  const names = node.properties?.className;
  return Array.isArray(names) ? <span className={names.join(" ")}>{inner}</span> : inner;
}
