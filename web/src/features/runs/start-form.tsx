// Starting a workflow: its input as a form, a dry run, and the start.
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { RequestKey } from "../../api/request-key";
import type { Project } from "../../api/types";
import * as workflows from "../../api/workflows";
import { useModels, useRefresh } from "../../app-state";
import { navigate, projectLink } from "../../route";
import { Held } from "../../ui/held";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";
import { modes } from "../workbench/options";
import { type Field, fieldsOf, inputOf } from "./form";
import { PlanView } from "./plan";

type Mode = (typeof modes)[number]["id"];

/** By the path of the file: the form goes while that is wrong for a moment, and what was typed must not. */
const entered = new Held<{ texts: Readonly<Record<string, string>>; mode: Mode; model: string }>({ texts: {}, mode: "direct", model: "" });

export function StartForm({ project, path, schema, keys }: { project: Project; path: string; schema: unknown;
  /** The keys of the view around it, which knows of a start whose answer was lost when the form is there again. */
  keys: RequestKey;
}) {
  const fields = fieldsOf(schema);
  const about = `${project.path}/${path}`;
  const { texts, mode, model } = entered.use(about);
  const [tried, setTried] = useState(false);
  const models = useModels();
  const refresh = useRefresh();
  const { input, problems } = inputOf(fields, texts);
  const wrong = Object.keys(problems).length > 0;
  const body: workflows.RunBody = { projectRoot: project.path, path, input, onQuestion: "wait", ...(mode !== "direct" ? { mode } : {}), ...(model ? { model } : {}) };
  const plan = useMutation({ mutationFn: () => workflows.plan(body) });
  const run = useMutation({
    mutationFn: () => workflows.run(body, keys.of(body)),
    onError: keys.renew,
    onSuccess: (begun) => { entered.forget(about); refresh("active"); navigate(projectLink(project.id, "runs", begun.id)); },
  });
  const go = (how: typeof plan | typeof run) => { setTried(true); if (!wrong) how.mutate(); };
  const set = (name: string, value: string) => { plan.reset(); entered.change(about, { texts: { ...texts, [name]: value } }); };
  return (
    <form className="start-form" noValidate onSubmit={(e) => { e.preventDefault(); go(plan); }}>
      {fields.length > 0 && <h2>Input</h2>}
      {fields.map((f) => <FormField key={f.name} field={f} value={texts[f.name] ?? f.initial} problem={tried ? problems[f.name] : undefined} onChange={(v) => set(f.name, v)} />)}
      <div className="pipeline-options run-options">
        <label><span className="hidden">Mode</span><select className="quiet" name="mode" title="Mode" value={mode} onChange={(e) => entered.change(about, { mode: e.target.value as Mode })}>{modes.map((m) => <option key={m.id} value={m.id}>{m.label}</option>)}</select></label>
        <label><span className="hidden">Model</span><select className="quiet" name="model" title="Model" value={model} onChange={(e) => entered.change(about, { model: e.target.value })}>
          <option value="">As the file says</option>{models.map((m) => <option key={m.id} value={m.id}>{m.name}</option>)}</select></label>
        <span className="grow" />
        <button type="submit" className="button" id="plan-run" disabled={plan.isPending}>{plan.isPending && <span className="spin" />}Dry run</button>
        <button type="button" className="button primary" id="start-run" disabled={run.isPending} onClick={() => go(run)}>{run.isPending ? <span className="spin" /> : <Icon.send />}Start</button>
      </div>
      {tried && wrong && <p className="notice bad small" role="alert">Correct the marked fields.</p>}
      {plan.error && <ErrorNotice error={plan.error} onClose={() => plan.reset()} />}
      {run.error && <ErrorNotice error={run.error} onClose={() => run.reset()} />}
      {plan.data && <PlanView plan={plan.data} />}
    </form>
  );
}

function FormField({ field: f, value, problem, onChange }: { field: Field; value: string; problem: string | undefined; onChange: (value: string) => void }) {
  const id = useId();
  const common = { id, name: f.name, "aria-invalid": problem !== undefined, "aria-describedby": f.about || problem ? `${id}-about` : undefined };
  const about = (f.about || problem) && <span id={`${id}-about`} className="small">{problem && <span className="field-problem">{problem} </span>}<span className="soft">{f.about}</span></span>;
  if (f.kind === "flag") {
    return <div className="form-field"><label className="check" htmlFor={id}><input type="checkbox" {...common} checked={value === "true"} onChange={(e) => onChange(String(e.target.checked))} />{f.title}</label>{about}</div>;
  }
  return (
    <div className="form-field">
      <label htmlFor={id}>{f.title}{f.required && <span className="soft small"> required</span>}</label>
      {f.kind === "choice"
        ? <select className="field" {...common} value={value} onChange={(e) => onChange(e.target.value)}>{value === "" && <option value="">Choose</option>}{f.choices.map((c) => <option key={c}>{c}</option>)}</select>
        : f.kind === "lines" || f.kind === "json"
          ? <textarea className="field" rows={3} spellCheck={false} placeholder={f.kind === "lines" ? "One in each line" : "JSON"} {...common} value={value} onChange={(e) => onChange(e.target.value)} />
          : <input className="field" type="text" inputMode={f.kind === "number" ? "decimal" : undefined} {...common} value={value} onChange={(e) => onChange(e.target.value)} />}
      {about}
    </div>
  );
}
