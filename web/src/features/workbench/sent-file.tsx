// A file of a conversation: who sent it, a look at it, a download.
import { lazy, Suspense, useState } from "react";
import { blobPath } from "../../api/client";
import type { SentFile } from "../../session/model";
import { bytes } from "../../ui/format";
import { Icon } from "../../ui/icons";

const Preview = lazy(() => import("../attachments/preview"));
const Picture = lazy(() => import("../attachments/picture").then((m) => ({ default: m.Picture })));

/** A file's name and size; a button that shows it where the server has its bytes. */
export function FileChip({ file, sessionId, large = false }: { file: SentFile; sessionId: string; large?: boolean }) {
  const [looking, setLooking] = useState(false);
  const label = file.bytes === undefined ? file.name : `${file.name} · ${bytes(file.bytes)}`;
  if (!file.sha256) return <span className="chip"><Icon.file /><span>{label}</span></span>;
  const href = blobPath(file.sha256, sessionId);
  return (
    <>
      {large && file.mimeType?.startsWith("image/") && (
        <button type="button" className="picture-button" aria-label={`Look at ${file.name}`} onClick={() => setLooking(true)}>
          <Suspense fallback={null}><Picture href={href} alt={file.name} small /></Suspense>
        </button>
      )}
      <span className="chip file sent-file">
        <Icon.file /><button type="button" className="preset" title="Look at it" onClick={() => setLooking(true)}>{label}</button>
        <a className="button plain icon" href={href} download={file.name} aria-label={`Download ${file.name}`} title="Download"><Icon.down /></a>
      </span>
      {looking && <Suspense fallback={null}><Preview file={{ name: file.name, href, download: href }} onClose={() => setLooking(false)} /></Suspense>}
    </>
  );
}
