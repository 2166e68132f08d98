// Long lists: what is far from the screen is a box of the height that it had.
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";

/** How far beyond the screen parts are drawn, in pixels. */
const margin = 1200;

/**
 * Draws items in parts of `size`, and only those parts that are near the screen. The
 * last part is always there, so that a list which grows at its end can stay at its end.
 */
export function Windowed<T>({ items, size, estimate, root, tag = "div", children }: {
  items: readonly T[]; size: number;
  /** The height of an item that was never drawn, in pixels. */
  estimate: number; root: RefObject<HTMLElement | null>; tag?: "div" | "ol"; children: (item: T) => ReactNode;
}) {
  const parts: (readonly T[])[] = [];
  for (let i = 0; i < items.length; i += size) parts.push(items.slice(i, i + size));
  return parts.map((part, i) => (
    // By its place: a part that is drawn anew for another first item would lose the focus.
    <Part key={i} tag={tag} root={root} fixed={i === parts.length - 1} estimate={part.length * estimate}>
      {() => part.map((item) => children(item))}
    </Part>
  ));
}

function Part({ tag: Tag, root, fixed, estimate, children }: {
  tag: "div" | "ol"; root: RefObject<HTMLElement | null>; fixed: boolean; estimate: number; children: () => ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const [near, setNear] = useState(fixed);
  const height = useRef(estimate);
  useLayoutEffect(() => {
    const b = box.current;
    if (!b) return;
    const watch = new IntersectionObserver((entries) => {
      const at = entries.at(-1)!;
      if (!at.isIntersecting && at.boundingClientRect.height > 0) height.current = at.boundingClientRect.height;
      setNear(at.isIntersecting);
    }, { root: root.current, rootMargin: `${margin}px 0px` });
    watch.observe(b);
    return () => watch.disconnect();
  }, [root]);
  const drawn = near || fixed;
  return <Tag ref={box as RefObject<never>} className="window-part" style={drawn ? undefined : { height: height.current }}>{drawn && children()}</Tag>;
}
