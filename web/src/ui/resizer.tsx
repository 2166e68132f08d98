// The border of a pane that can be moved, with the pointer or with arrow keys.
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useState } from "react";
import { readRecord, writeRecord } from "./keep";

const least = 200, most = 560, usual = 304, step = 16;

const valid = (value: unknown) => (typeof value === "number" && value >= least && value <= most ? value : undefined);

/** Sets --pane of the page to the width that this browser keeps. */
export function Resizer() {
  const [width, setWidth] = useState(() => readRecord("belay.pane", 1, valid) ?? usual);
  useLayoutEffect(() => { document.documentElement.style.setProperty("--pane", `${width}px`); }, [width]);
  const to = (wanted: number, keep: boolean) => {
    const w = Math.round(Math.min(most, Math.max(least, wanted)));
    setWidth(w);
    if (keep) writeRecord("belay.pane", 1, w === usual ? undefined : w);
  };
  const onKey = (e: KeyboardEvent) => {
    const next = { ArrowLeft: width - step, ArrowRight: width + step, Home: least, End: most, Enter: usual }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    to(next, true);
  };
  const drag = (e: PointerEvent<HTMLElement>) => { if (e.currentTarget.hasPointerCapture(e.pointerId)) to(e.clientX, e.type === "pointerup"); };
  return (
    <div className="resizer" role="separator" aria-orientation="vertical" aria-label="Width of the list" tabIndex={0}
      aria-valuenow={width} aria-valuemin={least} aria-valuemax={most} title="Drag, or use the arrow keys"
      onKeyDown={onKey} onDoubleClick={() => to(usual, true)}
      onPointerDown={(e) => { e.preventDefault(); e.currentTarget.setPointerCapture(e.pointerId); }} onPointerMove={drag} onPointerUp={drag} />
  );
}
