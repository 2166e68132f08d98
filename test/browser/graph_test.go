package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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
	if n := value[int](b, "document.querySelectorAll('.graph-node.blocking .circle').length"); n == 0 {
		t.Error("no node is marked as one of a circle")
	}
	if n := value[int](b, "document.querySelectorAll('.graph-node .waits-mark').length"); n == 0 {
		t.Error("no node is marked as one that waits")
	}
	b.shot("drawing")
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

// large makes a project with so many deliverables, a hundred in a package; each needs the one
// before it.
func large(t *testing.T, n int) string {
	t.Helper()
	root := t.TempDir()
	const header = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness,RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n"
	id := func(i int) string { return fmt.Sprintf("DEL-%02d-%02d", 1+i/100, i%100) }
	for i := range n {
		pkg := fmt.Sprintf("PKG-%02d", 1+i/100)
		dir := filepath.Join(root, pkg+"_Part", "1_Working", id(i)+"_Item")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "_STATUS.md"), []byte("# Status\n\n**Current State:** OPEN\n**Last Updated:** 2026-01-02\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			continue
		}
		row := "v3.1,DEP-" + id(i)[4:] + "-001," + pkg + "," + id(i) + ",Item,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE," + fmt.Sprintf("PKG-%02d", 1+(i-1)/100) + "," + id(i-1) + ",,Item,,It needs it.,_STATUS.md,1,quote,EXPLICIT,,,PENDING,HIGH,EXTRACTED,2026-01-01,2026-01-01,ACTIVE,\n"
		if err := os.WriteFile(filepath.Join(dir, "Dependencies.csv"), []byte(header+row), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A project with more deliverables than a drawing can show is drawn by package, and says so;
// the list has all of them.
func TestGraphOfALargeProject(t *testing.T) {
	b, _ := realOn(t, large(t, 1200), "large")
	at := b.portal()
	b.until("document.querySelector('.shown-count').innerText === '1,200 deliverables'")
	b.visitPath(at + "/graph?view=drawing")
	b.until("document.querySelector('.graph-canvas')?.dataset.nodes === '12' && document.querySelector('.graph-note')?.innerText.includes('1,200 deliverables are too many')")
	b.until("document.querySelectorAll('.graph-node.package').length === 12")
	b.do(chromedp.Click(chromedp.CSS(".react-flow__node[data-id='PKG-03_Part']")))
	b.until("document.querySelector('.graph-canvas')?.dataset.nodes === '111'")
	b.shot("package")
	b.visitPath(at + "/graph?view=list")
	b.until("document.querySelector('.graph-row')")
	value[bool](b, "document.querySelector('.graph-body > .scroll').scrollTo(0, 1e7) === undefined")
	b.until("document.querySelector('.graph-list').innerText.includes('DEL-12-99')")
	// A phone has the list unless it is asked for the drawing.
	b.do(chromedp.EmulateViewport(360, 740))
	value[bool](b, "localStorage.removeItem('belay.graph') === undefined")
	b.visitPath(at + "/graph")
	b.until("document.querySelector('.graph-row') && document.querySelector('#graph-list[aria-pressed=true]')")
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
		{name: "first-run", path: "/", ready: "#try-example"},
	}
}

// Every view of a project is as those of TestViewsAreAccessible and TestTouchTargets.
func TestProjectViewsAreAccessible(t *testing.T) {
	source, err := os.ReadFile(axe)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip("skipped: axe is not installed (test/tools does that where Node is)")
	}
	if err != nil {
		t.Fatal(err)
	}
	b, _ := real(t)
	at := b.portal()
	show := func(v view) {
		t.Helper()
		b.visitPath(v.path)
		b.until("document.querySelector(" + strconv.Quote(v.ready) + ")")
		if v.open != "" {
			value[bool](b, "document.querySelector("+strconv.Quote(v.open)+").click() === undefined")
			b.until("document.querySelector(" + strconv.Quote(v.then) + ")")
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1200, 360} {
			b.do(chromedp.EmulateViewport(width, 740), colours(scheme))
			for _, v := range projectViews(at) {
				show(v)
				name := fmt.Sprintf("%s, %s, %d pixels", v.name, scheme, width)
				if wide := value[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					t.Errorf("%s: %d pixels wider than the screen", name, wide)
				}
				b.shot(fmt.Sprintf("%s-%s-%d", v.name, scheme, width))
				if (width > 360) == (scheme == "light") { // each view in both colours and both widths, once
					b.check(name, string(source))
				}
			}
		}
	}
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	for _, v := range projectViews(at) {
		show(v)
		b.shot("touch-" + v.name)
		small := value[string](b, `[...document.querySelectorAll("button, a, select, input, summary")].filter(e => {
			if (e.closest("p.soft, .notice, .hidden, .skip, .happenings, .graph-links, h3") || e.closest("label") && e.matches("input")) return false;
			const r = (e.closest("label") ?? e).getBoundingClientRect();
			return r.width > 0 && r.height > 0 && r.height < 43.5;
		}).map(e => Math.round(e.getBoundingClientRect().height) + " " + e.outerHTML.slice(0, 90)).join("\n")`)
		if small != "" {
			t.Errorf("%s: too small to be hit:\n%s", v.name, small)
		}
	}
}
