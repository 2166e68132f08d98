/**
 * Cuts Markdown that still grows at blank lines that end a block for sure: outside a
 * fence, and before a line that neither continues a list nor is indented.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence = "";
  let blank = false;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (blank && fence === "" && block.length > 0 && !/^(\s|[-*+>] |[-*+]$|\d+[.)] )/.test(line) && line !== "") {
      blocks.push(block.join("\n"));
      block = [];
    }
    if (fence === "") fence = mark;
    else if (mark && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = "";
    block.push(line);
    blank = line.trim() === "";
  }
  if (block.length > 0) blocks.push(block.join("\n"));
  return blocks;
}
