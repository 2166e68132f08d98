package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// another opens one more tab of the same browser window, with the same cookies.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	other := &tab{t: b.t, ctx: ctx, engine: b.engine, op: b.op, srv: b.srv}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800)); err != nil {
		b.t.Fatalf("open a tab: %v", err)
	}
	if b.srv != nil {
		other.listen()
	} else {
		other.quiet()
	}
	return other
}

// seen lets the page be visible although other tabs were opened since: a page that is
// hidden for a minute closes its connections.
func seen() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	})
}

// streamsOpen is whether the server sends so many streams. It notices one that ended a moment
// later than the page.
func streamsOpen(n int) string {
	return fmt.Sprintf(`(() => { const x = new XMLHttpRequest(); x.open("GET", "/metrics", false); x.send(); return /^belay_streams_open %d$/m.test(x.responseText); })()`, n)
}

// Eight tabs on eight sessions share one stream, and each goes on when the tab that reads
// it is closed.
func TestEightTabs(t *testing.T) {
	b, _ := real(t)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	origin := value[string](b, "location.origin")
	value[bool](b, `(async () => {
		const root = (await (await fetch("/api/projects")).json()).projects?.[0]?.path ?? localStorage.getItem("belay.root");
		window.made = [];
		for (let i = 0; i < 8; i++) {
			const res = await fetch("/api/harness/session/create", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ projectRoot: root, persona: "ENGINEER" }) });
			window.made.push((await res.json()).session.sessionId);
		}
	})() && true`)
	b.until("window.made?.length === 8")
	ids := strings.Split(value[string](b, "window.made.join(' ')"), " ")
	tabs := []*tab{b}
	for range 7 {
		tabs = append(tabs, b.another())
	}
	for i, one := range tabs {
		one.do(seen(), chromedp.Navigate(origin+"/s/"+ids[i]))
		one.until("document.querySelector('#link-state')?.innerText === 'live'")
	}
	tabs[7].until(streamsOpen(1))
	for i, one := range tabs {
		one.do(chromedp.WaitEnabled(message), fill(message, fmt.Sprintf("What do you do, number %d?", i)), press("Enter"))
	}
	for i, one := range tabs {
		one.until(fmt.Sprintf("document.querySelector('.words')?.innerText === 'What do you do, number %d?' && document.querySelector('.answer')", i))
	}
	// The first tab reads. Without it another one does.
	tabs[0].do(chromedp.Navigate("about:blank"))
	last := tabs[7]
	last.until("document.querySelector('#link-state')?.innerText === 'live'")
	last.until("document.querySelector('.foot') && document.querySelector('#send').innerText.includes('Send')")
	last.do(fill(message, "And again?"), press("Enter"))
	last.until("document.querySelectorAll('.turn').length === 2 && document.querySelectorAll('.turn')[1].querySelector('.answer')")
	last.until(streamsOpen(1))
}

// hold keeps a tab's next streams of a project from being opened, until go() is called.
const hold = `(() => {
	const real = window.fetch, opened = new Promise((go) => { window.go = go; });
	window.fetch = (...of) => {
		if (!String(of[0]).startsWith("/api/project/events")) return real(...of);
		window.held = true;
		return opened.then(() => real(...of));
	};
})() ?? true`

// whichever is the first of the tabs for which a condition holds, once there is one.
func whichever(t *testing.T, tabs []*tab, condition string) *tab {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, one := range tabs {
			if value[bool](one, "Boolean("+condition+")") {
				return one
			}
		}
	}
	t.Fatalf("for no tab %s", condition)
	return nil
}

// Seven tabs on one project share one stream of its changes, and each shows a new file. So
// they do where a file is made while no tab reads.
func TestTabsOfOneProject(t *testing.T) {
	b, project := real(t)
	home := b.home()
	origin := value[string](b, "location.origin")
	tabs := []*tab{b}
	for range 6 {
		tabs = append(tabs, b.another())
	}
	for _, one := range tabs {
		one.do(seen(), chromedp.Navigate(origin+home+"/files"))
		one.until(treeRow("survey"))
	}
	// One of the sessions, and one of the project.
	tabs[6].until(streamsOpen(2))
	put(t, project, "appeared.md", "# Here\n")
	for _, one := range tabs {
		one.until(treeRow("appeared.md"))
	}
	// The first tab reads. Without it another one does.
	for _, one := range tabs[1:] {
		value[bool](one, hold)
	}
	tabs[0].do(chromedp.Navigate("about:blank"))
	tabs[6].until(streamsOpen(1))
	next := whichever(t, tabs[1:], "window.held") // the one that asked for the lock first
	put(t, project, "and-again.md", "# There\n")
	for _, one := range tabs[1:] {
		value[bool](one, "window.go() ?? true")
	}
	for _, one := range tabs[1:] {
		one.until(treeRow("and-again.md"))
	}
	next.until(streamsOpen(2))
}
