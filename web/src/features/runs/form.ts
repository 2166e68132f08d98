// A form made from the schema of a workflow's input. Pure.

export type Kind = "text" | "number" | "flag" | "choice" | "lines" | "json";

export interface Field {
  name: string; kind: Kind; required: boolean;
  title: string; about: string;
  /** What a choice has. */
  choices: readonly string[];
  /** What stands in the form at first, as text. */
  initial: string;
  whole: boolean;
}

type Schema = Record<string, unknown>;

const object = (v: unknown): Schema => (typeof v === "object" && v !== null && !Array.isArray(v) ? v as Schema : {});
const text = (v: unknown): string => (typeof v === "string" ? v : "");

/** The fields of a schema. A schema without properties has none: its input is written as JSON. */
export function fieldsOf(schema: unknown): readonly Field[] {
  const s = object(schema);
  const required = Array.isArray(s.required) ? s.required : [];
  return Object.entries(object(s.properties)).map(([name, value]) => {
    const p = object(value);
    const kind = kindOf(p);
    return {
      name, kind, required: required.includes(name), title: text(p.title) || name, about: text(p.description),
      choices: kind === "choice" ? (p.enum as unknown[]).map(String) : [], initial: initial(kind, p.default), whole: p.type === "integer",
    };
  });
}

function kindOf(p: Schema): Kind {
  if (Array.isArray(p.enum) && p.enum.every((v) => typeof v === "string")) return "choice";
  switch (p.type) {
    case "string": return "text";
    case "integer": case "number": return "number";
    case "boolean": return "flag";
    case "array": return object(p.items).type === "string" ? "lines" : "json";
  }
  return "json";
}

function initial(kind: Kind, value: unknown): string {
  if (value === undefined) return "";
  if (kind === "lines") return Array.isArray(value) ? value.join("\n") : "";
  return kind === "json" ? JSON.stringify(value, null, 2) : String(value);
}

/** What a run is given, and what is wrong in which field. Empty fields that are not required are left out. */
export function inputOf(fields: readonly Field[], texts: Readonly<Record<string, string>>): { input: Record<string, unknown>; problems: Record<string, string> } {
  const input: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const f of fields) {
    const written = texts[f.name] ?? f.initial;
    if (written.trim() === "") {
      if (f.kind === "flag") input[f.name] = false;
      else if (f.required) problems[f.name] = "Is required.";
      continue;
    }
    const value = valueOf(f, written);
    if (f.kind === "number" ? rounded(written.trim()) : f.kind === "json" && value !== undefined && holdsRounded(written)) {
      problems[f.name] = "Has a whole number that this page would round. Start the run with belay run.";
    } else if (value === undefined) problems[f.name] = f.kind === "number" ? (f.whole ? "Must be a whole number." : "Must be a number.") : "Is not valid JSON.";
    else input[f.name] = value;
  }
  return { input, problems };
}

/** Whether a whole number, as it is written, loses digits here. The server would take the rounded one for what was meant. */
const rounded = (written: string) => /^[+-]?\d+$/.test(written) && !Number.isSafeInteger(Number(written));

const textOrNumber = /"(?:[^"\\]|\\.)*"|[-+.\w]+/g;

function holdsRounded(json: string): boolean {
  return json.match(textOrNumber)?.some(rounded) ?? false;
}

function valueOf(f: Field, written: string): unknown {
  switch (f.kind) {
    case "text": case "choice": return written;
    case "flag": return written === "true";
    case "lines": return written.split("\n").map((l) => l.trim()).filter(Boolean);
    case "number": {
      const n = Number(written);
      return Number.isFinite(n) && (!f.whole || Number.isSafeInteger(n)) ? n : undefined;
    }
    case "json":
      try {
        return JSON.parse(written) as unknown;
      } catch {
        return undefined;
      }
  }
}
