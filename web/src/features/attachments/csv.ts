/** Rows that a preview shows, and cells of a row that any table does. */
export const mostRows = 200;
export const mostCells = 50;

/** Reads the first rows of a table: commas, semicolons or tabs, with quoted cells (RFC 4180). */
export function readTable(text: string, most = mostRows): string[][] {
  const first = text.slice(0, text.search(/\r?\n|$/));
  const comma = [",", ";", "\t"].sort((a, b) => first.split(b).length - first.split(a).length)[0]!;
  const rows: string[][] = [];
  let row: string[] = [], cell = "", quoted = false, i = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const endCell = () => { if (row.length < mostCells) row.push(cell); cell = ""; };
  const endRow = () => { endCell(); rows.push(row); row = []; };
  for (; i < text.length && rows.length < most; i++) {
    const c = text[i]!;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += c; i++; } else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === comma) endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (rows.length < most && (cell !== "" || row.length > 0)) endRow();
  return rows;
}
