package browser

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"belay/internal/api/apitest"
)

// view is a view of the page and what is there when it is ready. A click on open leads to then,
// and from there one on next to last.
type view struct{ name, path, ready, open, then, next, last string }

func views() []view {
	return []view{
		{name: "start", path: "/?root=/project", ready: "#sessions a"},
		{name: "new", path: "/?new=1", ready: "#message"},
		{name: "session", path: "/s/s1", ready: ".md .h1"},
		{name: "inbox", path: "/inbox", ready: ".pane .row"},
		{name: "question", path: "/q/dec_2", ready: ".question"},
		{name: "closed", path: "/inbox?show=closed", ready: ".listing"},
		{name: "kept", path: "/inbox?show=kept", ready: ".empty-main, .question"},
		{name: "settings", path: "/settings", ready: ".settings"},
		{name: "usage", path: "/settings?show=usage", ready: ".listing-head"},
		{name: "devices", path: "/settings?show=devices", ready: ".settings section"},
		{name: "menu", path: "/s/s1", ready: ".md .h1", open: "#session-menu", then: "[role=menu]"},
		{name: "delete", path: "/s/s1", ready: ".md .h1", open: "#session-menu", then: "[role=menu]", next: "[role=menu] .danger", last: "#delete"},
		{name: "compact", path: "/s/s1", ready: ".md .h1", open: "#session-menu", then: "[role=menu]", next: "[role=menu] [data-item=compact]", last: "#compact"},
		{name: "options", path: "/s/s1", ready: ".md .h1", open: "#more-options", then: "dialog"},
		{name: "manifest", path: "/s/s1", ready: ".md .h1", open: ".saw", then: ".manifest"},
		{name: "changes", path: "/s/s1", ready: ".md .h1", open: ".turn-actions .changes", then: "dialog .diff-lines"},
		{name: "keys", path: "/inbox", ready: ".pane .row", open: "[aria-label=Keys]", then: "dialog"},
		{name: "palette", path: "/inbox", ready: ".pane .row", open: "[aria-label='Go to anything']", then: "dialog"},
		{name: "error", path: "/s/never", ready: ".dock .notice"},
		{name: "missing", path: "/p/nowhere/at/all", ready: ".empty-main"},
	}
}

// rich is a tab whose session has a turn with a warning, Markdown and a question.
func rich(t *testing.T) *tab {
	b := asking(t)
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "WARN ASK"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.do(fill(message, "# Levels "+strings.Repeat("averyverylongword", 20)), press("Enter"))
	b.until("document.querySelectorAll('.foot').length === 2")
	return b
}

// Every view and dialog of workbench, inbox and settings passes the inspection.
func TestViewsAreAccessible(t *testing.T) {
	source := axeSource(t)
	rich(t).inspect(source, ".md, dd, li.soft, .answer-facts, .empty-main p", views())
}

// colours makes the system prefer them, and motion says whether it wants any.
func colours(scheme string) chromedp.Action[chromedp.Void] {
	return media("prefers-color-scheme", scheme)
}
func motion(wish string) chromedp.Action[chromedp.Void] {
	return media("prefers-reduced-motion", wish)
}

func media(feature, wanted string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: wanted}},
		})
		return err
	})
}

// onNewDocument runs a script before those of each page that is opened.
func onNewDocument(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// check lets axe, which is in the document, look at what is shown. Style sheets are not fetched
// again: one rule needs that, about pages that hold only one way up.
func (b *tab) check(name string) {
	b.t.Helper()
	value[bool](b, `window.found = null, axe.run({ resultTypes: ["violations"], selectors: false, preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
		.then(r => { window.found = JSON.stringify(r.violations.map(v => ({ id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + (n.any[0]?.message ?? "")) }))); }), true`)
	b.until("window.found")
	var found []struct {
		ID, Help string
		Nodes    []string
	}
	if err := json.Unmarshal([]byte(value[string](b, "window.found")), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range found {
		b.t.Errorf("%s: %s: %s\n\t%s", name, f.ID, f.Help, strings.Join(f.Nodes, "\n\t"))
	}
}

// The colours follow the system until a person chooses, and the choice stays.
func TestColours(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	ground := "getComputedStyle(document.documentElement).backgroundColor"
	b.do(colours("light"))
	b.visit("settings")
	b.until("document.querySelector('.settings')")
	light := value[string](b, ground)
	b.do(colours("dark"))
	b.until(ground + " !== " + quote(light))
	dark := value[string](b, ground)
	b.do(chromedp.Click(chromedp.CSS("#theme"))) // light, whatever the system says
	b.until(ground + " === " + quote(light))
	b.visit("inbox")
	b.until("document.querySelector('.top nav')")
	b.until(ground + " === " + quote(light))
	b.do(chromedp.Click(chromedp.CSS("#theme")), chromedp.Click(chromedp.CSS("#theme"))) // as the system
	b.until(ground + " === " + quote(dark))
}

// Addresses are links: reload and the back button keep the view, and addresses of the
// page before it had paths still lead to their session.
func TestAddresses(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	b.visit("#root=/project&session=s1")
	b.until("location.pathname === '/s/s1' && location.hash === '' && document.querySelector('#message')")
	b.do(chromedp.Click(chromedp.CSS("a[href='/inbox']")))
	b.until("location.pathname === '/inbox' && document.querySelector('.pane-head')")
	b.do(chromedp.NavigateBack())
	b.until("location.pathname === '/s/s1' && document.querySelector('.session-head')")
	b.do(chromedp.Reload())
	b.until("location.pathname === '/s/s1' && document.querySelector('.session-head')")
	b.visit("s/never")
	b.until("document.querySelector('.dock .notice')?.innerText.includes('No such session')")
}

// The help and the palette open by key, and give the focus back.
func TestHelpAndPalette(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	b.visit("inbox")
	b.until("document.querySelector('.pane-head')")
	b.do(press("?"))
	b.until("document.querySelector('dialog[open] h2')?.innerText === 'Keys'")
	b.do(press("Escape"))
	b.until("!document.querySelector('dialog')")
	b.do(press("Ctrl+k"))
	b.until("document.activeElement.getAttribute('role') === 'combobox'")
	b.do(chromedp.KeyEvent("settings"), press("Enter"))
	b.until("location.pathname === '/settings' && !document.querySelector('dialog')")
}
