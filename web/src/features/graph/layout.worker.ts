// Lays a graph out, away from the page's own thread.
import { placed, type Wanted } from "./layered";
import type { Placed } from "./layout";

self.onmessage = ({ data }: MessageEvent<Wanted>) => {
  const begun = performance.now();
  postMessage({ at: placed(data), ms: performance.now() - begun } satisfies Placed);
};
