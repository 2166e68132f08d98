package main

import (
	"context"
	"net/url"

	"belay/bench/measure"
)

// bareTable is a bare page with a table of a register.
var bareTable = bareDocument{
	main: `<a class="tab" href="#">Register</a><table class="grid"></table>`,
	script: `<script>
document.querySelector(".tab").onclick = async () => {
  const {headers, rows} = await (await fetch("/data")).json();
  document.querySelector(".grid").innerHTML = "<tr><th>" + headers.join("<th>") + rows.map((r) => "<tr class=grid-row><td>" + headers.map((h) => r[h]).join("<td>")).join("");
};
</script>`,
}

// register measures how a long register opens and scrolls.
func (b *bench) register(ctx context.Context) ([]measure.Figure, error) {
	root, err := b.made(longRegister)
	if err != nil {
		return nil, err
	}
	var open, rate, longest measure.Series
	err = b.compare(ctx, setup{project: root}, bareTable, func(p pair, t *tab, isBare bool) error {
		link := ".tab"
		folder := longRegister.Path(root, longRegister.Deliverables-1)
		data, err := p.belay.answer(ctx, "/api/working-root/deliverable/dependencies", url.Values{"deliverablePath": {folder}})
		if err != nil {
			return err
		}
		if isBare {
			p.bare.give(data)
			err = t.show(ctx, p.bare.URL("/"), "document.querySelector('.tab')")
		} else {
			var at string
			if at, err = p.belay.lastDeliverable(ctx); err == nil {
				err = t.show(ctx, p.url(false, at), "document.querySelector('.deliverable-tabs')")
			}
			link = ".deliverable-tabs .tab[href*='show=register']"
		}
		if err != nil {
			return err
		}
		took, err := t.timed(click(link), "document.querySelectorAll('.grid .grid-row').length > 10")
		if err != nil {
			return err
		}
		open.Add(isBare, took.Ms)
		return t.scrolled(isBare, &rate, &longest)
	})
	return []measure.Figure{
		open.Figure("register", "a register of 5,000 rows opens, from the click", "ms", measure.AtMost(300)),
		rate.Figure("register", "it scrolls, frames per second", "per s", measure.AtLeast(mostFrames)),
		longest.Figure("register", "the same, longest frame", "ms", nil),
	}, err
}
