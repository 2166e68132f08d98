// The reader of PDFs has no types of its own; it is only handed on.
declare module "pdfjs-dist/build/pdf.worker.mjs";
