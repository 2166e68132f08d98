// Shows a diff: one folding part per file, with line numbers and, in lines that
// replace each other, what differs.
import { type ReactNode, useMemo, useState } from "react";
import { pairsOf } from "./diff-lines";
import { type DiffFile, type DiffLine, parseDiff } from "./diff-parse";
import { visible } from "./format";
import { isViewed, setDiffStyle, setViewed, useDiffStyle } from "./diff-style";

/** Lines of one file that are shown before a person asks for more. */
const firstLines = 300;

/** A choice of some files, which have ticks. Files that it is not `of` have none. */
export interface Choice { of: ReadonlySet<string>; chosen: ReadonlySet<string>; toggle(path: string): void; label: string }

/**
 * Shows the files of a unified diff, and those of paths that it does not show. A
 * review, named by what it is about, has viewed marks and the switch to two columns.
 */
export function Diff({ text, files, paths = [], open = true, choice, marks, review = "" }: {
  text?: string; files?: DiffFile[]; paths?: readonly string[]; open?: boolean; choice?: Choice | undefined;
  marks?: ReadonlyMap<string, ReactNode>; review?: string;
}) {
  const parsed = useMemo(() => files ?? parseDiff(text ?? ""), [files, text]);
  const style = useDiffStyle();
  const keyOf = (f: DiffFile) => `${review}/${f.path}/${f.added}/${f.removed}`;
  const [seen, setSeen] = useState<ReadonlySet<string>>(() => new Set(parsed.map(keyOf).filter(isViewed)));
  const shown = new Set(parsed.map((f) => f.path));
  const rest = paths.filter((p) => !shown.has(p));
  const see = (f: DiffFile, to: boolean) => {
    setViewed(keyOf(f), to);
    setSeen((s) => { const next = new Set(s); if (to) next.add(keyOf(f)); else next.delete(keyOf(f)); return next; });
  };
  return (
    <div className={`diff ${style}`}>
      {review && parsed.length > 0 && <Head files={parsed} seen={parsed.filter((f) => seen.has(keyOf(f))).length} />}
      {parsed.map((f, i) => (
        <File key={`${f.path}${i}`} file={f} open={open && parsed.length <= 12 && !seen.has(keyOf(f))} choice={choice} mark={marks?.get(f.path)} split={style === "split" && !narrow()}
          viewed={review && parsed.length > 1 ? seen.has(keyOf(f)) : undefined} onViewed={(to) => see(f, to)} />
      ))}
      {rest.map((p) => (
        <div className="diff-file bare" key={p}>
          <Pick path={p} choice={choice} /><span className="path grow">{visible(p)}</span>{marks?.get(p)}
          <span className="soft small">no diff shown</span>
        </div>
      ))}
    </div>
  );
}

function Head({ files, seen }: { files: readonly DiffFile[]; seen: number }) {
  const style = useDiffStyle();
  const added = files.reduce((n, f) => n + f.added, 0), removed = files.reduce((n, f) => n + f.removed, 0);
  return (
    <div className="diff-head small">
      <span className="soft">{files.length === 1 ? "1 file" : `${files.length} files`}</span>
      <span className="counts"><span className="plus">+{added}</span> <span className="minus">−{removed}</span></span>
      {seen > 0 && <span className="soft">{seen} of {files.length} viewed</span>}
      <span className="grow" />
      <span className="segments" role="group" aria-label="Layout of diffs">
        {(["unified", "split"] as const).map((to) => (
          <button key={to} type="button" className="segment" aria-pressed={style === to} data-style={to} onClick={() => setDiffStyle(to)}>{to === "split" ? "Side by side" : "Unified"}</button>
        ))}
      </span>
    </div>
  );
}

function Pick({ path, choice }: { path: string; choice: Choice | undefined }) {
  if (!choice?.of.has(path)) return null;
  return (
    <label className="pick">
      <input type="checkbox" checked={choice.chosen.has(path)} onChange={() => choice.toggle(path)} />
      <span className="hidden">{choice.label} {visible(path)}</span>
    </label>
  );
}

function File({ file, open, choice, mark, split, viewed, onViewed }: {
  file: DiffFile; open: boolean; choice: Choice | undefined; mark: ReactNode; split: boolean; viewed: boolean | undefined; onViewed: (to: boolean) => void;
}) {
  const [all, setAll] = useState(false);
  const [unfolded, setUnfolded] = useState(open);
  const name = visible(file.path) || "changes";
  const total = file.hunks.reduce((n, h) => n + h.length, 0);
  let left = all ? Infinity : firstLines;
  const hunks = file.hunks.map((h) => {
    const part = h.slice(0, Math.max(0, left));
    left -= part.length;
    return part;
  });
  // A new file has nothing to stand beside.
  const two = split && file.state === "changed";
  return (
    <div className={viewed ? "diff-file viewed" : "diff-file"}>
      <Pick path={file.path} choice={choice} />
      <details open={unfolded} onToggle={(e) => setUnfolded(e.currentTarget.open)}>
        <summary>
          <span className="path grow">{name}</span>
          {mark}
          {file.state !== "changed" && <span className="chip">{file.state === "new" ? "new" : "removed"}</span>}
          <span className="counts"><span className="plus">+{file.added}</span> <span className="minus">−{file.removed}</span></span>
        </summary>
        {unfolded && (
          <div className="diff-scroll" tabIndex={0} role="region" aria-label={`Diff of ${name}`}>
            <table className={two ? "diff-lines two" : "diff-lines"}>
              <tbody>
                {hunks.map((hunk, h) => [
                  h > 0 && <tr className="cut" key={`cut${h}`}><td colSpan={two ? 4 : 3}>⋯</td></tr>,
                  ...two
                    ? pairsOf(hunk).map(({ left: l, right: r }, i) => <tr key={`${h}.${i}`}><Side line={l} side="old" /><Side line={r} side="new" /></tr>)
                    : hunk.map((line, i) => <Line key={`${h}.${i}`} line={line} />),
                ])}
              </tbody>
            </table>
          </div>
        )}
        {unfolded && !all && total > firstLines && (
          <button type="button" className="button plain small" onClick={() => setAll(true)}>Show all {total} lines</button>
        )}
      </details>
      {viewed !== undefined && (
        <label className="viewed-mark small">
          <input type="checkbox" checked={viewed} onChange={(e) => { onViewed(e.target.checked); setUnfolded(!e.target.checked); }} />
          <span>Viewed<span className="hidden"> {name}</span></span>
        </label>
      )}
    </div>
  );
}

const signs = { add: "+", del: "−", same: " ", note: " " } as const;
const spoken = { add: "added: ", del: "removed: ", same: "", note: "" } as const;

function Line({ line }: { line: DiffLine }) {
  return (
    <tr className={line.kind}>
      <td className="n" data-n={line.old ?? ""} />
      <td className="n" data-n={line.new ?? ""} />
      <td className="t" data-sign={signs[line.kind]}><Text line={line} /></td>
    </tr>
  );
}

/** One half of a row of two columns. */
function Side({ line, side }: { line: DiffLine | undefined; side: "old" | "new" }) {
  if (!line) return <><td className="n" /><td className="t none" /></>;
  return (
    <>
      <td className="n" data-n={line[side] ?? ""} />
      <td className={`t ${line.kind}`} data-sign={signs[line.kind]}><Text line={line} /></td>
    </>
  );
}

function Text({ line }: { line: DiffLine }) {
  return (
    <>
      {spoken[line.kind] && <span className="hidden">{spoken[line.kind]}</span>}
      {line.mark ? <>{line.text.slice(0, line.mark[0])}<mark>{line.text.slice(...line.mark)}</mark>{line.text.slice(line.mark[1])}</> : line.text || " "}
    </>
  );
}

/** Two columns need room. */
const narrow = () => matchMedia("(max-width: 50rem)").matches;
