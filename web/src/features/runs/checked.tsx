// What a check found in a workflow file: each problem with its line and the next step.
import type { Checked } from "../../api/workflows";
import { count, visible } from "../../ui/format";

export function CheckedFile({ checked }: { checked: Checked }) {
  const lines = (checked.text ?? "").split("\n");
  const problems = checked.problems ?? [];
  // One habit makes many problems: their hint is said once.
  const first = (hint: string) => problems.findIndex((p) => p.hint === hint);
  return (
    <>
      {problems.length > 0 && (
        <ol className="problems" aria-label="Problems">
          {problems.map((p, i) => (
            <li key={i} className="problem">
              <span className="problem-place">{p.line ? `${p.line}:${p.column}` : "file"}</span>
              <div className="problem-body">
                <p className="problem-message">{visible(p.message)}</p>
                {p.field && <p className="soft small"><code>{p.field}</code></p>}
                {p.line !== undefined && lines[p.line - 1] !== undefined && <SourceLine text={lines[p.line - 1]!} column={p.column ?? 1} />}
                {p.hint && first(p.hint) === i && <p className="small problem-hint">{p.hint}</p>}
              </div>
            </li>
          ))}
        </ol>
      )}
      {(checked.more ?? 0) > 0 && <p className="soft small">And {count(checked.more!, "more problem")}.</p>}
      {(checked.warnings ?? []).map((w, i) => <p key={i} className="notice warn small">{w.line}:{w.column}: {w.message}</p>)}
    </>
  );
}

/** A line of the file with the place marked. */
function SourceLine({ text, column }: { text: string; column: number }) {
  const at = Math.min(Math.max(column - 1, 0), text.length);
  const word = /^[\w$"'.-]+/.exec(text.slice(at))?.[0] ?? text.slice(at, at + 1);
  return <pre className="problem-line">{visible(text.slice(0, at))}<mark>{visible(word) || " "}</mark>{visible(text.slice(at + word.length))}</pre>;
}
