// States of runs and tasks in words.

export function statusChip(status: string, live: boolean): readonly [word: string, chip: string] {
  switch (status) {
    case "success": return ["done", "chip good"];
    case "failed": return ["failed", "chip bad"];
    case "cancelled": return ["cancelled", "chip"];
    case "interrupted": return ["interrupted", "chip warn"];
    case "waiting": return ["waits", "chip warn"];
    case "running": return live ? ["at work", "chip accent"] : ["interrupted", "chip warn"];
  }
  return [status, "chip"];
}
