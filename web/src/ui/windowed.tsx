// Long lists: what is far from the screen is a box of the height that it had.
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type Cut, cut } from "./cut";

/** How far beyond the screen parts are drawn, in pixels. */
const margin = 1200;

/**
 * Draws items in parts of about `size`, and only those parts that are near the screen. The
 * last part is always there, so that a list which grows at its end can stay at its end. A row
 * stays in its part when others come or go: one that moved to another part would lose the focus.
 */
export function Windowed<T>({ items, keyOf, size, estimate, root, tag = "div", children }: {
  items: readonly T[]; keyOf: (item: T) => string; size: number;
  /** The height of an item that was never drawn, in pixels. */
  estimate: number; root: RefObject<HTMLElement | null>; tag?: "div" | "ol"; children: (item: T) => ReactNode;
}) {
  const [before, setBefore] = useState<readonly Cut[]>([]);
  const keys = items.map(keyOf), same = before.flatMap((part) => part.keys);
  const parts = keys.length === same.length && keys.every((key, i) => key === same[i]) ? before : cut(keys, before, size);
  if (parts !== before) setBefore(parts);
  let end = 0;
  return parts.map((part, i) => {
    const of = items.slice(end, end += part.keys.length);
    return (
      <Part key={part.id} tag={tag} root={root} fixed={i === parts.length - 1} estimate={of.length * estimate}>
        {() => of.map((item) => children(item))}
      </Part>
    );
  });
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
