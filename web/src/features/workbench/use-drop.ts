import { useEffect, useRef, useState } from "react";

/** Takes files that are dropped anywhere on the page, and reports whether some are held over it. */
export function useDrop(take: ((files: Iterable<File>) => void) | undefined): boolean {
  const [over, setOver] = useState(false);
  const now = useRef(take);
  now.current = take;
  useEffect(() => {
    let depth = 0; // entering a child comes before leaving its parent
    const has = (e: DragEvent) => e.dataTransfer?.types.includes("Files") ?? false;
    const enter = (e: DragEvent) => { if (has(e)) { depth++; setOver(now.current !== undefined); } };
    const leave = (e: DragEvent) => { if (has(e) && --depth <= 0) { depth = 0; setOver(false); } };
    const hold = (e: DragEvent) => { if (has(e)) e.preventDefault(); };
    const drop = (e: DragEvent) => {
      if (!has(e)) return;
      e.preventDefault(); // or the browser would leave the page and open the file
      depth = 0;
      setOver(false);
      if (e.dataTransfer?.files.length) now.current?.([...e.dataTransfer.files]);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", hold);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", hold);
      removeEventListener("drop", drop);
    };
  }, []);
  return over;
}
