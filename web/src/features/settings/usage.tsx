// Tokens and cost by day, project and model.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as api from "../../api/client";
import { useModelName } from "../../app-state";
import { tokens } from "../../ui/format";
import { ErrorNotice } from "../../ui/parts";

const spans = [[7, "7 days"], [30, "30 days"], [365, "A year"]] as const;

export function Usage() {
  const [days, setDays] = useState(30);
  const modelName = useModelName();
  const since = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const { data = [], error, isPending } = useQuery({ queryKey: ["usage", since], queryFn: ({ signal }) => api.usage(since, signal), retry: false });
  const rows = data.toSorted((a, b) => b.day.localeCompare(a.day) || a.projectRoot.localeCompare(b.projectRoot));
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((n, row) => n + of(row), 0);
  const priced = rows.some((row) => row.costUsd !== undefined);
  const cost = (usd: number | undefined) => (usd === undefined ? "—" : `$${usd.toFixed(2)}`);
  return (
    <section>
      <div className="listing-head">
        <span className="segments" role="group" aria-label="Time">
          {spans.map(([n, label]) => <button key={n} type="button" className="segment small" aria-pressed={days === n} onClick={() => setDays(n)}>{label}</button>)}
        </span>
      </div>
      {error && <ErrorNotice error={error} />}
      {isPending && <p className="soft"><span className="spin" /> Reading</p>}
      {!isPending && !error && rows.length === 0 && <p className="soft">Nothing was used in this time.</p>}
      {rows.length > 0 && (
        <>
          <dl className="totals">
            <div><dt>Turns</dt><dd>{sum((r) => r.turns).toLocaleString("en-US")}</dd></div>
            <div><dt>Tokens in</dt><dd>{tokens(sum((r) => r.inputTokens))}</dd></div>
            <div><dt>Tokens out</dt><dd>{tokens(sum((r) => r.outputTokens))}</dd></div>
            <div><dt>Cost</dt><dd>{priced ? cost(sum((r) => r.costUsd ?? 0)) : "—"}</dd></div>
          </dl>
          <div className="usage-frame" tabIndex={0} role="region" aria-label="Usage by day">
            <table className="usage">
              <thead><tr><th scope="col">Day</th><th scope="col" className="left">Project</th><th scope="col" className="left">Model</th><th scope="col">Turns</th><th scope="col">In</th><th scope="col">Out</th><th scope="col">Cost</th></tr></thead>
              <tbody>
                {rows.map((r) => (
                  <tr key={`${r.day} ${r.projectRoot} ${r.model}`}>
                    <td>{r.day}</td><td className="left clip" title={r.projectRoot}>{r.projectRoot.split("/").at(-1)}</td><td className="left">{modelName(r.model)}</td>
                    <td data-of="turns">{r.turns}</td><td data-of="in">{tokens(r.inputTokens)}</td><td data-of="out">{tokens(r.outputTokens)}</td><td>{cost(r.costUsd)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="soft small">Cost is counted for models with a known price.</p>
        </>
      )}
    </section>
  );
}
