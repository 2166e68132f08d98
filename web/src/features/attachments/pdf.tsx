// The pages of a PDF, each on a canvas. Loaded with the first PDF that somebody looks at.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useState } from "react";
import { openPdf } from "./pdf-open";
import { PdfPage } from "./pdf-page";

/** Pages that are shown before a person asks for more. */
const pagesAtOnce = 10;

export default function Pdf({ blob, name }: { blob: Blob; name: string }) {
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [failed, setFailed] = useState(false);
  const [pages, setPages] = useState(pagesAtOnce);
  useEffect(() => {
    let gone = false;
    let loading: ReturnType<typeof openPdf> | undefined;
    void blob.arrayBuffer().then(async (data) => {
      if (gone) return;
      loading = openPdf(data);
      const read = await loading.promise;
      if (!gone) setPdf(read);
    }).catch(() => { if (!gone) setFailed(true); });
    return () => { gone = true; void loading?.destroy(); };
  }, [blob]);
  if (failed) return <p className="soft">This PDF cannot be read. It may be damaged or need a password.</p>;
  if (!pdf) return <p className="soft"><span className="spin" /> Reading</p>;
  return (
    <div className="pages" data-pages={pdf.numPages}>
      {Array.from({ length: Math.min(pages, pdf.numPages) }, (_, i) => <PdfPage key={i} pdf={pdf} number={i + 1} name={name} />)}
      {pdf.numPages > pages && <button type="button" className="button" onClick={() => setPages(pages + pagesAtOnce)}>More pages: {pages} of {pdf.numPages} are shown</button>}
    </div>
  );
}
