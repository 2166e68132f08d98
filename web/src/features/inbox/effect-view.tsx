// What a call would do, or has done: the command, its output, the files with their
// diff, the marks that make it unusual.
import type { ReactNode } from "react";
import { Code } from "../../ui/code";
import { type Choice, Diff } from "../../ui/diff";
import { count, plain, visible } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { type Ask, pathOfMark } from "./ask";
import { unlisted } from "./part";

/** Lines of a list of marks that are shown. */
const mostMarks = 20;

/** @param rest what becomes of files that have no tick, because the question's list does not name them */
export function EffectView({ ask, choice, rest = "" }: { ask: Ask; choice?: Choice | undefined; rest?: string }) {
  const e = ask.effect;
  if (ask.wait) return <p className="asked-text">{visible(ask.reason) || "A person continues the run, or refuses."}</p>;
  if (!e) return <Code code={pretty(ask.input)} language="json" label="Input" />;
  const paths = e.paths ?? [];
  const more = unlisted(e);
  const ignored = e.done?.ignored ?? [], picked = ignored.filter((i) => choice?.of.has(i.path));
  const repositories = new Set(e.repositories?.map((r) => r.path));
  const marks = new Map<string, ReactNode>();
  for (const r of repositories) marks.set(r, <span className="chip">repository</span>);
  for (const i of picked) marks.set(i.path, <span className="chip">{count(i.files, "ignored file")}</span>);
  for (const line of e.onRequest ?? []) mark(line, "warn", "runs when asked");
  for (const line of e.automatic ?? []) mark(line, "bad", "runs by itself");
  function mark(line: string, className: string, label: string) {
    const path = pathOfMark(line, paths);
    if (path) marks.set(path, <span className={`chip ${className}`} title={visible(line)}>{label}</span>);
  }
  return (
    <div className="effect">
      <Marks ask={ask} />
      {e.kind === "network" && <p className="asked-text">{visible(e.command ?? e.summary ?? "")}</p>}
      {e.command && e.kind !== "network" && (e.kind === "external" ? <Code code={e.command} language="json" label="Input" />
        : <Code code={e.command} language="bash" label={e.dir ? `Command, in ${e.dir}` : "Command"} />)}
      {e.why && <p><span className="soft">The agent says why: </span>{visible(e.why)}</p>}
      {e.done?.output && <Output text={e.done.output} failed={e.done.failed === true} />}
      {e.publication && <ul className="plain-list">{(e.publication.files ?? []).map((f, i) => <li key={i}><Icon.file /> {visible(fileName(f))}</li>)}</ul>}
      {(e.repositories ?? []).map((r) => (
        <p key={r.path} className="repo"><code>{visible(r.path)}</code> {visible((r.does ?? []).join("; "))}</p>
      ))}
      {(e.diff || paths.length > 0 || picked.length > 0) && (
        <Diff text={e.diff ?? ""} paths={[...paths.filter((p) => choice || !repositories.has(p)), ...picked.map((i) => i.path)]} choice={choice} marks={marks} review={ask.id} />
      )}
      {more > 0 && paths.length > 0 && (
        <p className="soft small" data-more={more}>{rest ? `${count(more, "more file")} without a tick ${more === 1 ? "is" : "are"} ${rest}.` : `${count(more, "more file")} not listed.`}</p>
      )}
      {ignored.filter((i) => !picked.includes(i)).map((i) => <p key={i.path} className="soft small">{count(i.files, "ignored file")} below <code>{visible(i.path)}</code>{rest && `, ${rest}`}</p>)}
      {!e.diff && !e.command && paths.length === 0 && !e.hosts?.length && <Code code={pretty(ask.input)} language="json" label="Input" />}
    </div>
  );
}

/** Everything about a call that a person should notice first. */
function Marks({ ask }: { ask: Ask }) {
  const e = ask.effect!;
  const chips: [string, string][] = [];
  if (e.outside) chips.push(["bad", "outside the sandbox, with your files and credentials"]);
  if (e.unconfined) chips.push(["bad", "this machine cannot confine it"]);
  if (e.network) chips.push(["bad", "free network access"]);
  if (e.write) chips.push(["warn", "writes to the project while it runs"]);
  if (e.opaque) chips.push(["warn", "its text cannot be read in full"]);
  for (const host of e.hosts ?? []) chips.push(["accent", `host ${host}`]);
  for (const port of e.ports ?? []) chips.push(["accent", `port ${port}`]);
  if (e.background) chips.push(["", "keeps running in the background"]);
  return (
    <>
      {chips.length > 0 && <ul className="chips" aria-label="Notice">{chips.map(([c, t]) => <li key={t} className={`chip ${c}`}><span>{visible(t)}</span></li>)}</ul>}
      {e.doubt && <p className="notice warn"><span>{visible(e.doubt)}</span></p>}
      <MarkList className="bad" title="Other programs run these by themselves" lines={e.automatic} />
      <MarkList className="bad" title="The command may execute files that this session changed" lines={e.runs} />
      <MarkList className="warn" title="These run when you build, test or start the project" lines={e.onRequest} />
    </>
  );
}

function MarkList({ className, title, lines }: { className: string; title: string; lines: readonly string[] | undefined }) {
  if (!lines?.length) return null;
  return (
    <div className={`notice ${className}`}>
      <strong>{title}</strong>
      <ul>
        {lines.slice(0, mostMarks).map((line) => <li key={line}>{visible(line)}</li>)}
        {lines.length > mostMarks && <li>and {lines.length - mostMarks} more</li>}
      </ul>
    </div>
  );
}

function Output({ text, failed }: { text: string; failed: boolean }) {
  return (
    <details className="output" open={failed}>
      <summary>Output{failed && <span className="chip bad">failed</span>}</summary>
      <pre tabIndex={0} aria-label="Output">{visible(plain(text))}</pre>
    </details>
  );
}

export function pretty(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {}, null, 2);
}

function fileName(file: unknown): string {
  const f = file as { name?: string; path?: string; filename?: string };
  return f.path ?? f.filename ?? f.name ?? "a file";
}
