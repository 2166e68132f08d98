package main

import (
	"context"

	"belay/bench/measure"
)

// bareGraph is a bare page that draws a graph: each deliverable in the column after those that it needs.
var bareGraph = bareDocument{
	main: `<a class="tab" href="#">Graph</a><svg class="graph-canvas" width="9000" height="9000"></svg>`,
	script: `<script>
document.querySelector(".tab").onclick = async () => {
  const {nodes, edges, analysis} = await (await fetch("/data")).json();
  const column = new Map(), at = new Map(), filled = [];
  const into = Map.groupBy(edges, (e) => e.to);
  for (const id of analysis.order.flat()) {
    const c = Math.max(0, ...(into.get(id) ?? []).map((e) => (column.get(e.from) ?? -1) + 1));
    column.set(id, c);
    filled[c] ??= 0;
    at.set(id, [c * 280, filled[c]++ * 70]);
  }
  document.querySelector(".graph-canvas").innerHTML = edges.filter((e) => at.has(e.from) && at.has(e.to)).map((e) => { const [a, b] = at.get(e.from), [c, d] = at.get(e.to); return "<line stroke=gray x1=" + (a + 190) + " y1=" + (b + 23) + " x2=" + c + " y2=" + (d + 23) + " />"; }).join("") +
    nodes.filter((n) => at.has(n.id)).map((n) => { const [x, y] = at.get(n.id); return "<g class=graph-node><rect fill=none stroke=black x=" + x + " y=" + y + " width=190 height=46 /><text x=" + (x + 4) + " y=" + (y + 20) + ">" + n.id + "</text></g>"; }).join("");
};
</script>`,
}

// graph measures how a graph is laid out and drawn.
func (b *bench) graph(ctx context.Context) ([]measure.Figure, error) {
	root, err := b.made(graphProject)
	if err != nil {
		return nil, err
	}
	var drawn, layout, longest measure.Series
	err = b.compare(ctx, setup{project: root}, bareGraph, func(p pair, t *tab, isBare bool) error {
		link := ".tab"
		data, err := p.belay.answer(ctx, "/api/project/graph", nil)
		if err != nil {
			return err
		}
		if isBare {
			p.bare.give(data)
			err = t.show(ctx, p.bare.URL("/"), "document.querySelector('.tab')")
		} else {
			var at string
			if at, err = p.belay.view(ctx, "/history"); err == nil {
				err = t.show(ctx, p.url(false, at), "document.querySelector('.project-tabs')")
			}
			link = ".project-tabs .tab[href$='/graph']"
		}
		if err != nil {
			return err
		}
		took, err := t.timed(click(link), "document.querySelector('.graph-canvas .graph-node')")
		if err != nil {
			return err
		}
		drawn.Add(isBare, took.Ms)
		longest.Add(isBare, took.Longest)
		if isBare {
			return nil
		}
		ms, err := value[float64](t, "Number(document.querySelector('.graph-canvas').dataset.ms)")
		layout.Add(false, ms)
		return err
	})
	return []measure.Figure{
		drawn.Figure("graph", "a graph of 500 deliverables and 1,500 dependencies is drawn, from the click", "ms", measure.AtMost(1000)),
		layout.Figure("graph", "its layout alone, in its worker", "ms", measure.AtMost(1000)),
		longest.Figure("graph", "the same, longest frame until the layout is there", "ms", measure.AtMost(50)),
	}, err
}
