// Which lists an event of the stream of changes is about.

/** The lists that change, by the name under which they are asked for. */
export type List = "questions" | "sessions" | "projects" | "closed" | "kept" | "active";

export const concerns: Record<string, readonly List[]> = {
  "decision:opened": ["questions", "active"], "decision:closed": ["questions", "closed", "kept", "active"],
  "session:changed": ["sessions", "active"], "session:removed": ["sessions", "active"], "run:changed": ["questions", "active"],
  "projects:changed": ["projects"], "feed:reset": ["questions", "sessions", "projects", "closed", "kept", "active"],
};
