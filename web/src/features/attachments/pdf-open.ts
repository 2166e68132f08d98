// Opens PDFs under the page's policy. Loaded with the first PDF that somebody looks at.
import { getDocument, VerbosityLevel } from "pdfjs-dist";
import * as worker from "pdfjs-dist/build/pdf.worker.mjs";

// The page's policy allows no worker without more rights. The reader works in the page.
(globalThis as { pdfjsWorker?: unknown }).pdfjsWorker = worker;

export const openPdf = (data: ArrayBuffer) => getDocument({
  data, isEvalSupported: false, useWasm: false, useWorkerFetch: false, enableXfa: false, stopAtErrors: false, verbosity: VerbosityLevel.ERRORS,
});
