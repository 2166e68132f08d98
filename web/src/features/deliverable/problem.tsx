// A part of a deliverable that the server could not read.
import type { DeliverableView } from "../../api/deliverable";
import { Failure } from "../../api/http";
import { ErrorNotice } from "../../ui/parts";

export function PartProblem({ d, part }: { d: DeliverableView; part: string }) {
  const p = (d.problems ?? []).find((one) => one.part === part);
  return p ? <ErrorNotice error={new Failure(400, p.type, p.message, p.hint ?? "")} /> : null;
}

/** Says after a change of the register that the text about it did not follow. */
export function SummaryProblem({ why }: { why: string }) {
  return why ? <p className="notice warn summary-problem" role="alert"><span>The register is saved. _DEPENDENCIES.md was not brought in line: {why}</span></p> : null;
}
