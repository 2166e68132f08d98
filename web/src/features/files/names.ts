// Names as people can read them, and kinds of files by their names.

/** Characters that nobody sees, or that turn text around. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A name in which invisible characters are shown by their number. */
export function shownName(name: string): string {
  return name.replace(unseen, (c) => `[${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

export const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The folders on the way to a path, the outermost first. */
export function above(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

export type Kind = "markdown" | "table" | "picture" | "pdf" | "text" | "binary";

/** What a file is shown as. The bytes decide (type is the server's); the name chooses among texts. */
export function kindOf(name: string, type: string): Kind {
  if (type.startsWith("image/")) return "picture";
  const ending = endingOf(name);
  if (type.startsWith("text/")) {
    if (ending === "md" || ending === "markdown") return "markdown";
    return ending === "csv" || ending === "tsv" ? "table" : "text";
  }
  return ending === "pdf" ? "pdf" : "binary";
}

export function endingOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

const languages: Record<string, string> = {
  c: "c", h: "c", cc: "cpp", cpp: "cpp", hpp: "cpp", cs: "csharp", css: "css", diff: "diff", patch: "diff", go: "go", html: "xml", htm: "xml", java: "java",
  js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript", json: "json", jsonl: "json", kt: "kotlin", lua: "lua", md: "markdown", markdown: "markdown", pl: "perl",
  php: "php", py: "python", r: "r", rb: "ruby", rs: "rust", scss: "scss", sh: "bash", bash: "bash", sql: "sql", svg: "xml", swift: "swift", toml: "ini", ini: "ini", ts: "typescript",
  tsx: "typescript", xml: "xml", yaml: "yaml", yml: "yaml",
};

/** The language that a file is coloured in, "" for none. */
export function languageOf(name: string): string {
  if (name === "Makefile") return "makefile";
  return languages[endingOf(name)] ?? "";
}
