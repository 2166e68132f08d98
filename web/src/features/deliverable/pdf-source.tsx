// One page of a PDF at a time, opened where a quotation is, which is marked.
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { filePart, type ProjectFile } from "../../api/deliverable";
import { openParts, openPdf } from "../attachments/pdf-open";
import { PdfPage } from "../attachments/pdf-page";
import { findQuote } from "./quote";
import { reveal } from "./reveal";
import { QuoteState } from "./source";

/** Pages in which a quotation is looked for. */
const mostPages = 500;

interface Box { left: number; top: number; width: number; height: number }
interface Hit { page: number; boxes: Box[]; width: number; height: number }

export default function PdfSource({ root, path, file, name, page, quote }: { root: string; path: string; file: ProjectFile; name: string; page: number; quote: string }) {
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    let end: (() => void) | undefined;
    const fail = () => { if (!gone) setFailed(true); };
    setFailed(false);
    void (async () => {
      if (file.cut && !file.parts) { fail(); return; }
      const data = await file.blob.arrayBuffer();
      if (gone) return;
      const loading = file.cut ? openParts(file.size, new Uint8Array(data), (begin, to) => filePart(root, path, file.tag, begin, to), fail) : openPdf(data);
      end = () => void loading.destroy();
      const read = await loading.promise;
      if (!gone) setPdf(read);
    })().catch(fail);
    return () => { gone = true; end?.(); };
  }, [file, root, path]);
  if (failed) return <p className="notice warn"><span>{file.cut && !file.parts ? "This PDF is larger than the server shows, so its pages cannot be read here." : "This PDF cannot be read. It may be damaged or need a password."}</span></p>;
  if (!pdf) return <p className="soft"><span className="spin" /> Reading</p>;
  return <Pages key={`${page}\n${quote}`} pdf={pdf} name={name} page={page} quote={quote} />;
}

function Pages({ pdf, name, page, quote }: { pdf: PDFDocumentProxy; name: string; page: number; quote: string }) {
  const [at, setAt] = useState(Math.min(Math.max(1, page), pdf.numPages));
  const [hit, setHit] = useState<Hit | "none" | "looking">("looking");
  useEffect(() => {
    let gone = false;
    if (!quote.trim()) return;
    void look(pdf, quote, at, () => gone).then((found) => {
      if (gone) return;
      setHit(found ?? "none");
      if (found) setAt(found.page);
    }).catch(() => { if (!gone) setHit("none"); });
    return () => { gone = true; };
    // The search begins at the page of the reference, whichever is looked at meanwhile.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [pdf, quote]);
  const found = typeof hit === "object" ? hit : undefined;
  return (
    <div className="pdf-source">
      {quote.trim() && (hit === "looking" ? <p className="soft small" role="status"><span className="spin" /> Looking for the quote</p>
        : found ? <QuoteState found={page > 0 && found.page !== page ? "elsewhere" : "here"} quote={quote}> Page {found.page}.</QuoteState>
          : <QuoteState found={pdf.numPages > mostPages ? "cut" : "none"} quote={quote} />)}
      <div className="pdf-bar">
        <button type="button" className="button icon" aria-label="Page before" disabled={at <= 1} onClick={() => setAt(at - 1)}>‹</button>
        <label><span className="hidden">Page</span><input className="field page-number" type="number" min={1} max={pdf.numPages} value={at} onChange={(e) => { const n = e.target.valueAsNumber; if (n >= 1 && n <= pdf.numPages) setAt(n); }} /></label>
        <span className="soft">of {pdf.numPages}</span>
        <button type="button" className="button icon" aria-label="Page after" disabled={at >= pdf.numPages} onClick={() => setAt(at + 1)}>›</button>
      </div>
      <Page pdf={pdf} number={at} name={name} hit={found?.page === at ? found : undefined} />
    </div>
  );
}

function Page({ pdf, number, name, hit }: { pdf: PDFDocumentProxy; number: number; name: string; hit: Hit | undefined }) {
  const mark = useRef<HTMLSpanElement>(null);
  const show = () => { if (mark.current) reveal(mark.current, "center"); };
  useEffect(show, [hit]);
  return (
    <div className="pdf-page" tabIndex={0} role="region" aria-label={`${name}, page ${number}`}>
      <div className="pdf-sheet"><PdfPage pdf={pdf} number={number} name={name} drawn={show} />
      {hit?.boxes.map((b, i) => (
        <span key={i} ref={i === 0 ? mark : undefined} className="pdf-mark"
          style={{ left: `${b.left / hit.width * 100}%`, top: `${b.top / hit.height * 100}%`, width: `${b.width / hit.width * 100}%`, height: `${b.height / hit.height * 100}%` }} />
      ))}</div>
    </div>
  );
}

/** Looks for a quotation, at first on and beside the page of the reference. */
async function look(pdf: PDFDocumentProxy, quote: string, page: number, gone: () => boolean): Promise<Hit | undefined> {
  const near = [page, page + 1, page - 1].filter((n) => n >= 1 && n <= pdf.numPages);
  const rest = Array.from({ length: Math.min(pdf.numPages, mostPages) }, (_, i) => i + 1).filter((n) => !near.includes(n));
  for (const number of [...near, ...rest]) {
    if (gone()) return undefined;
    const read = await pdf.getPage(number);
    const hit = await onPage(read, quote);
    if (hit) return hit;
  }
  return undefined;
}

interface Item { str: string; transform: number[]; width: number; height: number; hasEOL: boolean }

async function onPage(page: PDFPageProxy, quote: string): Promise<Hit | undefined> {
  const content = await page.getTextContent();
  const items = content.items.filter((i): i is typeof i & Item => "str" in i && "transform" in i);
  const starts: number[] = [];
  let text = "";
  for (const item of items) {
    starts.push(text.length);
    text += `${item.str} `;
  }
  // A word that is divided at the end of a line has a hyphen there.
  const ranges = findQuote(text, quote) ?? findQuote(text.replace(/(\p{L})- (?=\p{Ll})/gu, "$1\u00ad "), quote);
  if (!ranges) return undefined;
  const view = page.getViewport({ scale: 1 });
  const boxes = ranges.flatMap((range) => items.flatMap((item, i): Box[] => {
    const from = Math.max(range[0], starts[i]!), to = Math.min(range[1], starts[i]! + item.str.length);
    if (to <= from || item.str.trim() === "") return [];
    const [x = 0, y = 0] = [item.transform[4], item.transform[5]];
    const size = Math.hypot(item.transform[2] ?? 0, item.transform[3] ?? 0) || item.height;
    const left = x + item.width * (from - starts[i]!) / item.str.length, right = x + item.width * (to - starts[i]!) / item.str.length;
    const [ax, ay] = view.convertToViewportPoint(left, y - size * 0.25) as [number, number], [bx, by] = view.convertToViewportPoint(right, y + size) as [number, number];
    return [{ left: Math.min(ax, bx), top: Math.min(ay, by), width: Math.abs(bx - ax), height: Math.abs(by - ay) }];
  }));
  return { page: page.pageNumber, boxes, width: view.width, height: view.height };
}
