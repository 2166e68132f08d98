// When this browser looked at each project last, so that it can show what happened since.
import { readRecord, writeRecord } from "../../ui/keep";

const name = "belay.visits", version = 1;

/** Visits that are kept; the oldest are forgotten. */
const most = 50;

/** Who comes back within this time continues the same visit, in milliseconds. */
const pauseOfVisit = 30 * 60_000;

/** One visit: up to when happenings were shown last, and until when things are known from the visit before; "" for none. */
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

/** The visit of a project that begins or continues now. It is not noted: nothing has been shown yet. */
export const visitNow = (projectId: string): Visit => visitAt(readRecord(name, version, isVisits)?.[projectId], Date.now());

/** Notes that a project was looked at, by the time for which its happenings were shown. */
export function looked(projectId: string, at: number): void {
  keep(projectId, visitAt(readRecord(name, version, isVisits)?.[projectId], at));
}

/** Notes that a person has seen everything up to a happening, whose time is the server's. */
export function seenUpTo(projectId: string, at: string): Visit {
  const is = { seen: at, before: at };
  keep(projectId, is);
  return is;
}

function keep(projectId: string, is: Visit): void {
  const all = Object.entries({ ...readRecord(name, version, isVisits), [projectId]: is });
  all.sort(([, a], [, b]) => b.seen.localeCompare(a.seen));
  writeRecord(name, version, Object.fromEntries(all.slice(0, most)));
}
