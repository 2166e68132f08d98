// Links to the parts of a view, in one line that scrolls where it is too narrow.
import { type ReactNode, useLayoutEffect, useRef } from "react";

/** A strip of links; the current one, which `current` names, is brought into sight. */
export function Tabs({ label, current, className = "", children }: { label: string; current: string; className?: string; children: ReactNode }) {
  const strip = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const box = strip.current;
    const tab = box?.querySelector("[aria-current]");
    if (!box || !tab) return;
    const show = () => {
      const outer = box.getBoundingClientRect(), inner = tab.getBoundingClientRect();
      box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
    };
    show();
    const watch = new ResizeObserver(show); // a window that gets smaller hides it
    watch.observe(box);
    return () => watch.disconnect();
  }, [current]);
  return <nav ref={strip} className={`tabs ${className}`} aria-label={label}>{children}</nav>;
}
