// The state of a deliverable in one word.
import type { DeliverableView } from "../../api/deliverable";

const kinds: Record<string, string> = { CHECKING: "accent", ISSUED: "good", IN_PROGRESS: "" };

export function StateChip({ d }: { d: DeliverableView }) {
  const state = d.statusFile?.status.currentState ?? "";
  if (d.status !== "unknown") return <span className={`chip state ${kinds[state] ?? ""}`} data-state={state}><span>{state || d.status.toUpperCase()}</span></span>;
  return <span className="chip state warn" data-state="unknown"><span>{d.recordedState ? `unknown state: ${d.recordedState}` : "no known state"}</span></span>;
}
