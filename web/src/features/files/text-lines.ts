// Text as lines, and which part of a large file they are from.

/** A line that is longer is cut when it is shown. */
export const mostLine = 4000;

/** Lines of a text, without their ends. A text that ends with a line end has no empty line after it. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

/** How much of a large file is shown at once, in bytes. */
export const partSize = 512 << 10;

/** The text of bytes, from the first whole line to the last one; all of it where a line is longer than that. */
export function wholeLines(data: Uint8Array, atStart: boolean, atEnd: boolean): { text: string; skipped: number; left: number } {
  const newline = 10;
  let from = 0, to = data.length;
  if (!atStart) from = data.indexOf(newline) + 1;
  if (!atEnd) to = data.lastIndexOf(newline) + 1;
  if (to <= from) [from, to] = [0, data.length]; // one long line
  // Where it begins in a line, it begins at a character.
  if (from === 0 && !atStart) while (from < Math.min(3, to) && (data[from]! & 0xc0) === 0x80) from++;
  return { text: new TextDecoder().decode(data.subarray(from, to)), skipped: from, left: data.length - to };
}

/** Counts the line ends in bytes up to a number of them: how many, and the offset after the last. */
export function countLines(data: Uint8Array, most: number): { lines: number; end: number } {
  let lines = 0, end = 0;
  while (lines < most) {
    const at = data.indexOf(10, end);
    if (at < 0) break;
    lines++;
    end = at + 1;
  }
  return { lines, end };
}
