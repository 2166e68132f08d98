// Ways to a project: one made of a decomposition, a working example, or a folder.
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import * as api from "../../api/portal";
import type { Project } from "../../api/types";
import { useRefresh } from "../../app-state";
import { navigate, projectLink } from "../../route";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Sheet } from "../../ui/parts";
import "./first-run.css";

/** Opens a project by its folder, which becomes a known one. */
export function useOpen() {
  const refresh = useRefresh();
  return async (path: string) => {
    const project = await api.addProject(path);
    refresh("projects");
    navigate(projectLink(project.id));
  };
}

/** Puts the focus on a part of a dialog once that is open. */
export function useFocusInDialog<T extends HTMLElement>() {
  const part = useRef<T>(null);
  useEffect(() => {
    const soon = setTimeout(() => part.current?.focus());
    return () => clearTimeout(soon);
  }, []);
  return part;
}

/** Copies the example project and opens it, in one click. */
export function TryExample({ primary = false }: { primary?: boolean }) {
  const open = useOpen();
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => open(await api.example()) });
  return (
    <>
      <button type="button" id="try-example" className={primary ? "button primary" : "button"} disabled={isPending} onClick={() => mutate()}>{isPending && <span className="spin" />}Try the example project</button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

export function ScaffoldButton({ project, label = "Make a project of a decomposition" }: { project?: Project; label?: string }) {
  const [shown, setShown] = useState(false);
  return (
    <>
      <button type="button" id="scaffold" className="button" onClick={() => setShown(true)}><Icon.plus />{label}</button>
      {shown && <Scaffold {...(project ? { project } : {})} onClose={() => setShown(false)} />}
    </>
  );
}

const modes = [["DEPENDENCY_TRACKED", "Dependency tracked"], ["SCHEDULE_FIRST", "Schedule first"], ["HYBRID", "Hybrid"]] as const;

/** The form that makes an execution root. It shows what would be made first, and says what was made before it opens the project. */
export function Scaffold({ project, onClose }: { project?: Project; onClose: () => void }) {
  const make = useMutation({ mutationFn: api.scaffold });
  const look = useMutation({ mutationFn: api.outline });
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const form = new FormData(e.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const body = { executionRoot: text("executionRoot"), decompositionPath: text("decompositionPath"), coordinationMode: text("coordinationMode"), ...(text("projectName") ? { projectName: text("projectName") } : {}) };
    const dry = (e.nativeEvent as SubmitEvent).submitter?.id === "scaffold-look";
    look.reset();
    make.reset();
    if (dry) look.mutate(body);
    else make.mutate(body);
  };
  const first = useFocusInDialog<HTMLInputElement>();
  const isPending = make.isPending || look.isPending, error = make.error ?? look.error;
  if (make.data) return <Made made={make.data} onClose={onClose} />;
  return (
    <Sheet title="Make a project of a decomposition" onClose={onClose} footer={(
      <>
        <button type="button" className="button" onClick={onClose}>Cancel</button>
        <button type="submit" form="scaffold-form" id="scaffold-look" className="button" disabled={isPending}>{look.isPending && <span className="spin" />}Show what it makes</button>
        <button type="submit" form="scaffold-form" id="scaffold-make" className="button primary" disabled={isPending}>{make.isPending && <span className="spin" />}Make it</button>
      </>
    )}>
      <form id="scaffold-form" className="scaffold-form" onSubmit={submit} onChange={() => look.reset()}>
        <label>Decomposition<input className="field" ref={first} name="decompositionPath" required autoComplete="off" spellCheck={false} placeholder="/home/me/plans/decomposition.md" /></label>
        <p className="soft small">The absolute path of a Markdown file on the server's machine. It is copied into the project.</p>
        <label>Project folder<input className="field" name="executionRoot" required autoComplete="off" spellCheck={false} defaultValue={project?.path ?? ""} placeholder="/home/me/projects/bridge" /></label>
        <p className="soft small">It is made if it does not exist. Files that are there stay as they are.</p>
        <label>Name<input className="field" name="projectName" autoComplete="off" maxLength={200} placeholder="The document's title" /></label>
        <label>Coordination<select className="field" name="coordinationMode" defaultValue="DEPENDENCY_TRACKED">{modes.map(([id, label]) => <option key={id} value={id}>{label}</option>)}</select></label>
      </form>
      {error && <ErrorNotice error={error} />}
      {look.data && <WouldMake outline={look.data} />}
    </Sheet>
  );
}

/** Folders and files of an outline that are listed. */
const listed = 500;

/** What would be made. Nothing is made yet. */
function WouldMake({ outline: o }: { outline: api.Outline }) {
  const folders = o.folders ?? [], files = o.files ?? [], findings = o.findings ?? [];
  const all = [...folders.map((f) => `${f}/`), ...files].sort();
  const besides = (o.more ?? 0) + Math.max(0, all.length - listed);
  return (
    <section className="would-make" role="status" aria-label="What would be made">
      <p><strong>{o.projectName}</strong>: {count(o.packageCount, "package")}, {count(o.deliverableCount, "deliverable")}. {all.length === 0 ? "Everything is there already; nothing would be made."
        : <>{count(folders.length, "folder")} and {count(files.length, "file")} would be made in {o.new ? "the new folder " : ""}<code>{o.executionRoot}</code>.</>}</p>
      {o.replaces && <p className="notice warn"><span><code>{o.replaces}</code> would be replaced; the copy that is there goes to the archive.</span></p>}
      <Findings findings={findings} />
      {all.length > 0 && <ul className="plain-list small outline-list" tabIndex={0} aria-label="Folders and files">{all.slice(0, listed).map((path) => <li key={path}><code>{path}</code></li>)}{besides > 0 && <li className="soft">and {besides} more</li>}</ul>}
    </section>
  );
}

function Findings({ findings }: { findings: readonly { message: string; fix?: string }[] }) {
  if (findings.length === 0) return null;
  return <ul className="small soft scaffold-findings">{findings.slice(0, 20).map((f, i) => <li key={i}>{f.message}{f.fix && ` — ${f.fix}`}</li>)}{findings.length > 20 && <li>and {findings.length - 20} more</li>}</ul>;
}

/** What was made, before the project is opened. */
function Made({ made: data, onClose }: { made: api.Scaffolded; onClose: () => void }) {
  const open = useOpen();
  const go = useFocusInDialog<HTMLButtonElement>();
  const [failure, setFailure] = useState<unknown>();
  const findings = data.findings ?? [];
  return (
    <Sheet title="The project is made" onClose={onClose} footer={<button ref={go} type="button" id="open-made" className="button primary" onClick={() => { open(data.executionRoot).then(onClose, setFailure); }}>Open {data.projectName}</button>}>
      {failure !== undefined && <ErrorNotice error={failure} />}
      <p>{count(data.packageCount, "package")} and {count(data.deliverableCount, "deliverable")}. {count(data.created.directories?.length ?? 0, "folder")} and {count(data.created.files?.length ?? 0, "file")} are new; what was there already stayed as it was.</p>
      {!data.layoutValidation.valid && <p className="notice warn">The layout is not complete. “Do first” of the project says what to do.</p>}
      <Findings findings={findings} />
    </Sheet>
  );
}
