// One call of a tool: a line that says what it did, and everything about it behind it.
import { memo, useLayoutEffect, useRef } from "react";
import type { Tool } from "../../session/model";
import { Code } from "../../ui/code";
import { Diff } from "../../ui/diff";
import { diffOfEdits } from "../../ui/diff-parse";
import { duration, plain, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { pretty } from "../inbox/effect-view";

export const ToolCard = memo(function ToolCard({ tool }: { tool: Tool }) {
  const [word, className] = stateOf(tool);
  return (
    <details className={`tool ${tool.state}`} data-tool={tool.name}>
      <summary>
        <span className="tool-icon">{tool.state === "running" ? <span className="spin" /> : iconOf(tool.name)}</span>
        <span className="tool-name">{visible(tool.persona ?? tool.name)}</span>
        <span className="tool-what clip">{visible(summaryOf(tool))}</span>
        {word && <span className={`chip ${className}`}>{word}</span>}
        {tool.durationMs !== undefined && tool.durationMs >= 100 && <span className="soft small nowrap">{duration(tool.durationMs)}</span>}
      </summary>
      <div className="tool-body">
        <Input tool={tool} />
        {tool.calls.length > 0 && <div className="tools nested" role="group" aria-label="Calls of the subagent">{tool.calls.map((call) => <ToolCard key={call.key} tool={call} />)}</div>}
        {tool.state === "running" && tool.live && <Live text={tool.live} label="Output so far" />}
        {tool.output && (
          <figure className="code flat">
            <figcaption><span className="grow">Output</span></figcaption>
            <pre tabIndex={0} aria-label="Output">{visible(plain(tool.output))}{tool.truncated && "\n… (cut)"}</pre>
          </figure>
        )}
        {tool.goesOn && tool.live && <Live text={tool.live} label="Output since" />}
        {(tool.changed?.length || tool.removed?.length) && (
          <p className="small soft">{visible([tool.changed?.length && `Changed: ${tool.changed.join(", ")}`, tool.removed?.length && `Removed: ${tool.removed.join(", ")}`].filter(Boolean).join(". "))}</p>
        )}
      </div>
    </details>
  );
});

/** Output that grows. Its end stays in view. */
function Live({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => { if (box.current) box.current.scrollTop = box.current.scrollHeight; }, [text]);
  return (
    <figure className="code flat live-output">
      <figcaption><span className="grow">{label}</span></figcaption>
      <pre ref={box} tabIndex={0} aria-label={label}>{visible(plain(text))}</pre>
    </figure>
  );
}

/** The input as people read it: a diff, a command, else JSON. */
function Input({ tool }: { tool: Tool }) {
  const input = fields(tool.input);
  if (tool.effect?.diff && !tool.effect.done) return <Diff text={tool.effect.diff} />;
  if (tool.name === "edit" && Array.isArray(input.edits)) {
    const edits = input.edits.map((e) => ({ old: text(fields(e).old), new: text(fields(e).new) }));
    return <Diff files={[diffOfEdits(text(input.path), edits)]} />;
  }
  if (tool.name === "write" && typeof input.content === "string") {
    return <Diff files={[{ ...diffOfEdits(text(input.path), [{ old: "", new: input.content }]), state: "new" }]} />;
  }
  if (typeof input.command === "string") {
    return (
      <>
        <Code code={input.command} language="bash" label="Command" />
        {tool.effect?.done && tool.effect.diff && <Diff text={tool.effect.diff} />}
      </>
    );
  }
  if (typeof input.task === "string") return <p className="asked-text">{visible(input.task)}</p>;
  // A path or a pattern alone stands in the line above already.
  if (Object.keys(input).every((name) => name === "path" || name === "pattern")) return null;
  return <Code code={pretty(tool.input)} language="json" label="Input" />;
}

const fields = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? value as Record<string, unknown> : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** What a call is about, in a few words. */
function summaryOf(tool: Tool): string {
  const input = fields(tool.input);
  const pattern = text(input.pattern);
  const path = text(input.path);
  if (pattern) return path ? `${pattern} in ${path}` : pattern;
  for (const name of ["command", "path", "url", "task", "description", "query"]) {
    if (text(input[name])) return text(input[name]).split("\n")[0]!;
  }
  return "";
}

function stateOf(tool: Tool): [word: string, className: string] {
  if (tool.outcome === "refused") return ["refused", "warn"];
  if (tool.outcome === "expired") return ["not answered in time", "warn"];
  if (tool.outcome === "left_out") return [`${tool.leftOut ?? 0} left out`, "warn"];
  if (tool.state === "failed") return ["failed", "bad"];
  return ["", ""];
}

function iconOf(name: string) {
  if (name === "bash") return <Icon.terminal />;
  if (name === "edit" || name === "write") return <Icon.pencil />;
  if (name === "grep" || name === "glob") return <Icon.search />;
  if (name === "fetch" || name.startsWith("attachment.")) return <Icon.globe />;
  if (name.startsWith("agent.")) return <Icon.person />;
  if (name === "list" || name.startsWith("project.")) return <Icon.folder />;
  return <Icon.file />;
}
