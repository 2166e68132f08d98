// What a run was given, and what came out of it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunRecord } from "../../api/workflows";
import * as workflows from "../../api/workflows";
import { ErrorNotice } from "../../ui/parts";

/** Large values are read when somebody asks for them: the run itself is read again and again. */
export function Values({ root, run }: { root: string; run: RunRecord }) {
  const [all, setAll] = useState(false);
  const whole = useQuery({ queryKey: ["run values", root, run.id, run.endedAt ?? ""], queryFn: ({ signal }) => workflows.values(root, run.id, signal), enabled: all && run.cut !== undefined, retry: false });
  const { input, outputs } = (all && whole.data) || run;
  return (
    <>
      {run.cut && !(all && whole.data) && <p className="soft small">Not all of {run.cut.join(", ")} is shown. <button type="button" className="button plain" disabled={whole.isFetching} onClick={() => setAll(true)}>Show all</button></p>}
      {whole.error && <ErrorNotice error={whole.error} />}
      {Object.keys(input).length > 0 && <Json title="Input" value={input} />}
      {outputs && <Json title="Outputs" value={outputs} open />}
    </>
  );
}

function Json({ title, value, open = false }: { title: string; value: unknown; open?: boolean }) {
  return <details className="run-json" open={open}><summary>{title}</summary><pre className="message-text" tabIndex={0} role="region" aria-label={title}>{JSON.stringify(value, null, 2)}</pre></details>;
}
