// What a run would do, task by task.
import type { Plan, PlannedTask } from "../../api/workflows";
import { count, tokens } from "../../ui/format";

export function PlanView({ plan }: { plan: Plan }) {
  const tasks = plan.tasks ?? [];
  return (
    <section className="plan" aria-label="Dry run" role="region">
      <p className="soft small" role="status">{count(tasks.length, "task")}, about {tokens(plan.estimatedTokens)} tokens of input{plan.snapshot && <>, published in <code>{plan.snapshot}</code></>}. Nothing was started.</p>
      <ol className="tasks">{tasks.map((t) => <Planned key={t.key} task={t} />)}</ol>
    </section>
  );
}

function Planned({ task: t }: { task: PlannedTask }) {
  const who = t.tool ?? [t.agent, t.action].filter(Boolean).join(" · ");
  return (
    <li className="task">
      <details>
        <summary>
          <span className="task-name"><span className="clip">{t.key}</span><span className="soft small clip">{t.kind}{who && ` · ${who}`}{t.model && ` · ${t.model}`}</span></span>
          {(t.problems?.length ?? 0) > 0 && <span className="chip bad">{count(t.problems!.length, "problem")}</span>}
          {t.unreached && <span className="chip warn">never done</span>}
          <span className="soft small nowrap">{t.estimatedTokens ? `${tokens(t.estimatedTokens)} tokens` : ""}</span>
        </summary>
        <div className="task-body">
          {t.problems?.map((p) => <p key={p} className="notice bad small">{p}</p>)}
          {t.waitsFor && <p className="soft small">Known in full when {t.waitsFor.join(", ")} {t.waitsFor.length === 1 ? "is" : "are"} done.</p>}
          {t.prompt && <pre className="message-text">{t.prompt}</pre>}
          {t.attachments?.map((a, i) => <p key={i} className="small">{a.path ?? a.url ?? a.name ?? a.type}{a.refused ? <span className="chip bad">{a.refused}</span> : a.used && <span className="soft"> · {a.used}</span>}</p>)}
          {(t.next?.length ?? 0) > 0 && <p className="soft small">Then {t.next!.join(", ")}.</p>}
        </div>
      </details>
      {(t.tasks?.length ?? 0) > 0 && <ol className="tasks inner">{t.tasks!.map((inner) => <Planned key={inner.key} task={inner} />)}</ol>}
    </li>
  );
}
