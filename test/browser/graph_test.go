package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The graph of a real root: laid out by a worker, circles and blockers marked, the impact of a
// selection, and the same as a list.
func TestGraphOnARealRoot(t *testing.T) {
	b, _ := corpus(t, "psb-6a")
	at := b.portal()
	b.visitPath(at + "/graph")
	b.until("document.querySelector('.graph-canvas')?.dataset.nodes === '31' && document.querySelectorAll('.graph-node').length === 31")
	if got := b.text(".graph-counts"); !strings.Contains(got, "31 deliverables") || !strings.Contains(got, "1 blocking circle") {
		t.Errorf("the counts read %q", got)
	}
	if n := value[int](b, "document.querySelectorAll('.graph-node.blocking .circle-mark').length"); n == 0 {
		t.Error("no node is marked as one of a circle")
	}
	if n := value[int](b, "document.querySelectorAll('.graph-node .waits-mark').length"); n == 0 {
		t.Error("no node is marked as one that waits")
	}
	b.until("[...document.querySelectorAll('.graph-node')].every(n => n.checkVisibility({visibilityProperty: true}))")
	if n := value[int](b, "[...document.querySelectorAll('.graph-node, .graph-edge')].flatMap(e => e.getAnimations()).length"); n != 0 {
		t.Errorf("%d parts of the drawing move or appear late", n)
	}
	b.shot("drawing")
	// The middle of the drawing stays in the middle of a window of another size.
	const middle = `(() => { const m = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform), r = document.querySelector('.react-flow').getBoundingClientRect();
		return [(r.width / 2 - m.e) / m.a, (r.height / 2 - m.f) / m.d]; })()`
	was := value[[]float64](b, middle)
	for _, size := range [][2]int64{{500, 900}, {1200, 800}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.until(fmt.Sprintf("innerWidth === %d && %s.every((x, i) => Math.abs(x - [%f, %f][i]) < 5)", size[0], middle, was[0], was[1]))
	}
	b.do(chromedp.Click(chromedp.CSS(".react-flow__node[data-id='DEL-01-07']")))
	b.until(query("at") + " === 'DEL-01-07' && document.querySelector('.graph-impact')")
	b.until("document.querySelector('.graph-node.at') && document.querySelector('.graph-node.up')")
	b.shot("impact")
	up := value[int](b, "Number(/(\\d+) in all/.exec(document.querySelector('.graph-impact').innerText)?.[1] ?? 0)")
	// The list has the same: what the selection needs and reaches, and nothing else.
	b.do(chromedp.Click(chromedp.CSS("#graph-list")))
	b.until("document.querySelector('.graph-row.at')")
	if n := value[int](b, "document.querySelectorAll('.graph-row.up, .graph-row.both').length"); n != up || n == 0 {
		t.Errorf("the list has %d that the selection needs, the drawing said %d", n, up)
	}
	b.do(chromedp.Click(chromedp.CSS(".graph-row.at .graph-pick")))
	b.until("document.querySelectorAll('.graph-row').length === 31 && !document.querySelector('.graph-impact')")
	// The view is in the address.
	b.do(chromedp.Reload())
	b.until("document.querySelectorAll('.graph-row').length === 31")
}

// The graph by keys alone: from node to node along the dependencies.
func TestGraphByKeys(t *testing.T) {
	b, _ := real(t)
	at := b.portal()
	b.visitPath(at + "/graph?view=drawing")
	b.until("document.querySelector('.react-flow__node[data-id=\"DEL-02-01\"]')")
	value[bool](b, "document.querySelector('.react-flow__node[data-id=\"DEL-02-01\"]').focus() === undefined")
	b.do(press("Enter"))
	b.until(query("at") + " === 'DEL-02-01' && document.querySelector('.graph-node.at')")
	b.until("document.activeElement?.dataset.id === 'DEL-02-01'")
	b.do(press("ArrowRight"))
	b.until(query("at") + " === 'DEL-01-01'")
	b.until("document.activeElement?.dataset.id === 'DEL-01-01'")
	b.do(press("ArrowLeft"))
	b.until(query("at") + " === 'DEL-02-01'")
	b.until("document.activeElement?.dataset.id === 'DEL-02-01'")
	b.do(press("Escape"))
	b.until("!document.querySelector('.graph-impact')")
	value[bool](b, "document.querySelector('#graph-list').focus() === undefined")
	b.do(press("Enter"))
	b.until("document.querySelector('.graph-pick')")
	value[bool](b, "document.querySelector('.graph-pick').focus() === undefined")
	b.do(press("Enter"))
	b.until("document.querySelector('.graph-row.at') && document.querySelector('.graph-impact h3 a').getAttribute('href').includes('/d/')")
}

// projectViews are the views of a project, and what opens a dialog of them.
func projectViews(at string) []view {
	return []view{
		{name: "portal", path: at, ready: ".first p, .commands"},
		{name: "portal-filtered", path: at + "?state=in_progress", ready: ".deliverables .line"},
		{name: "portal-selection", path: at, ready: ".deliverables .line", open: "#select-shown", then: ".portal-selection"},
		{name: "projects", path: at, ready: ".deliverables .line", open: "#switch-project", then: "dialog .project-row"},
		{name: "graph", path: at + "/graph?view=drawing&at=DEL-01-01", ready: ".graph-node.at"},
		{name: "graph-list", path: at + "/graph?view=list&at=DEL-01-01", ready: ".graph-row.at"},
		{name: "scaffold", path: at, ready: ".deliverables .line", open: "#switch-project", then: "dialog .project-row", next: "dialog #scaffold", last: "#scaffold-form"},
		{name: "gone", path: "/p/never", ready: ".empty-main"},
		{name: "first-run", path: "/", ready: "#try-example"},
		{name: "inbox-empty", path: "/inbox", ready: ".empty-main"},
		{name: "kept-empty", path: "/inbox?show=kept", ready: ".empty-main"},
		{name: "server", path: "/settings?show=server", ready: "[data-setting=provider]"},
		{name: "checks", path: "/settings?show=checks", ready: ".checks li"},
		{name: "devices", path: "/settings?show=devices", ready: ".device"},
	}
}

// Every view of a project passes the inspection, and the settings that only the program has.
func TestProjectViewsAreAccessible(t *testing.T) {
	source := axeSource(t)
	b, _ := real(t)
	at := b.portal()
	b.inspect(source, ".happenings, .graph-links, h3, .empty-main p", projectViews(at))
}
