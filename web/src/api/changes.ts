// Which lists an event of the stream of changes is about.

/** The lists that change, by the name under which they are asked for. */
export type List = "questions" | "sessions" | "projects" | "closed" | "kept" | "active";

const all: readonly List[] = ["questions", "sessions", "projects", "closed", "kept", "active"];

const concerns: Record<string, readonly List[]> = {
  "decision:opened": ["questions", "active"], "decision:closed": ["questions", "closed", "kept", "active"],
  "session:changed": ["sessions", "active"], "session:removed": ["sessions", "active"], "run:changed": ["questions", "active"],
  "projects:changed": ["projects"], "feed:reset": all,
};

/**
 * The lists that an event is about. A stream that does not go on from a place may begin after the
 * lists were asked for: its first event is about all of them.
 */
export const concernedBy = (event: string | undefined, placed: boolean): readonly List[] =>
  (event === "feed:ready" && !placed ? all : concerns[event ?? ""] ?? []);
