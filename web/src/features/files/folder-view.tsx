// What is in a folder that an address names, such as the link of a finding about it.
import type { TreeNode } from "../../api/files";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { shownName } from "./names";

export function FolderView({ path, folder, linkOf }: { path: string; folder: TreeNode; linkOf: (path: string) => string }) {
  const entries = folder.children ?? [], more = (folder.total ?? entries.length) - entries.length;
  return (
    <div className="file-scroll pad" tabIndex={0} role="region" aria-label={`${shownName(folder.name)}, folder`}>
      <p className="soft small">{entries.length === 0 ? "This folder is empty." : `A folder with ${count(entries.length + more, "entry", "entries")}.`}</p>
      <ul className="found-files">
        {entries.map((e) => (
          <li key={e.name}><a className="found-name" href={linkOf(`${path}/${e.name}`)} title={e.name}>{e.kind === "directory" ? <Icon.folder /> : <Icon.file />}<span className="clip grow"><bdi>{shownName(e.name)}</bdi></span></a></li>
        ))}
      </ul>
      {more > 0 && <p className="soft small">{count(more, "more entry", "more entries")}: the tree lists them.</p>}
    </div>
  );
}
