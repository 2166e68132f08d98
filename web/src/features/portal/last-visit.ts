// When this browser looked at each project last, so that it can show what happened since.
import { readRecord, writeRecord } from "../../ui/keep";

const name = "belay.visits", version = 1;

/** Visits that are kept; the oldest are forgotten. */
const most = 50;

/** Who comes back within this time continues the same visit, in milliseconds. */
const pauseOfVisit = 30 * 60_000;

/** One visit: when the page was looked at last, and until when things are known from the visit before; "" for none. */
export interface Visit { seen: string; before: string }

type Visits = Record<string, Visit>;

const isTime = (v: unknown): v is string => typeof v === "string" && !Number.isNaN(Date.parse(v));

function isVisits(value: unknown): Visits | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fits = (v: Partial<Visit> | null) => isTime(v?.seen) && (v.before === "" || isTime(v.before));
  return Object.values(value).every(fits) ? value as Visits : undefined;
}

/** The visit that begins or continues at a time, given the one that is kept. */
export function visitAt(kept: Visit | undefined, now: number): Visit {
  const seen = new Date(now).toISOString();
  if (!kept) return { seen, before: "" };
  return now - Date.parse(kept.seen) > pauseOfVisit ? { seen, before: kept.seen } : { seen, before: kept.before };
}

/** Notes that a project is looked at, and returns the visit. */
export function visit(projectId: string, now: number = Date.now()): Visit {
  const is = visitAt(readRecord(name, version, isVisits)?.[projectId], now);
  keep(projectId, is);
  return is;
}

/** Notes that a person has seen everything up to now. */
export function seenAll(projectId: string, now: number = Date.now()): Visit {
  const at = new Date(now).toISOString();
  keep(projectId, { seen: at, before: at });
  return { seen: at, before: at };
}

function keep(projectId: string, is: Visit): void {
  const all = Object.entries({ ...readRecord(name, version, isVisits), [projectId]: is });
  all.sort(([, a], [, b]) => b.seen.localeCompare(a.seen));
  writeRecord(name, version, Object.fromEntries(all.slice(0, most)));
}
