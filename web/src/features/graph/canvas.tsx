// The drawing: nodes that were laid out, their edges, and what a selection touches.
import { Background, Controls, type Edge as FlowEdge, Handle, MarkerType, type Node as FlowNode, type NodeProps, Position, ReactFlow, ReactFlowProvider, useReactFlow, useStore } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { count } from "../../ui/format";
import { ErrorNotice } from "../../ui/parts";
import { place } from "./layout";
import { type Model, type Node, reach } from "./model";
import { partOf, words } from "./words";

/** The size of a node, in pixels. */
const width = 190, height = 46;

type Shown = FlowNode<{ node: Node; part: string }>;

const Box = memo(function Box({ data: { node: n, part } }: NodeProps<Shown>) {
  return (
    <div className={`graph-node ${part} ${n.circle} ${n.blockers.length > 0 ? "waits" : ""} ${n.holds ? "package" : ""}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className="graph-id"><span className={`dot state-${n.state}`} />{n.holds ? n.id.split("_")[0] : n.id}
        {n.circle === "blocking" && <span className="circle-mark">circle</span>}{n.blockers.length > 0 && <span className="waits-mark">waits{n.blockers.length > 1 && ` ${n.blockers.length}`}</span>}</span>
      <span className="clip">{n.name}{n.holds && <span className="soft"> {n.holds}</span>}</span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

const nodeTypes = { box: Box };

interface CanvasProps { model: Model; selected: string; onSelect: (id: string) => void }

export default function Canvas(props: CanvasProps) {
  const { model } = props;
  const shape = useMemo(() => {
    const number = new Map(model.nodes.map((n, i) => [n.id, i]));
    return { nodes: model.nodes.length, edges: model.edges.map((e): [number, number] => [number.get(e.from)!, number.get(e.to)!]) };
  }, [model]);
  const { data, error } = useQuery({
    queryKey: ["layout", shape], queryFn: ({ signal }) => place({ ...shape, width, height }, signal), staleTime: Infinity, gcTime: 60_000, retry: false,
  });
  if (!data) return <div className="graph-waits">{error ? <ErrorNotice error={error} /> : <p className="soft"><span className="spin" /> Laying out {count(model.nodes.length, "node")}</p>}</div>;
  return <ReactFlowProvider><Drawing {...props} at={data.at} ms={data.ms} /></ReactFlowProvider>;
}

function Drawing({ model, selected, onSelect, at, ms }: CanvasProps & { at: readonly (readonly [number, number])[]; ms: number }) {
  const flow = useReactFlow();
  const up = useMemo(() => new Set(selected ? reach(model, selected, "needs") : []), [model, selected]);
  const down = useMemo(() => new Set(selected ? reach(model, selected, "feeds") : []), [model, selected]);
  const nodes = useMemo(() => model.nodes.map((node, i): Shown => ({
    id: node.id, type: "box", position: { x: at[i]?.[0] ?? 0, y: at[i]?.[1] ?? 0 }, width, height, data: { node, part: partOf(node.id, selected, up, down) },
    selected: node.id === selected, ariaLabel: words(node),
  })), [model, at, selected, up, down]);
  const edges = useMemo(() => model.edges.map((e): FlowEdge => {
    const near = selected === "" || (up.has(e.from) || e.from === selected) && (up.has(e.to) || e.to === selected) || (down.has(e.from) || e.from === selected) && (down.has(e.to) || e.to === selected);
    return {
      id: `${e.from} ${e.to}`, source: e.from, target: e.to, focusable: false, className: `graph-edge ${e.circle ? "circle" : ""} ${e.blocking ? "blocking" : ""} ${near ? selected && "near" : "far"}`,
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14 },
    };
  }), [model, selected, up, down]);
  const center = useCallback((duration: number) => {
    const spot = at[model.nodes.findIndex((n) => n.id === selected)];
    if (spot) void flow.setCenter(spot[0] + width / 2, spot[1] + height / 2, { zoom: Math.max(flow.getZoom(), 0.8), duration });
  }, [flow, model, selected, at]);
  useEffect(() => center(200), [center]);
  useKeptCentre(selected ? center : undefined);
  // All of it at first, but on a phone no smaller than can be read; with a selection in the address, that.
  const [whole] = useState(selected === "");
  const [least] = useState(() => (matchMedia("(max-width: 50rem)").matches ? 0.6 : 0.3));
  const onKey = (e: KeyboardEvent) => {
    const here = model.byId.get((e.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id ?? selected);
    if (!here) return;
    const i = model.nodes.indexOf(here);
    const beside = (step: number) => nearest(model, at, i, step);
    const to = { ArrowRight: here.feeds[0], ArrowLeft: here.needs[0], ArrowDown: beside(1), ArrowUp: beside(-1), Enter: here.id, " ": here.id }[e.key];
    if (e.key === "Escape") onSelect("");
    else if (to) onSelect(to);
    else return;
    e.preventDefault();
    e.stopPropagation();
    // The node of the new selection may have to be drawn first.
    if (to) setTimeout(() => document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(to)}"]`)?.focus({ preventScroll: true }), 300);
  };
  return (
    <div className="graph-canvas" data-ms={Math.round(ms)} data-nodes={nodes.length} onKeyDownCapture={onKey}>
      <ReactFlow nodes={nodes} edges={edges} nodeTypes={nodeTypes} nodesDraggable={false} nodesConnectable={false} edgesFocusable={false} elementsSelectable minZoom={0.05} maxZoom={2}
        fitView={whole} fitViewOptions={{ minZoom: least, maxZoom: 1 }} onInit={() => { if (!whole) center(0); }} onlyRenderVisibleElements onNodeClick={(_, n) => onSelect(n.id)} onPaneClick={() => onSelect("")} deleteKeyCode={null} disableKeyboardA11y={false} proOptions={{ hideAttribution: true }}>
        <Background gap={24} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

/** What is in the middle stays there when the drawing gets another size, as on a phone that is turned. A selection is centred anew. */
function useKeptCentre(center: ((duration: number) => void) | undefined): void {
  const { getViewport, setViewport } = useReactFlow();
  const wide = useStore((s) => s.width), high = useStore((s) => s.height);
  const before = useRef({ wide: 0, high: 0 });
  useEffect(() => {
    const was = before.current;
    before.current = { wide, high };
    if (!was.wide || !was.high || !wide || !high || was.wide === wide && was.high === high) return;
    if (center) return center(200);
    const { x, y, zoom } = getViewport();
    void setViewport({ x: x + (wide - was.wide) / 2, y: y + (high - was.high) / 2, zoom });
  }, [wide, high, center, getViewport, setViewport]);
}

/** The nearest node above or below in the same column. */
function nearest(model: Model, at: readonly (readonly [number, number])[], i: number, step: number): string | undefined {
  const here = at[i];
  if (!here) return undefined;
  let best = -1, least = Infinity;
  at.forEach((spot, k) => {
    const dy = (spot[1] - here[1]) * step;
    if (Math.abs(spot[0] - here[0]) < width / 2 && dy > 0 && dy < least) { best = k; least = dy; }
  });
  return model.nodes[best]?.id;
}
