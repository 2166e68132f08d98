// The graph as a list: the same deliverables, what each needs and feeds, in an order in which
// everything comes after what it needs.
import { type RefObject } from "react";
import { Windowed } from "../../ui/windowed";
import { stateLabels } from "../portal/rows";
import { partOf } from "./words";
import type { Model, Node } from "./model";

/** Neighbours that a row names. */
const few = 6;

export function Outline({ model, selected, up, down, onSelect, scroller }: {
  model: Model; selected: string; up: ReadonlySet<string>; down: ReadonlySet<string>; onSelect: (id: string) => void; scroller: RefObject<HTMLElement | null>;
}) {
  const shown = selected ? model.nodes.filter((n) => n.id === selected || up.has(n.id) || down.has(n.id)) : model.nodes;
  return (
    <div className="graph-list">
      <Windowed items={shown} keyOf={(n) => n.id} size={40} estimate={58} root={scroller} tag="ol">
        {(n) => <Item key={n.id} node={n} part={partOf(n.id, selected, up, down)} onSelect={onSelect} />}
      </Windowed>
    </div>
  );
}

const partWords: Record<string, string> = { at: "selected", up: "it needs this", down: "it reaches this", both: "in a circle with it" };

function Item({ node: n, part, onSelect }: { node: Node; part: string; onSelect: (id: string) => void }) {
  return (
    <li className={`graph-row ${part}`}>
      <button type="button" className="graph-pick" aria-pressed={part === "at"} onClick={() => onSelect(part === "at" ? "" : n.id)}>
        <span className={`dot state-${n.state}`} aria-hidden="true" /><span className="graph-id">{n.holds ? n.id.split("_")[0] : n.id}</span><span className="clip grow">{n.name}{n.holds && <span className="soft"> {n.holds}</span>}</span>
        {part && partWords[part] && <span className="soft small nowrap">{partWords[part]}</span>}
        {n.circle === "blocking" && <span className="circle-mark">circle</span>}{n.blockers.length > 0 && <span className="waits-mark">waits{n.blockers.length > 1 && ` ${n.blockers.length}`}</span>}
        <span className="soft small nowrap graph-state">{stateLabels[n.state]}</span>
      </button>
      {(n.needs.length > 0 || n.feeds.length > 0) && (
        <p className="soft small clip graph-near">{n.needs.length > 0 && <>needs {some(n.needs)}</>}{n.needs.length > 0 && n.feeds.length > 0 && " · "}{n.feeds.length > 0 && <>feeds {some(n.feeds)}</>}</p>
      )}
    </li>
  );
}

const some = (ids: readonly string[]) => ids.slice(0, few).join(", ") + (ids.length > few ? ` and ${ids.length - few} more` : "");
