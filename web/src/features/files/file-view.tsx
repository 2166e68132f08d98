// One file: what it is, what is in it, and what can be done with it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import * as client from "../../api/client";
import { downloadPath, type FileHead, filePath, head, whole } from "../../api/files";
import { isFailure, request } from "../../api/http";
import { useShared } from "../../app-state";
import { navigate, newSessionLink } from "../../route";
import { Icon } from "../../ui/icons";
import { Markdown } from "../../ui/markdown";
import { CopyButton, ErrorNotice } from "../../ui/parts";
import { Picture } from "../attachments/picture";
import { FolderView } from "./folder-view";
import { LargeText } from "./large-text";
import { above, baseOf, kindOf, languageOf, shownName } from "./names";
import { size as sizeOf } from "./size";
import { TableView } from "./table-view";
import { TextView } from "./text-view";
import { linesOf } from "./text-lines";

const Pdf = lazy(() => import("../attachments/pdf"));

/** Texts up to this size are read whole; so much the server sends at once. Pictures and PDFs are read up to `mostWhole`. */
const mostText = 8 << 20, mostRendered = 1 << 20, mostWhole = 200 << 20;

export function FileView({ root, path, line, linkOf, onBack, onFolder }: { root: string; path: string; line: number; linkOf: (path: string) => string; onBack: () => void; onFolder: (path: string) => void }) {
  const queries = useQueryClient();
  const { data, error, isPending } = useQuery({ queryKey: ["file-head", root, path], queryFn: ({ signal }) => head(root, path, signal), retry: false, refetchOnWindowFocus: true, staleTime: 0 });
  const kind = data ? kindOf(baseOf(path), data.type) : undefined;
  const switchable = kind === "markdown" || kind === "table";
  const [source, setSource] = useState(line > 0);
  useEffect(() => { if (line > 0) setSource(true); }, [line]);
  const gone = isFailure(error, "NOT_FOUND"), unknown = gone && !data;
  // No file, but it may be a folder.
  const folder = useQuery({ queryKey: ["file-folder", root, path], queryFn: ({ signal }) => client.folder(root, path, signal), enabled: unknown, retry: false, staleTime: 0 });
  const reload = useCallback(() => { void queries.invalidateQueries({ queryKey: ["file-head", root, path] }); }, [queries, root, path]);
  return (
    <section className="file-view" aria-label={shownName(baseOf(path))}>
      <header className="file-head">
        <button type="button" className="button plain icon files-back" aria-label="Back to the files" onClick={onBack}><Icon.back /></button>
        <div className="grow file-title">
          <h2 className="clip" title={path}><bdi>{shownName(baseOf(path))}</bdi></h2>
          <nav className="small soft clip" aria-label="Folders of the file">
            {above(path).map((folder, i) => <span key={folder}>{i > 0 && " / "}<button type="button" className="crumb" onClick={() => onFolder(folder)}><bdi>{shownName(baseOf(folder))}</bdi></button></span>)}
            {data && <span>{above(path).length > 0 && " · "}{sizeOf(data.size)}</span>}
          </nav>
        </div>
        {switchable && (
          <span className="segments" role="group" aria-label="How the file is shown">
            <button type="button" className="segment small" aria-pressed={!source} onClick={() => setSource(false)}>{kind === "table" ? "Table" : "Rendered"}</button>
            <button type="button" className="segment small" aria-pressed={source} onClick={() => setSource(true)}>Source</button>
          </span>
        )}
        {data && !gone && <Actions root={root} path={path} />}
      </header>
      {gone && data && <div className="notice warn" role="status"><strong>This file was removed, moved or renamed</strong><p>What is shown is what it was.</p></div>}
      {unknown && folder.data && <FolderView path={path} folder={folder.data} linkOf={linkOf} />}
      {error && !(gone && data) && !(unknown && (folder.data || folder.isPending)) && <div className="pad"><ErrorNotice error={error}><p><button type="button" className="button" onClick={reload}>Try again</button></p></ErrorNotice></div>}
      {(isPending || unknown && folder.isPending) && <p className="soft pad"><span className="spin" /> Reading</p>}
      {data && <Content root={root} path={path} about={data} source={source} line={line} onChanged={reload} />}
    </section>
  );
}

function Actions({ root, path }: { root: string; path: string }) {
  const { drafts } = useShared();
  const attach = () => {
    drafts.of(`new:${root}`).addPath(`${root}/${path}`, path, {
      upload: (file, signal) => client.upload({ projectRoot: root }, file, signal),
      inspect: (at) => client.inspect({ projectRoot: root }, [at]).then((all) => all[0]),
    });
    navigate(newSessionLink(root));
  };
  return (
    <div className="file-actions">
      <button type="button" className="button" id="attach-file" onClick={attach} title="Attach to a new message"><Icon.clip /><span className="action-text">Attach</span></button>
      <a className="button" href={downloadPath(root, path)} download={baseOf(path)} aria-label="Download"><Icon.down /><span className="action-text">Download</span></a>
      <CopyButton text={() => path} label="Copy path" />
    </div>
  );
}

function Content({ root, path, about, source, line, onChanged }: { root: string; path: string; about: FileHead; source: boolean; line: number; onChanged: () => void }): ReactNode {
  const name = baseOf(path), kind = kindOf(name, about.type);
  if (about.size === 0) return <p className="soft pad">This file is empty.</p>;
  if (kind === "picture" && about.size <= mostWhole) return <div className="file-scroll pad" tabIndex={0} role="region" aria-label={`${name}, picture`}><Picture key={about.tag} href={downloadPath(root, path)} alt={shownName(name)} /></div>;
  if (kind === "pdf" && about.size <= mostWhole) return <PdfContent root={root} path={path} tag={about.tag} />;
  if (kind === "binary" || kind === "picture" || kind === "pdf") {
    return (
      <div className="empty-main">
        <Icon.file />
        <h3>{kind === "binary" ? "A binary file" : "Too large to be shown"}</h3>
        <p className="soft">{sizeOf(about.size)}, {about.size.toLocaleString("en-US")} bytes{about.type && about.type !== "application/octet-stream" ? `, ${about.type}` : ""}. Download it to open it.</p>
      </div>
    );
  }
  if (about.size > mostText) return <LargeText root={root} path={path} size={about.size} tag={about.tag} line={line} language={languageOf(name)} onChanged={onChanged} />;
  return <TextContent root={root} path={path} about={about} kind={kind} source={source} line={line} />;
}

function TextContent({ root, path, about, kind, source, line }: { root: string; path: string; about: FileHead; kind: "markdown" | "table" | "text"; source: boolean; line: number }) {
  const { data: text, error } = useQuery({
    queryKey: ["file-text", root, path, about.tag], staleTime: Infinity, gcTime: 30_000, retry: false,
    // A file that changes shows what it was until the new content is there.
    placeholderData: (before: string | undefined, query) => (query?.queryKey[2] === path ? before : undefined),
    queryFn: async ({ signal }) => (await request(filePath(root, path), { signal })).text(),
  });
  const lines = useMemo(() => linesOf(text ?? ""), [text]);
  if (error && text === undefined) return <div className="pad"><ErrorNotice error={error} /></div>;
  if (text === undefined) return <p className="soft pad"><span className="spin" /> Reading</p>;
  if (kind === "markdown" && !source && text.length <= mostRendered) {
    return <div className="file-scroll" tabIndex={0} role="region" aria-label={`${baseOf(path)}, rendered`}><div className="file-page"><Markdown text={text} growing={false} /></div></div>;
  }
  if (kind === "table" && !source) return <TableView text={text} label={baseOf(path)} />;
  return <TextView lines={lines} first={1} language={languageOf(baseOf(path))} line={line} label={`${baseOf(path)}, text`} />;
}

function PdfContent({ root, path, tag }: { root: string; path: string; tag: string }) {
  const { data, error } = useQuery({ queryKey: ["file-whole", root, path, tag], queryFn: ({ signal }) => whole(root, path, signal), staleTime: Infinity, gcTime: 10_000, retry: false });
  if (error && !data) return <div className="pad"><ErrorNotice error={error} /></div>;
  if (!data) return <p className="soft pad"><span className="spin" /> Reading</p>;
  return (
    <div className="file-scroll pad" tabIndex={0} role="region" aria-label={`${baseOf(path)}, pages`}>
      <Suspense fallback={<p className="soft"><span className="spin" /> Reading</p>}><Pdf key={tag} blob={data} name={shownName(baseOf(path))} /></Suspense>
    </div>
  );
}
