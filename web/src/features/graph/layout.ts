// The thread that lays a graph out: one for each graph, which ends with it.
import type { Wanted } from "./layered";
import address from "./layout.worker.ts?worker&url";

/** The places of its nodes, and how long it took in milliseconds. */
export interface Placed { at: (readonly [x: number, y: number])[]; ms: number }

interface Policies { createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown } }

/** The page's policy allows workers of its own files alone, by this one policy of trusted types. */
const own = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy("belay", {
  createScriptURL: (url) => {
    const full = new URL(url, location.href);
    if (full.origin !== location.origin) throw new TypeError("a worker of another origin");
    return full.href;
  },
});

function start(): Worker {
  const url = new URL(address, location.href).href;
  return new Worker((own ? own.createScriptURL(url) : url) as string, { type: "module" });
}

/** Lays out a graph. A request that is aborted ends its thread. */
export function place(graph: Wanted, signal: AbortSignal): Promise<Placed> {
  return new Promise((resolve, reject) => {
    const worker = start();
    const end = () => { worker.terminate(); signal.removeEventListener("abort", stop); };
    const stop = () => { end(); reject(new DOMException("not wanted any more", "AbortError")); };
    signal.addEventListener("abort", stop);
    worker.onmessage = ({ data }: MessageEvent<Placed>) => { end(); resolve(data); };
    worker.onerror = () => { end(); reject(new Error("The graph could not be laid out. Its list shows the same.")); };
    worker.postMessage(graph);
  });
}
