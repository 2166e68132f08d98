// What a search in a project found, by file.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type FoundFile, search, type Search } from "../../api/files";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { baseOf, folderOf, shownName } from "./names";

/** How long a person has to stop typing before the server is asked, in milliseconds. */
const pause = 200;

/** A query once nobody has typed for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as T), pause);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}

export function SearchResults({ root, wanted, selected, linkOf }: { root: string; wanted: Search; selected: string; linkOf: (path: string, line: number) => string }) {
  const settled = useSettled(wanted);
  const { data, error, isFetching } = useQuery({
    queryKey: ["file-search", root, settled], queryFn: ({ signal }) => search(root, settled, signal), enabled: settled.query.trim() !== "", retry: false, placeholderData: keepPreviousData, staleTime: 5_000,
  });
  const results = data?.results ?? [];
  return (
    <div className="found" aria-busy={isFetching}>
      <p className="small soft found-sum" role="status">
        {error ? null : !data ? <><span className="spin" /> Looking</> : results.length === 0 ? "Nothing was found." : settled.in === "content" ? `${count(data.matches, "line")} in ${count(results.length, "file")}` : count(results.length, "file")}
        {isFetching && data && <span className="spin" />}
      </p>
      {error && <div className="pad"><ErrorNotice error={error} /></div>}
      {data?.reason && <p className="notice warn small">Not everything was looked at: {data.reason}.</p>}
      {data && (data.unreadable ?? 0) > 0 && <p className="small soft found-sum">{count(data.unreadable!, "folder")} could not be opened.</p>}
      <ul className="found-files">
        {results.map((file) => <li key={file.path}>{settled.in === "content" ? <Lines file={file} linkOf={linkOf} /> : <Named file={file} current={file.path === selected} href={linkOf(file.path, 0)} />}</li>)}
      </ul>
    </div>
  );
}

function Named({ file, current, href }: { file: FoundFile; current: boolean; href: string }) {
  const hit = file.lines?.[0];
  return (
    <a className="found-name" href={href} title={file.path} aria-current={current ? "true" : undefined}>
      <Icon.file />
      <span className="clip grow"><bdi>{hit ? <>{shownName(hit.before)}<mark>{shownName(hit.match)}</mark>{shownName(hit.after)}</> : shownName(file.path)}</bdi></span>
    </a>
  );
}

/** As much of a line as leaves room for the match in a narrow list. */
export function beforeMatch(text: string): string {
  const start = text.trimStart();
  return start.length > 12 ? `…${start.slice(-12).trimStart()}` : start;
}

function Lines({ file, linkOf }: { file: FoundFile; linkOf: (path: string, line: number) => string }) {
  const lines = file.lines ?? [];
  return (
    <details open>
      <summary title={file.path}><span className="clip grow"><bdi>{shownName(baseOf(file.path))}</bdi> <span className="soft small">{shownName(folderOf(file.path))}</span></span><span className="chip">{file.count}</span></summary>
      <ol>
        {lines.map((l) => (
          <li key={l.line}>
            <a className="found-line" href={linkOf(file.path, l.line ?? 0)}>
              <span className="found-number">{l.line}</span>
              <code className="clip grow">{beforeMatch(l.before)}<mark>{l.match}</mark>{l.after.slice(0, 200)}</code>
            </a>
          </li>
        ))}
      </ol>
      {file.count > lines.length && <p className="small soft found-more">{count(file.count - lines.length, "more line")}</p>}
    </details>
  );
}
