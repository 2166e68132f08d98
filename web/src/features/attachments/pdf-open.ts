// Opens PDFs under the page's policy. Loaded with the first PDF that somebody looks at.
import { getDocument, PDFDataRangeTransport, VerbosityLevel } from "pdfjs-dist";
import * as worker from "pdfjs-dist/build/pdf.worker.mjs";

// The page's policy allows no worker without more rights. The reader works in the page.
(globalThis as { pdfjsWorker?: unknown }).pdfjsWorker = worker;

const options = {
  isEvalSupported: false, useWasm: false, useWorkerFetch: false, enableXfa: false, stopAtErrors: false, verbosity: VerbosityLevel.ERRORS,
};

export const openPdf = (data: ArrayBuffer) => getDocument({ ...options, data });

/** How much of a large file is read at once, in bytes. */
const partBytes = 256 << 10;

/**
 * Opens a PDF of which only the parts that are needed are read. Failed is called when one
 * cannot be read.
 */
export function openParts(length: number, first: Uint8Array, part: (begin: number, end: number) => Promise<Uint8Array>, failed: (err: unknown) => void) {
  const range = new PDFDataRangeTransport(length, first, false);
  range.requestDataRange = (begin: number, end: number) => { part(begin, end).then((data) => range.onDataRange(begin, data), failed); };
  return getDocument({ ...options, range, rangeChunkSize: partBytes, disableAutoFetch: true, disableStream: true });
}
