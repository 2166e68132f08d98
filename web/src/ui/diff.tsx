// Shows a diff: one folding part per file, with line numbers and, in lines that
// replace each other, what differs.
import { type ReactNode, useMemo, useState } from "react";
import { type DiffFile, type DiffLine, parseDiff } from "./diff-parse";

/** Lines of one file that are shown before a person asks for more. */
const firstLines = 300;

export interface Choice { chosen: ReadonlySet<string>; toggle(path: string): void; label: string }

/** Shows the files of a unified diff, and those of paths that it does not show. */
export function Diff({ text, files, paths = [], open = true, choice, marks }: {
  text?: string; files?: DiffFile[]; paths?: readonly string[]; open?: boolean; choice?: Choice | undefined;
  marks?: ReadonlyMap<string, ReactNode>;
}) {
  const parsed = useMemo(() => files ?? parseDiff(text ?? ""), [files, text]);
  const shown = new Set(parsed.map((f) => f.path));
  const rest = paths.filter((p) => !shown.has(p));
  return (
    <div className="diff">
      {parsed.map((f, i) => <File key={`${f.path}${i}`} file={f} open={open && parsed.length <= 12} choice={choice} mark={marks?.get(f.path)} />)}
      {rest.map((p) => (
        <div className="diff-file bare" key={p}>
          <Pick path={p} choice={choice} /><span className="path grow">{p}</span>{marks?.get(p)}
          <span className="soft small">no diff shown</span>
        </div>
      ))}
    </div>
  );
}

function Pick({ path, choice }: { path: string; choice: Choice | undefined }) {
  if (!choice) return null;
  return (
    <label className="pick">
      <input type="checkbox" checked={choice.chosen.has(path)} onChange={() => choice.toggle(path)} />
      <span className="hidden">{choice.label} {path}</span>
    </label>
  );
}

function File({ file, open, choice, mark }: { file: DiffFile; open: boolean; choice: Choice | undefined; mark: ReactNode }) {
  const [all, setAll] = useState(false);
  const total = file.hunks.reduce((n, h) => n + h.length, 0);
  let left = all ? Infinity : firstLines;
  const hunks = file.hunks.map((h) => {
    const part = h.slice(0, Math.max(0, left));
    left -= part.length;
    return part;
  });
  return (
    <div className="diff-file">
      <Pick path={file.path} choice={choice} />
      <details open={open}>
        <summary>
          <span className="path grow">{file.path || "changes"}</span>
          {mark}
          {file.state !== "changed" && <span className="chip">{file.state === "new" ? "new" : "removed"}</span>}
          <span className="counts"><span className="plus">+{file.added}</span> <span className="minus">−{file.removed}</span></span>
        </summary>
        <div className="diff-scroll" tabIndex={0} role="region" aria-label={`Diff of ${file.path || "changes"}`}>
          <table className="diff-lines">
            <tbody>
              {hunks.map((hunk, h) => [
                h > 0 && <tr className="cut" key={`cut${h}`}><td colSpan={3}>⋯</td></tr>,
                ...hunk.map((line, i) => <Line key={`${h}.${i}`} line={line} />),
              ])}
            </tbody>
          </table>
        </div>
        {!all && total > firstLines && (
          <button type="button" className="button plain small" onClick={() => setAll(true)}>Show all {total} lines</button>
        )}
      </details>
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
      <td className="t" data-sign={signs[line.kind]}>
        {spoken[line.kind] && <span className="hidden">{spoken[line.kind]}</span>}
        {line.mark ? <>{line.text.slice(0, line.mark[0])}<mark>{line.text.slice(...line.mark)}</mark>{line.text.slice(line.mark[1])}</> : line.text || " "}
      </td>
    </tr>
  );
}
