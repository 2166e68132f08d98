// The files of the deliverable, and the one that is read.
import { deliverableLink, useParam } from "../../route";
import { ago, bytes } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { downloadPath } from "../../api/deliverable";
import type { PartProps } from "./deliverable";
import { PartProblem } from "./problem";
import { Source } from "./source";

export default function Documents({ project, d }: PartProps) {
  const asked = useParam("file");
  const line = Number(useParam("line")) || 0;
  const all = d.documents ?? [];
  const current = all.find((f) => f.name === asked) ?? (asked ? undefined : all.find((f) => /^Specification\.md$/i.test(f.name)) ?? all[0]);
  return (
    <div className={asked ? "deliverable-split one" : "deliverable-split"}>
      <div className="split-list scroll">
        <PartProblem d={d} part="documents" />
        <ul className="rows documents" aria-label="Documents">
          {all.map((f) => (
            <li key={f.name}>
              <a className="row" href={deliverableLink(project.id, d.key, { show: "documents", file: f.name })} aria-current={f === current ? "true" : undefined}>
                <span className="row-title clip">{f.title || f.name}</span>
                <span className="row-meta"><span className="clip">{f.title ? f.name : ""}</span><span className="nowrap">{bytes(f.size)} · <time dateTime={f.modified}>{ago(f.modified)}</time></span></span>
              </a>
            </li>
          ))}
        </ul>
        {all.length === 0 && <p className="empty-pane soft">The folder has no files.</p>}
        {d.moreDocuments && <p className="empty-pane soft small">The folder has more files. Look at them under Files.</p>}
      </div>
      <div className="split-main scroll">
        {asked && <a className="back" href={deliverableLink(project.id, d.key, { show: "documents" })}><Icon.back />All documents</a>}
        {current && (
          <>
            <div className="source-head">
              <h3 className="grow clip" title={current.name}>{current.name}</h3>
              <a className="button plain small" href={downloadPath(project.path, current.path)} download={current.name.split("/").at(-1)}><Icon.down />Download</a>
            </div>
            <Source key={current.path} root={project.path} paths={[current.path]} line={line} />
          </>
        )}
        {!current && asked && <div className="empty-main"><h3>{asked} is not there</h3><p className="soft">It was moved, renamed or deleted.</p></div>}
      </div>
    </div>
  );
}
