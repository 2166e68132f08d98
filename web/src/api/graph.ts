// The call for a project's dependencies.
import { get, withQuery } from "./http";
import type { components } from "./schema";

export type GraphReport = components["schemas"]["graphAnswer"];

export const graph = (projectRoot: string, signal?: AbortSignal) => get<GraphReport>(withQuery("/api/project/graph", { projectRoot }), signal);
