// Shows a file: a picture, the pages of a PDF, a table, a text. Loaded with the first preview.
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { request } from "../../api/http";
import { bytes } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import { Picture } from "./picture";
import { mostCells, mostRows, readTable } from "./csv";

const Pdf = lazy(() => import("./pdf"));

/** A file to look at: its bytes, or where the server has them. */
export interface Previewed { name: string; blob?: Blob | undefined; href?: string | undefined; download?: string | undefined }

/** Text that a preview shows, in bytes. */
const mostText = 256 << 10;

export default function Preview({ file, onClose }: { file: Previewed; onClose: () => void }) {
  const { data, error } = useBlob(file);
  return (
    <Sheet title={file.name} wide onClose={onClose} footer={file.download && <a className="button" href={file.download} download={file.name}><Icon.down />Download</a>}>
      {error !== undefined && <ErrorNotice error={error} />}
      {!data && error === undefined && <p className="soft"><span className="spin" /> Reading</p>}
      {data && <Content name={file.name} blob={data} />}
    </Sheet>
  );
}

function useBlob({ blob, href }: Previewed): { data?: Blob | undefined; error?: unknown } {
  const [read, setRead] = useState<{ data?: Blob; error?: unknown }>({});
  useEffect(() => {
    if (blob || !href) return;
    const gone = new AbortController();
    request(href, { signal: gone.signal }).then((res) => res.blob()).then((data) => setRead({ data }), (error: unknown) => { if (!gone.signal.aborted) setRead({ error }); });
    return () => gone.abort();
  }, [blob, href]);
  return blob ? { data: blob } : read;
}

export function Content({ name, blob }: { name: string; blob: Blob }): ReactNode {
  const kind = kindOf(name);
  if (kind === "picture") return <Picture blob={blob} alt={name} />;
  if (kind === "pdf") return <Suspense fallback={<p className="soft"><span className="spin" /> Reading</p>}><Pdf blob={blob} name={name} /></Suspense>;
  if (kind === "other") return <p className="soft">A file of {bytes(blob.size)}. This page shows pictures, PDFs, texts and tables.</p>;
  return <TextContent table={kind === "table"} blob={blob} />;
}

export function kindOf(name: string): "picture" | "pdf" | "table" | "text" | "other" {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (["png", "jpg", "jpeg", "gif", "webp"].includes(ending)) return "picture";
  if (ending === "pdf") return "pdf";
  if (["csv", "tsv"].includes(ending)) return "table";
  return ["txt", "md", "json", "yaml", "yml", "log", "xml", "toml", "go", "py", "ts", "js", "sh", "css", "html", "pasted"].includes(ending) || ending === "" ? "text" : "other";
}

function TextContent({ table, blob }: { table: boolean; blob: Blob }) {
  const [text, setText] = useState<string>();
  useEffect(() => { void blob.slice(0, mostText).text().then(setText); }, [blob]);
  if (text === undefined) return null;
  const cut = blob.size > mostText;
  if (!table) return <pre className="preview-text" tabIndex={0} aria-label="Text">{text}{cut && "\n…"}</pre>;
  const [head = [], ...rows] = readTable(text);
  return (
    <>
      <div className="preview-table" tabIndex={0} role="region" aria-label="Table">
        <table>
          <thead><tr>{head.map((cell, i) => <th key={i} scope="col">{cell}</th>)}</tr></thead>
          <tbody>{rows.map((row, r) => <tr key={r}>{head.map((_, i) => <td key={i}>{row[i] ?? ""}</td>)}</tr>)}</tbody>
        </table>
      </div>
      {(cut || rows.length + 1 >= mostRows) && <p className="soft small">The first {rows.length} rows.</p>}
      {head.length >= mostCells && <p className="soft small">The first {head.length} columns.</p>}
    </>
  );
}
