/** How long a page that nobody sees keeps its connections, in milliseconds. */
const patience = 60_000;

/**
 * Runs work while the page is visible. A browser has few connections for one server, so
 * the work of a page that was hidden for a minute is aborted, and begun again when it is
 * seen. Returns a function that ends it.
 */
export function whileVisible(work: (signal: AbortSignal) => void): () => void {
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    running = new AbortController();
    work(running.signal);
  };
  const changed = () => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        running?.abort();
        running = undefined;
      }, patience);
    } else if (!running) begin();
  };
  document.addEventListener("visibilitychange", changed);
  begin();
  return () => {
    document.removeEventListener("visibilitychange", changed);
    clearTimeout(timer);
    running?.abort();
  };
}
