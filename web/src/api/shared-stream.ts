// The shared stream of this browser, with its locks and its channel.
import { follow } from "./events";
import { Share } from "./share";
import { type Message, until } from "./share-lead";
import { readStream } from "./stream";

const name = "belay.events";

/** Gives the stream to the tab that holds the lock. Without locks, as on plain HTTP, each tab reads its own. */
function elect(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  if (!hasLocks) void lead(signal);
  else void navigator.locks.request(name, { signal }, () => Promise.race([lead(signal), until(signal)])).catch(() => undefined);
}

const hasLocks = typeof navigator !== "undefined" && "locks" in navigator && typeof BroadcastChannel === "function";

export const shared = new Share({
  read: readStream, alone: follow, elect, gather: 60,
  channel: hasLocks ? new BroadcastChannel(name) as unknown as { postMessage(m: Message): void; onmessage: null } : undefined,
});

globalThis.addEventListener?.("pagehide", () => shared.suspend());
globalThis.addEventListener?.("pageshow", (e) => { if (e.persisted) shared.resume(); });
