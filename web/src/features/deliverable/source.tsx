// A file of the project as people read it, opened at a place, with a quotation marked.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import * as api from "../../api/deliverable";
import { search } from "../../api/files";
import { bytes } from "../../ui/format";
import { Markdown } from "../../ui/markdown";
import { ErrorNotice } from "../../ui/parts";
import { Content, kindOf } from "../attachments/preview";
import { findQuote, headingsOf, lineOf } from "./quote";
import { reveal } from "./reveal";

const PdfSource = lazy(() => import("./pdf-source"));

/** Text of a file that is shown, in characters. */
const mostText = 512 << 10;

export interface SourceProps {
  root: string;
  /** Candidates, the first that exists is shown. Each is relative to the project. */
  paths: readonly string[];
  /** The name by which the file is searched for in the project where no candidate exists; "" for none. */
  name?: string;
  steps?: readonly string[]; page?: number; quote?: string; line?: number;
}

export function Source({ root, paths, name: wanted = "", steps = [], page = 0, quote = "", line = 0 }: SourceProps) {
  const { data, error, isPending } = useQuery({
    queryKey: ["project-file", root, ...paths, wanted], retry: false,
    queryFn: async ({ signal }) => {
      let refused: unknown;
      for (const path of paths) {
        try {
          return { path, file: await api.projectFile(root, path, signal), searched: false };
        } catch (err) {
          if (signal.aborted) throw err;
          refused ??= err;
        }
      }
      const path = wanted && await onlyNamed(root, wanted, signal);
      if (!path) throw refused;
      return { path, file: await api.projectFile(root, path, signal), searched: true };
    },
  });
  if (error && !data) {
    return (
      <ErrorNotice error={error}>
        {paths.length > 1 && <p className="soft small">Looked for {paths.join(", ")}{wanted && `, and for one file of the project that is named ${wanted}`}.</p>}
      </ErrorNotice>
    );
  }
  if (!data) return <p className="soft source-wait">{isPending && <><span className="spin" /> Reading</>}</p>;
  const { path, file } = data;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const kind = kindOf(name);
  return (
    <div className="source" data-source={path}>
      {data.searched && <p className="soft small">Found by its name: <code>{path}</code></p>}
      {file.cut && !(kind === "pdf" && file.parts) && <p className="notice warn"><span>The server shows the first {bytes(file.blob.size)} of {bytes(file.size)}.</span></p>}
      {kind === "pdf" ? (
        <Suspense fallback={<p className="soft"><span className="spin" /> Reading</p>}><PdfSource key={path} root={root} path={path} file={file} name={name} page={page} quote={quote} /></Suspense>
      ) : kind === "table" ? <TableSource key={path} blob={file.blob} name={name} quote={quote} />
        : kind === "text" ? <TextSource key={path} blob={file.blob} markdown={/\.md$/i.test(name)} name={name} steps={steps} quote={quote} line={line} />
        : <Content name={name} blob={file.blob} />}
    </div>
  );
}

/** The path of the only file of a project with a name, "" where there is none or more than one. */
async function onlyNamed(root: string, name: string, signal: AbortSignal): Promise<string> {
  const found = await search(root, { query: name, in: "name", regexp: false }, signal).catch(() => undefined);
  const same = (found?.results ?? []).filter((f) => f.path.split("/").at(-1)?.toLowerCase() === name.toLowerCase());
  return same.length === 1 && !found?.cut ? same[0]!.path : "";
}

interface Part { line: number; text: string }

/** A text cut at its headings. */
function partsOf(text: string): Part[] {
  const lines = text.split("\n");
  const starts = [0, ...headingsOf(lines).map((h) => h.line)].filter((l, i, all) => all.indexOf(l) === i);
  return starts.map((from, i) => ({ line: from, text: lines.slice(from, starts[i + 1] ?? lines.length).join("\n") }));
}

/** What became of the search for the quotation. */
type Found = "" | "here" | "elsewhere" | "none" | "cut";

function TextSource({ blob, markdown, name, steps, quote, line }: { blob: Blob; markdown: boolean; name: string; steps: readonly string[]; quote: string; line: number }) {
  const [text, setText] = useState<string>();
  useEffect(() => {
    let gone = false;
    void blob.text().then((t) => { if (!gone) setText(t.replace(/\r\n?/g, "\n")); });
    return () => { gone = true; };
  }, [blob]);
  return text === undefined ? null : <Text text={text} markdown={markdown} name={name} steps={steps} quote={quote} line={line} />;
}

function Text({ text: whole, markdown, name, steps, quote, line }: { text: string; markdown: boolean; name: string; steps: readonly string[]; quote: string; line: number }) {
  const text = whole.length > mostText ? whole.slice(0, mostText) : whole;
  const parts = useMemo(() => partsOf(text), [text]);
  const place = useMemo(() => (line > 0 ? { line: line - 1, found: 1 } : lineOf(text.split("\n"), steps)), [text, line, steps]);
  const from = parts.findLast((p) => p.line <= place.line) ?? parts[0]!;
  const { box, found } = useQuote(quote, from.line, place.found > 0, text.length < whole.length);
  return (
    <>
      {quote && <QuoteState found={found} quote={quote} />}
      {steps.length > 0 && place.found === 0 && <p className="soft small">No heading or line of {name} is named “{steps.join(" > ")}”.</p>}
      <div ref={box} className={markdown ? "source-text" : "source-text plain"} tabIndex={0} role="region" aria-label={name}>
        {markdown ? parts.map((p) => <div key={p.line} data-line={p.line}><Markdown text={p.text} growing={false} /></div>) : parts.map((p) => <pre key={p.line} data-line={p.line}>{p.text}</pre>)}
      </div>
      {text.length < whole.length && <p className="soft small">The first {bytes(text.length)} are shown.</p>}
    </>
  );
}

/** A table, in which a quotation is marked as in a text. */
function TableSource({ blob, name, quote }: { blob: Blob; name: string; quote: string }) {
  const { box, found } = useQuote(quote, 0, false, false);
  return (
    <>
      {quote && <QuoteState found={found} quote={quote} />}
      <div ref={box}><div data-line={0}><Content name={name} blob={blob} /></div></div>
    </>
  );
}

/**
 * Marks a quotation in what is drawn in a box, and scrolls to it once, or to the line of the
 * reference. The parts are drawn once their renderer is loaded, and anew when the file changes.
 */
function useQuote(quote: string, line: number, placed: boolean, cut: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState<Found>("");
  const scrolled = useRef("");
  useLayoutEffect(() => {
    const b = box.current;
    if (!b) return;
    const show = () => {
      if (!b.textContent) return;
      setFound(markQuote(b, quote, line, placed, cut));
      const to = b.querySelector("[data-quoted]") ?? (placed ? b.querySelector(`[data-line="${line}"]`) : null);
      const key = `${quote}\n${line}`;
      if (!to || scrolled.current === key) return;
      // Until its renderer is loaded a text has another height.
      if (!b.querySelector(".raw")) scrolled.current = key;
      reveal(to, to.hasAttribute("data-quoted") ? "center" : "start");
    };
    show();
    const watch = new MutationObserver(show);
    watch.observe(b, { childList: true, subtree: true, characterData: true });
    return () => { watch.disconnect(); unmark(); };
  }, [quote, line, placed, cut]);
  return { box, found };
}

export function QuoteState({ found, quote, children }: { found: Found; quote: string; children?: React.ReactNode }) {
  if (found === "none" || found === "cut") {
    return (
      <div className="notice warn quote-missing" role="status">
        <strong>{found === "cut" ? "The quote is not in the part that is shown" : "The quote is not in this file"}</strong>
        <p className="small">“{quote}”</p>
        <p className="small soft">{found === "cut" ? "Open the whole file to look for it." : "The file may have changed since, or the quote was not taken from it word for word."}</p>
      </div>
    );
  }
  return <p className="small quote-found" role="status" data-found={found}>{found === "here" ? "The quote is marked." : found === "elsewhere" ? "The quote is marked, in another place than the reference says." : ""}{children}</p>;
}

const highlightName = "belay-quote";

function unmark(): void {
  CSS.highlights?.delete(highlightName);
}

/** Marks a quotation in what is drawn, at first from a line on, and says where it is. */
function markQuote(box: HTMLElement, quote: string, line: number, placed: boolean, cut: boolean): Found {
  for (const old of box.querySelectorAll("[data-quoted]")) old.removeAttribute("data-quoted");
  unmark();
  if (!quote.trim()) return "";
  const texts: { node: globalThis.Text; start: number }[] = [];
  let all = "", begin = 0, end = Infinity;
  for (const part of box.querySelectorAll<HTMLElement>("[data-line]")) {
    const at = Number(part.dataset.line);
    if (at === line) begin = all.length;
    else if (at > line && end === Infinity) end = all.length;
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      texts.push({ node: n as globalThis.Text, start: all.length });
      all += `${n.nodeValue ?? ""}\n`;
    }
  }
  const ranges = findQuote(all, quote, begin);
  if (!ranges) return cut ? "cut" : "none";
  const marked = ranges.map(([from, to]) => {
    const first = texts.findLast((t) => t.start <= from)!, last = texts.findLast((t) => t.start < to)!;
    const range = document.createRange();
    range.setStart(first.node, from - first.start);
    range.setEnd(last.node, Math.min(last.node.length, to - last.start));
    return range;
  });
  if (typeof Highlight === "function") CSS.highlights?.set(highlightName, new Highlight(...marked));
  marked[0]!.startContainer.parentElement?.setAttribute("data-quoted", "");
  return placed && (ranges[0]![0] < begin || ranges[0]![0] >= end) ? "elsewhere" : "here";
}
