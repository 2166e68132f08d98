// Lines of a text with their numbers, of which only those near the screen are drawn.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Piece } from "./highlight-lines";
import { FixedRows, showRow } from "./fixed-rows";
import { mostLine } from "./text-lines";

const height = 20;

/** Longer text stays plain: colours are not worth a slow page. */
const mostColoured = 300_000;

export function TextView({ lines, first, language = "", line = 0, label }: {
  lines: readonly string[];
  /** The number of the first line; 0 where nobody knows it. */
  first: number;
  language?: string;
  /** The line to show and mark, 0 for none. */
  line?: number;
  label: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const colours = useColours(lines, language);
  const marked = line > 0 && first > 0 ? line - first : -1;
  useLayoutEffect(() => { if (marked >= 0 && marked < lines.length) showRow(box.current, marked, height, "middle"); }, [marked, lines.length]);
  const widest = String(first + lines.length).length;
  return (
    <div ref={box} className="text-view" tabIndex={0} role="region" aria-label={label} style={{ "--digits": `${widest + 1}ch` } as object}>
      <FixedRows count={lines.length} height={height} box={box}>
        {(i) => (
          <div key={i} className={i === marked ? "text-line marked" : "text-line"} style={{ height }} data-line={first > 0 ? first + i : undefined}>
            {first > 0 && <span className="line-number" aria-hidden="true" data-n={first + i} />}
            <code>{drawn(lines[i]!, colours?.[i])}</code>
          </div>
        )}
      </FixedRows>
    </div>
  );
}

function drawn(line: string, pieces: Piece[] | undefined): ReactNode {
  if (line.length > mostLine) return `${line.slice(0, mostLine)} … ${line.length.toLocaleString("en-US")} characters`;
  if (!pieces) return line;
  return pieces.map((p, i) => (p.kind ? <span key={i} className={p.kind}>{p.text}</span> : p.text));
}

function useColours(lines: readonly string[], language: string): Piece[][] | undefined {
  const [done, setDone] = useState<{ lines: readonly string[]; colours: Piece[][] | undefined }>();
  useEffect(() => {
    if (language === "" || lines.reduce((n, l) => n + l.length, 0) > mostColoured) return;
    let gone = false;
    void import("./highlight-lines").then((m) => { if (!gone) setDone({ lines, colours: m.highlightLines(lines.join("\n"), language) }); }, () => undefined);
    return () => { gone = true; };
  }, [lines, language]);
  return done?.lines === lines ? done.colours : undefined;
}
