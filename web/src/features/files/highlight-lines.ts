// Colours the lines of a text. Loaded with the first text that has a language.
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A piece of a line with the class of its colour, "" for none. */
export interface Piece { text: string; kind: string }

interface Node { type: string; value?: string; children?: Node[]; properties?: { className?: unknown } }

/** The lines of a text in pieces; undefined where the language is unknown. */
export function highlightLines(text: string, language: string): Piece[][] | undefined {
  if (!lowlight.registered(language)) return undefined;
  const lines: Piece[][] = [[]];
  const walk = (node: Node, kind: string) => {
    if (node.type === "text") {
      node.value!.split("\n").forEach((line, i) => {
        if (i > 0) lines.push([]);
        if (line !== "") lines.at(-1)!.push({ text: line, kind });
      });
      return;
    }
    const names = node.properties?.className;
    for (const child of node.children ?? []) walk(child, Array.isArray(names) ? names.join(" ") : kind);
  };
  walk(lowlight.highlight(language, text) as Node, "");
  return lines;
}
