// Chooses files of the project for a message, folder by folder.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import { useInfo } from "../../app-state";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";

export function ProjectPicker({ root, onChosen, onClose }: { root: string; onChosen: (paths: string[]) => void; onClose: () => void }) {
  const [at, setAt] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const endings = useInfo().data?.limits.attachmentExtensions;
  const { data, error, isPending } = useQuery({ queryKey: ["folder", root, at], queryFn: ({ signal }) => api.folder(root, at, signal), retry: false });
  const entries = [...data?.children ?? []].sort((a, b) => Number(isFolder(b.kind)) - Number(isFolder(a.kind)) || a.name.localeCompare(b.name));
  const steps = at === "" ? [] : at.split("/");
  const toggle = (path: string) => setChosen((c) => (c.includes(path) ? c.filter((p) => p !== path) : [...c, path]));
  return (
    <Sheet title="Attach from the project" onClose={onClose} footer={(
      <>
        <button type="button" className="button" onClick={onClose}>Cancel</button>
        <button type="button" id="attach-chosen" className="button primary" disabled={chosen.length === 0} onClick={() => { onChosen([...chosen]); onClose(); }}>Attach {chosen.length > 0 && chosen.length}</button>
      </>
    )}>
      <nav className="steps small" aria-label="Folder">
        <button type="button" className="foot-link" onClick={() => setAt("")}>{root.split("/").at(-1)}</button>
        {steps.map((name, i) => <span key={i}> / <button type="button" className="foot-link" onClick={() => setAt(steps.slice(0, i + 1).join("/"))}>{name}</button></span>)}
      </nav>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      <ul className="entries">
        {entries.map((node) => {
          const path = at === "" ? node.name : `${at}/${node.name}`;
          if (isFolder(node.kind)) return <li key={path}><button type="button" className="entry" onClick={() => setAt(path)}><Icon.folder /><span className="clip grow">{node.name}</span><Icon.chevron /></button></li>;
          const fits = !endings || endings.some((ending) => node.name.toLowerCase().endsWith(ending));
          return (
            <li key={path}>
              <label className={fits ? "entry" : "entry unfit"} title={fits ? undefined : "No turn takes such a file"}>
                <input type="checkbox" checked={chosen.includes(path)} disabled={!fits} onChange={() => toggle(path)} /><span className="clip grow">{node.name}</span>
              </label>
            </li>
          );
        })}
      </ul>
      {data && entries.length === 0 && <p className="soft">This folder is empty.</p>}
      {data?.truncated && <p className="soft small">Only the first {entries.length} are listed.</p>}
    </Sheet>
  );
}

const isFolder = (kind: string) => kind === "directory" || kind === "folder" || kind === "dir";
