package browser

import (
	"fmt"
	"testing"
)

// What a person opens most is asked for once, a little after the view before it is shown, and is
// there without another request when it is opened.
func TestViewsArePrepared(t *testing.T) {
	b, project := real(t)
	home := b.home()
	b.visitPath(home + "/history")
	b.opensPrepared("/api/project/deliverables", ".project-tabs .tab", ".deliverables .line")

	put(t, project, deckFolder+"/Dependencies.csv", largeRegister(300))
	b.deliverable(deckKey, "")
	b.opensPrepared("/api/working-root/deliverable/dependencies", ".deliverable-tabs .tab[href*='show=register']", ".grid [data-row]")
}

// opensPrepared waits until the server has answered a request that no view shown needs, and opens
// the view that does. Until that is there, requests are held back.
func (b *tab) opensPrepared(request, link, shown string) {
	b.t.Helper()
	asked := fmt.Sprintf("performance.getEntriesByType('resource').filter(e => new URL(e.name).pathname === %q)", request)
	b.until(asked + ".length > 0 && document.querySelector(" + fmt.Sprintf("%q", link) + ")")
	if value[bool](b, fmt.Sprintf("Boolean(document.querySelector(%q))", shown)) {
		b.t.Fatalf("%s is there before it is opened", shown)
	}
	value[bool](b, `(() => { const own = fetch; window.later = []; window.hold = true;
		window.fetch = async (path, init) => { if (window.hold) window.later.push(String(path)); while (window.hold) await new Promise(r => setTimeout(r, 20)); return own(path, init); }; return true; })()`)
	b.tabTo(link)
	b.do(press("Enter"))
	b.until(fmt.Sprintf("document.querySelector(%q)", shown))
	type seen struct {
		Asked int
		Again bool
		After float64
	}
	got := value[seen](b, fmt.Sprintf("(() => { const all = %s; return {asked: all.length, again: window.later.some(p => new URL(p, location.href).pathname === %q), after: performance.now() - all[0].responseEnd}; })()", asked, request))
	// What is some seconds old is shown, and asked for again.
	if got.Asked != 1 || got.Again && got.After < 5_000 {
		b.t.Errorf("%s: %+v", request, got)
	}
	value[bool](b, "window.hold = false, true")
}
