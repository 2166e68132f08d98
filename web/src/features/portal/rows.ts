// The deliverables of a project as rows, and which of them a filter shows.
import type { Listing, Progress } from "../../api/portal";

export interface Row {
  /** PKG::ID. Two folders may have the same one. */
  key: string;
  /** The folder relative to the project, which is unique. */
  path: string;
  id: string; name: string; pkg: string; state: string;
  /** What the file says where the state is unknown. */
  recorded: string;
  /** The day of the last transition, "" where it is not known. */
  since: string;
  blockers: number; waitsFor: readonly string[]; circle: boolean; ready: string;
  errors: number; warnings: number;
  /** What a search looks at, in lower case. */
  text: string;
}

export const states = ["open", "initialized", "semantic_ready", "in_progress", "checking", "issued", "unknown"] as const;

export const stateLabels: Record<string, string> = {
  open: "Open", initialized: "Initialized", semantic_ready: "Semantic ready", in_progress: "In progress", checking: "Checking", issued: "Issued", unknown: "Unknown",
};

/** Joins the list of deliverables with where they stand, once that is known. */
export function rowsOf(listing: Listing, progress: Progress | undefined): readonly Row[] {
  const rows = listedRows(listing);
  if (!progress) return rows;
  const known = new Map(progress.deliverables?.map((d) => [d.path, d]));
  return rows.map((r): Row => {
    const at = known.get(r.path);
    return at ? { ...r, since: at.since ?? "", blockers: at.blockers ?? 0, waitsFor: at.waitsFor ?? [], circle: at.circle ?? false, ready: at.ready ?? "", errors: at.errors ?? 0, warnings: at.warnings ?? 0 } : r;
  });
}

const listed = new WeakMap<Listing, readonly Row[]>();

/**
 * The rows of a list of which no more is known yet. They are made once for each answer of the server:
 * the overview opens at once if that was before.
 */
export function listedRows(listing: Listing): readonly Row[] {
  const made = listed.get(listing);
  if (made) return made;
  const above = listing.projectRoot.endsWith("/") ? listing.projectRoot.length : listing.projectRoot.length + 1;
  const rows = (listing.deliverables ?? []).map((d): Row => {
    const path = d.path.slice(above).replaceAll("\\", "/");
    return {
      key: `${d.pkg}::${d.id}`, path, id: d.id, name: d.name, pkg: d.pkg, state: stateLabels[d.status] ? d.status : "unknown", recorded: d.recordedState ?? "",
      since: "", blockers: 0, waitsFor: [], circle: false, ready: "", errors: 0, warnings: 0, text: `${d.id} ${d.name} ${d.pkg}`.toLowerCase(),
    };
  });
  listed.set(listing, rows);
  return rows;
}

export interface Filter { q: string; state: string; pkg: string; findings: boolean; blocked: boolean }

export const noFilter: Filter = { q: "", state: "", pkg: "", findings: false, blocked: false };

/** Reads a filter from an address. What it does not know is left out. */
export function filterOf(search: string): Filter {
  const p = new URLSearchParams(search);
  const state = p.get("state") ?? "";
  return { q: (p.get("q") ?? "").slice(0, 200), state: stateLabels[state] ? state : "", pkg: p.get("pkg") ?? "", findings: p.get("findings") === "1", blocked: p.get("blocked") === "1" };
}

export function queryOf(f: Filter): Record<string, string> {
  return { q: f.q, state: f.state, pkg: f.pkg, findings: f.findings ? "1" : "", blocked: f.blocked ? "1" : "" };
}

export const isFiltered = (f: Filter) => Object.values(queryOf(f)).some((v) => v !== "");

/** The rows that a filter shows, in their order. */
export function filtered(rows: readonly Row[], f: Filter): readonly Row[] {
  if (!isFiltered(f)) return rows;
  const words = f.q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((r) => (f.state === "" || r.state === f.state) && (f.pkg === "" || r.pkg === f.pkg) && (!f.findings || r.errors + r.warnings > 0)
    && (!f.blocked || r.blockers > 0 || r.circle) && words.every((w) => r.text.includes(w)));
}

/** A line of the list: a package, or a deliverable of it. */
export type Line = { pkg: string; rows: readonly Row[] } | Row;

export const isRow = (line: Line): line is Row => "key" in line;

/** The lines of the list: each package before its deliverables. */
export function linesOf(rows: readonly Row[]): Line[] {
  const groups = new Map<string, Row[]>();
  for (const r of rows) {
    const group = groups.get(r.pkg);
    if (group) group.push(r);
    else groups.set(r.pkg, [r]);
  }
  const lines: Line[] = [];
  for (const [pkg, of] of groups) {
    lines.push({ pkg, rows: of });
    for (const r of of) lines.push(r);
  }
  return lines;
}

/** How many rows are in each state, in the order of a deliverable's life. */
export function tally(rows: readonly Row[]): readonly (readonly [state: string, n: number])[] {
  const n = new Map<string, number>();
  for (const r of rows) n.set(r.state, (n.get(r.state) ?? 0) + 1);
  return states.filter((s) => n.has(s)).map((s) => [s, n.get(s)!] as const);
}

/** How long a deliverable has been in its state: 3 d, 5 w, 7 mo, 2 y. */
export function age(day: string, now: number = Date.now()): string {
  const days = Math.floor((now - Date.parse(`${day}T00:00:00Z`)) / 86_400_000);
  if (Number.isNaN(days)) return "";
  if (days < 1) return "today";
  if (days < 21) return `${days} d`;
  if (days < 91) return `${Math.floor(days / 7)} w`;
  return days < 730 ? `${Math.floor(days / 30.4)} mo` : `${Math.floor(days / 365)} y`;
}
