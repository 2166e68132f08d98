// The files of a message that is being written, with what a turn would make of each.
import { lazy, Suspense, useState } from "react";
import * as api from "../../api/client";
import { Icon } from "../../ui/icons";
import type { Previewed } from "../attachments/preview";
import type { Draft, DraftFile } from "./drafts";

const Preview = lazy(() => import("../attachments/preview"));

export function DraftFiles({ draft, files, root, onRemoved }: { draft: Draft; files: readonly DraftFile[]; root: string; onRemoved: () => void }) {
  const [shown, setShown] = useState<Previewed>();
  if (files.length === 0) return null;
  const look = (f: DraftFile): Previewed | undefined => {
    const blob = draft.blob(f.id);
    if (blob) return { name: f.name, blob };
    const path = f.inProject ?? f.path; // the server has it, also after a reload
    return path !== undefined && root ? { name: f.name, href: api.projectFile(root, path) } : undefined;
  };
  return (
    <>
      <ul className="chips" id="files" aria-label="Attachments">
        {files.map((f) => {
          const about = f.state === "busy" ? "uploading…" : f.state === "bad" ? f.reason : f.about;
          const seen = look(f);
          return (
            <li key={f.id} className={`chip file ${f.state}`}>
              {f.state === "busy" ? <span className="spin" /> : f.state === "bad" ? <Icon.warning /> : <Icon.file />}
              {seen
                ? <button type="button" className="preset" title="Look at it" onClick={() => setShown(seen)}>{f.name}</button>
                : <span title={f.name}>{f.name}</span>}
              {about && <span className="about" title={about}>{about}</span>}
              <button type="button" className="button plain icon" aria-label={`Remove ${f.name}`} onClick={() => { draft.remove(f.id); onRemoved(); }}><Icon.close /></button>
            </li>
          );
        })}
      </ul>
      {files.some((f) => f.state === "bad") && <p className="small soft">Files with a warning are not sent.</p>}
      {shown && <Suspense fallback={null}><Preview file={shown} onClose={() => setShown(undefined)} /></Suspense>}
    </>
  );
}
