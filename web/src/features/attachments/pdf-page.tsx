// One page of a PDF on a canvas.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef } from "react";

/** The most pixels across a page that are drawn. */
const mostWidth = 1600;

/** Draws a page as wide as what it is in. Drawn is called when the page can be seen. */
export function PdfPage({ pdf, number, name, drawn }: { pdf: PDFDocumentProxy; number: number; name: string; drawn?: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const done = useRef(drawn);
  useEffect(() => { done.current = drawn; });
  useEffect(() => {
    let gone = false;
    let drawing: { cancel(): void } | undefined;
    void (async () => {
      const page = await pdf.getPage(number);
      const to = canvas.current;
      if (!to || gone) return;
      const width = Math.min(mostWidth, (to.parentElement?.clientWidth ?? 600) * devicePixelRatio);
      const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
      to.width = Math.round(viewport.width);
      to.height = Math.round(viewport.height);
      const task = page.render({ canvas: to, viewport });
      drawing = task;
      await task.promise;
      to.dataset.drawn = String(number);
      done.current?.();
    })().catch(() => undefined); // a page that cannot be drawn stays empty
    return () => { gone = true; drawing?.cancel(); };
  }, [pdf, number]);
  return <canvas ref={canvas} className="page" role="img" aria-label={`${name}, page ${number}`} />;
}
