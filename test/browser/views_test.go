package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"belay/internal/api/apitest"
)

// axe is the checker of accessibility, as npm installed it.
const axe = "../../web/node_modules/axe-core/axe.min.js"

// view is a view of the page, what is there when it is ready, what opens a dialog of it, and
// what is there then.
type view struct{ name, path, ready, open, then string }

func views() []view {
	return []view{
		{name: "start", path: "?root=/project", ready: "#sessions a"},
		{name: "new", path: "?new=1", ready: "#message"},
		{name: "session", path: "s/s1", ready: ".md .h1"},
		{name: "inbox", path: "inbox", ready: ".pane .row"},
		{name: "question", path: "q/dec_2", ready: ".question"},
		{name: "closed", path: "inbox?show=closed", ready: ".listing"},
		{name: "kept", path: "inbox?show=kept", ready: ".empty-main, .question"},
		{name: "settings", path: "settings", ready: ".settings"},
		{name: "usage", path: "settings?show=usage", ready: ".listing-head"},
		{name: "devices", path: "settings?show=devices", ready: ".settings section"},
		{name: "menu", path: "s/s1", ready: ".md .h1", open: "#session-menu", then: "[role=menu]"},
		{name: "options", path: "s/s1", ready: ".md .h1", open: "#more-options", then: "dialog"},
		{name: "manifest", path: "s/s1", ready: ".md .h1", open: ".saw", then: ".manifest"},
		{name: "changes", path: "s/s1", ready: ".md .h1", open: ".turn-actions .changes", then: "dialog .diff-lines"},
		{name: "keys", path: "inbox", ready: ".pane .row", open: "[aria-label=Keys]", then: "dialog"},
		{name: "palette", path: "inbox", ready: ".pane .row", open: "[aria-label='Go to anything']", then: "dialog"},
		{name: "error", path: "s/never", ready: ".dock .notice"},
		{name: "missing", path: "s/s1/nowhere-to-be-found", ready: ""},
	}
}

// rich is a tab whose session has a turn with a warning, Markdown and a question.
func rich(t *testing.T) *tab {
	b := asking(t)
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), chromedp.SendKeys(message, "WARN ASK"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.do(chromedp.SendKeys(message, "# Levels "+strings.Repeat("averyverylongword", 20)), press("Enter"))
	b.until("document.querySelectorAll('.foot').length === 2")
	return b
}

// Every view, light and dark, has nothing that axe finds against WCAG 2.2 AA, and
// nothing is wider than a screen of 360 pixels.
func TestViewsAreAccessible(t *testing.T) {
	source, err := os.ReadFile(axe)
	if errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must check the page with axe: run test/tools")
		}
		t.Skip("skipped: axe is not installed (test/tools does that where Node is)")
	}
	if err != nil {
		t.Fatal(err)
	}
	b := rich(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1200, 360} {
			b.do(chromedp.EmulateViewport(width, 740), colours(scheme))
			for _, v := range views() {
				if v.ready == "" {
					continue
				}
				b.visit(v.path)
				b.until("document.querySelector(" + strconv.Quote(v.ready) + ")")
				if v.open != "" {
					value[bool](b, "document.querySelector("+strconv.Quote(v.open)+").click() === undefined")
					b.until("document.querySelector(" + strconv.Quote(v.then) + ")")
				}
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
}

// tooSmall lists what is pressed and less than 44 pixels high; links within a text are not meant.
const tooSmall = `[...document.querySelectorAll("button, a, select, input, textarea, summary, [role=option], [role=menuitem]")].filter(e => {
			if (e.closest("p.soft, .notice, .md, .hidden, .skip, dd, li.soft, .answer-facts, .empty-main p") || e.closest("label") && e.matches("input") || e.matches(".hidden, .skip")) return false;
			const hit = e.closest("label") ?? e, r = hit.getBoundingClientRect();
			return r.width > 0 && r.height > 0 && r.height < 43.5;
		}).map(e => Math.round(e.getBoundingClientRect().height) + " " + e.outerHTML.slice(0, 90)).join("\n")`

// On a touch screen everything that is pressed is at least 44 pixels high or wide enough to
// be hit; links within a text are not meant.
func TestTouchTargets(t *testing.T) {
	b := rich(t)
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	for _, v := range views() {
		if v.ready == "" || v.name == "error" {
			continue
		}
		b.visit(v.path)
		b.until("document.querySelector(" + strconv.Quote(v.ready) + ")")
		if !value[bool](b, "matchMedia('(pointer: coarse)').matches") {
			t.Fatal("the browser has no touch screen")
		}
		if v.open != "" {
			value[bool](b, "document.querySelector("+strconv.Quote(v.open)+").click() === undefined")
			b.until("document.querySelector(" + strconv.Quote(v.then) + ")")
		}
		b.shot("touch-" + v.name)
		small := value[string](b, tooSmall)
		if small != "" {
			t.Errorf("%s: too small to be hit:\n%s", v.name, small)
		}
		if wide := value[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
			t.Errorf("%s: %d pixels wider than the screen", v.name, wide)
		}
	}
}

// colours makes the system prefer them.
func colours(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// check lets axe look at what is shown.
func (b *tab) check(name, source string) {
	b.t.Helper()
	value[bool](b, source+";true")
	value[bool](b, `window.found = null, axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
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
	dark := value[string](b, ground)
	if light == dark {
		t.Errorf("light and dark are both %s", light)
	}
	b.do(chromedp.Click(chromedp.CSS("#theme"))) // light, whatever the system says
	if got := value[string](b, ground); got != light {
		t.Errorf("after the choice of light the ground is %s", got)
	}
	b.visit("inbox")
	b.until("document.querySelector('.top nav')")
	if got := value[string](b, ground); got != light {
		t.Errorf("after a reload the ground is %s", got)
	}
	b.do(chromedp.Click(chromedp.CSS("#theme")), chromedp.Click(chromedp.CSS("#theme"))) // as the system
	if got := value[string](b, ground); got != dark {
		t.Errorf("as the system the ground is %s", got)
	}
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
