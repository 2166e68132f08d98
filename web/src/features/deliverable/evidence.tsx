// What a row rests on: the source that it names, opened at the place, with the quote marked.
import { useMemo, useState } from "react";
import type { DeliverableView } from "../../api/deliverable";
import { visible } from "../../ui/format";
import { Source } from "./source";
import { filesOf, placesOf } from "./quote";

export interface Cited { file: string; ref: string; quote: string;
  /** Where the row's target is, which is often the cited file. */
  location: string;
}

/** What a row cites; cells that a proposal changes come first. */
export const citedOf = (get: (column: string) => string): Cited => ({ file: get("EvidenceFile"), ref: get("SourceRef"), quote: get("EvidenceQuote"), location: get("TargetLocation") });

/** The paths at which a cited file may be, relative to the project. */
export function candidatesOf(file: string, d: DeliverableView, location = ""): string[] {
  const documents = d.documents ?? [];
  const lower = file.toLowerCase().replace(/^\.\//, "");
  const same = documents.find((f) => f.name === file) ?? documents.find((f) => f.name.toLowerCase() === lower)
    ?? documents.find((f) => f.name.toLowerCase().endsWith(`/${lower}`) || `${f.name.toLowerCase()}` === `${lower}.md`);
  const clean = file.replace(/^\.\//, "");
  const rel = clean.startsWith(`${d.projectRoot}/`) ? clean.slice(d.projectRoot.length + 1) : clean;
  const target = location.split("/").at(-1)?.toLowerCase() === lower ? location.replace(/^\.?\//, "") : undefined;
  return [...new Set([same?.path, target, rel, `${d.relativePath}/${rel}`, `_Sources/${rel}`].filter((p): p is string => Boolean(p)))];
}

export function Evidence({ d, cited }: { d: DeliverableView; cited: Cited }) {
  const files = useMemo(() => filesOf(cited.file), [cited.file]);
  const [chosen, setChosen] = useState(0);
  const file = files[Math.min(chosen, files.length - 1)] ?? "";
  const places = useMemo(() => placesOf(cited.ref, [...new Set([...files, ...(d.documents ?? []).map((f) => f.name)])]), [cited.ref, files, d.documents]);
  const place = places.find((p) => p.file.toLowerCase() === file.toLowerCase()) ?? places.find((p) => p.file === "");
  const paths = useMemo(() => (file ? candidatesOf(file, d, cited.location) : []), [file, d, cited.location]);
  const tbd = /location tbd/i.test(`${cited.file} ${cited.ref}`);
  return (
    <section className="evidence" aria-label="Evidence">
      <h3>Evidence</h3>
      {files.length > 1 && (
        <div className="segments" role="group" aria-label="Cited files">
          {files.map((f, i) => <button key={f} type="button" className="segment clip" aria-pressed={f === file} onClick={() => setChosen(i)}>{visible(f)}</button>)}
        </div>
      )}
      {(file || cited.ref) && <p className="small"><strong>{visible(file) || "no file"}</strong>{cited.ref && <span className="soft"> · {visible(cited.ref)}</span>}</p>}
      {cited.quote && <blockquote className="quote small">{visible(cited.quote)}</blockquote>}
      {!cited.quote && file && <p className="soft small">The row quotes nothing.</p>}
      {paths.length > 0 ? <Source key={file} root={d.projectRoot} paths={paths} name={file.split("/").at(-1) ?? ""} steps={place?.steps ?? []} page={place?.page ?? 0} quote={cited.quote} />
        : <p className="notice warn"><span>{tbd ? "The location of the evidence is still to be determined." : "The row names no file as evidence."}</span></p>}
    </section>
  );
}
