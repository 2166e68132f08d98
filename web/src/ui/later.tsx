// Parts of the page whose code is loaded when they are first drawn.
import { type ComponentType, type ReactNode, useEffect, useState } from "react";

/** A component whose code may be loaded before it is drawn. */
export type Late<P> = ComponentType<P> & { preload: () => void };

/**
 * A component that is loaded when it is first drawn; meanwhile there is `wait`. It is drawn as soon
 * as it is there, and at once from then on. React's Suspense would keep the fallback for 300 ms.
 */
export function later<P extends object>(load: () => Promise<{ default: ComponentType<P> }>, wait: ReactNode = null): Late<P> {
  let loaded: ComponentType<P> | undefined;
  const get = () => load().then((module) => (loaded = module.default));
  function Later(props: P) {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ error: unknown }>();
    useEffect(() => {
      if (Part) return;
      let there = true;
      get().then((part) => { if (there) setPart(() => part); }, (error: unknown) => { if (there) setFailure({ error }); });
      return () => { there = false; };
    }, [Part]);
    if (failure) throw failure.error; // a boundary says it
    return Part ? <Part {...props} /> : wait;
  }
  // What fails here is said when the part is drawn.
  return Object.assign(Later, { preload: () => { get().catch(() => undefined); } });
}
