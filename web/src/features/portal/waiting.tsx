// What agents propose and nobody has decided on, by deliverable.
import { useQuery } from "@tanstack/react-query";
import * as api from "../../api/portal";
import type { Project } from "../../api/types";
import { deliverableLink } from "../../route";
import { count } from "../../ui/format";
import { projectKey, useProjectLive } from "../project/live";
import type { Row } from "./rows";

/** Deliverables that are named. The others are counted. */
const named = 5;

export function Waiting({ project, rows }: { project: Project; rows: readonly Row[] }) {
  const live = useProjectLive();
  const { data } = useQuery({ queryKey: projectKey(project.path, "proposals"), queryFn: ({ signal }) => api.proposals(project.path, signal), retry: false, refetchInterval: live ? 60_000 : 15_000 });
  const byPath = new Map<string, number>();
  for (const p of data ?? []) byPath.set(p.path, (byPath.get(p.path) ?? 0) + p.rows);
  const waiting = byPath.size === 0 ? [] : rows.filter((r) => byPath.has(r.path));
  if (waiting.length === 0) return null;
  return (
    <p className="small proposals-wait">
      Proposals wait for{" "}
      {waiting.slice(0, named).map((r, i) => (
        <span key={r.key}>{i > 0 && ", "}<a href={deliverableLink(project.id, r.key, { show: "proposals" })}>{r.id} {r.name}</a> <span className="soft">({count(byPath.get(r.path) ?? 0, "row")})</span></span>
      ))}
      {waiting.length > named && ` and ${waiting.length - named} more`}
    </p>
  );
}
