// A text that is too large to be read whole: one part of it at a time.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Changed, part } from "../../api/files";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { size as sizeOf } from "./size";
import { TextView } from "./text-view";
import { countLines, linesOf, partSize, wholeLines } from "./text-lines";

/** How far a line is looked for, and how much at once, in bytes. */
const mostSought = 256 << 20, sought = 4 << 20;

/** Where a part begins, and the number of its first line; 0 where nobody counted. */
interface Place { from: number; first: number }

export function LargeText({ root, path, size, tag, line, language, onChanged }: {
  root: string; path: string; size: number; tag: string; line: number; language: string; onChanged: () => void;
}) {
  const [place, setPlace] = useState<Place>({ from: 0, first: 1 });
  const [seeking, setSeeking] = useState(false);
  const { data, error } = useQuery(partQuery(root, path, size, tag, place));
  useEffect(() => { if (error instanceof Changed) onChanged(); }, [error, onChanged]);
  useEffect(() => {
    if (line <= 1) return;
    const gone = new AbortController();
    setSeeking(true);
    seek(root, path, size, tag, line, gone.signal).then((found) => { if (found && !gone.signal.aborted) setPlace(found); }, () => undefined)
      .finally(() => { if (!gone.signal.aborted) setSeeking(false); });
    return () => gone.abort();
  }, [root, path, size, tag, line]);
  const lines = useMemo(() => (data ? linesOf(data.text) : []), [data]);
  const end = Math.min(size, place.from + partSize) - (data?.left ?? 0);
  const last = Math.max(0, size - partSize);
  const to = (from: number) => setPlace({ from: Math.max(0, Math.min(from, last)), first: from <= 0 ? 1 : 0 });
  const next = () => setPlace({ from: end, first: place.first > 0 ? place.first + lines.length : 0 });
  return (
    <div className="large-text">
      <div className="large-bar">
        <button type="button" className="button icon" aria-label="Beginning" disabled={place.from === 0} onClick={() => to(0)}><Icon.up /></button>
        <button type="button" className="button icon" id="part-before" aria-label="Part before" disabled={place.from === 0} onClick={() => to(place.from - partSize)}><Icon.back /></button>
        <input type="range" className="grow" aria-label="Place in the file" min={0} max={last} step={1} value={place.from} aria-valuetext={`${sizeOf(place.from)} of ${sizeOf(size)}`}
          onChange={(e) => to(Number(e.target.value))} />
        <button type="button" className="button icon" id="part-after" aria-label="Next part" disabled={end >= size} onClick={next}><Icon.chevron /></button>
        <button type="button" className="button icon" id="part-end" aria-label="End" disabled={end >= size} onClick={() => to(last)}><Icon.down /></button>
        <span className="small soft nowrap" id="part-place">{sizeOf(place.from)} – {sizeOf(end)} of {sizeOf(size)}</span>
      </div>
      {seeking && <p className="soft small pad"><span className="spin" /> Looking for line {line.toLocaleString("en-US")}</p>}
      {error && !(error instanceof Changed) ? <div className="pad"><ErrorNotice error={error} /></div>
        : <TextView key={place.from} lines={lines} first={place.first} language={language} line={line} label={`${path}, a part`} />}
    </div>
  );
}

/** A part. Where it begins with a whole line, which is known by its number, its text is another than where it may not. */
export const partQuery = (root: string, path: string, size: number, tag: string, { from, first }: Place) => queryOptions({
  queryKey: ["file-part", root, path, tag, from, from === 0 || first > 0], staleTime: Infinity, gcTime: 60_000, retry: false,
  queryFn: async ({ signal }) => {
    const to = Math.min(size, from + partSize);
    return wholeLines(await part(root, path, from, to, tag, signal), from === 0 || first > 0, to === size);
  },
});

/** Finds where the part with a line begins: some lines before it. */
async function seek(root: string, path: string, size: number, tag: string, line: number, signal: AbortSignal): Promise<Place | undefined> {
  const before = 200;
  const wanted = Math.max(0, line - 1 - before);
  let passed = 0;
  for (let from = 0; from < Math.min(size, mostSought);) {
    const data = await part(root, path, from, Math.min(size, from + sought), tag, signal);
    const { lines, end } = countLines(data, wanted - passed);
    passed += lines;
    if (passed === wanted) return { from: from + end, first: passed + 1 };
    from += data.length;
  }
  return undefined;
}
