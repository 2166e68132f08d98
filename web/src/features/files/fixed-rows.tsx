// Very long lists of rows of one height: only those near the screen are drawn.
import { type ReactNode, type RefObject, useEffect, useState } from "react";

/** Rows that are drawn beyond the screen on both sides. */
const beyond = 30;

/** Draws count rows of `height` pixels in a box that scrolls. */
export function FixedRows({ count, height, box, children }: { count: number; height: number; box: RefObject<HTMLElement | null>; children: (index: number) => ReactNode }) {
  const [[from, to], setRange] = useState<[number, number]>([0, beyond * 2]);
  useEffect(() => { // not a layout effect: the box around these rows has no ref yet then
    const b = box.current;
    if (!b) return;
    const look = () => {
      const first = Math.max(0, Math.floor(b.scrollTop / height) - beyond), last = Math.ceil((b.scrollTop + b.clientHeight) / height) + beyond;
      setRange((old) => (old[0] === first && old[1] === last ? old : [first, last]));
    };
    look();
    b.addEventListener("scroll", look, { passive: true });
    const size = new ResizeObserver(look);
    size.observe(b);
    return () => { b.removeEventListener("scroll", look); size.disconnect(); };
  }, [box, height]);
  const first = Math.min(from, Math.max(0, count - 1)), end = Math.min(to, count);
  return (
    <div className="fixed-rows" role="presentation" style={{ height: count * height }}>
      <div role="presentation" style={{ transform: `translateY(${first * height}px)` }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, i) => children(first + i))}
      </div>
    </div>
  );
}

/** The height of a row in pixels: fingers need more. */
export function useRowHeight(fine: number, coarse = 44): number {
  const [height, setHeight] = useState(() => (matchMedia("(pointer: coarse)").matches ? coarse : fine));
  useEffect(() => {
    const media = matchMedia("(pointer: coarse)");
    const change = () => setHeight(media.matches ? coarse : fine);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, [fine, coarse]);
  return height;
}

/** Scrolls a box so that a row is in it. */
export function showRow(box: HTMLElement | null, index: number, height: number, where: "near" | "middle" = "near"): void {
  if (!box) return;
  const top = index * height, bottom = top + height;
  if (where === "middle") box.scrollTop = Math.max(0, top - box.clientHeight / 2);
  else if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
