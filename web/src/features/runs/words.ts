// States of runs and tasks in words.

export type Chip = readonly [word: string, chip: string];

/** What a run or a task waits for: a person only where there is a question. Other waits end by themselves. */
export function waitChip(waits: readonly { message?: string }[] | undefined): Chip | undefined {
  if (waits?.some((w) => w.message)) return ["asks you", "chip warn"];
  return waits?.length ? ["waits", "chip"] : undefined;
}

export function statusChip(status: string, live: boolean): Chip {
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
