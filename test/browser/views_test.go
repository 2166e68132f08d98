package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"belay/internal/api/apitest"
)

// axe is the checker of accessibility, as npm installed it.
const axe = "../../web/node_modules/axe-core/axe.min.js"

// view is a view of the page and what is there when it is ready.
type view struct{ name, path, ready string }

func views() []view {
	return []view{
		{"start", "?root=/project", "#sessions a"},
		{"new", "?new=1", "#message"},
		{"session", "s/s1", ".foot"},
		{"inbox", "inbox", ".pane .row"},
		{"question", "q/dec_2", ".question"},
		{"settings", "settings", ".settings"},
		{"missing", "nowhere-to-be-found", ""},
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
				if b.until("document.querySelector('" + v.ready + "')"); v.name == "session" {
					b.until("document.querySelector('.md .h1')")
				}
				name := fmt.Sprintf("%s, %s, %d pixels", v.name, scheme, width)
				if wide := value[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					t.Errorf("%s: %d pixels wider than the screen", name, wide)
				}
				b.shot(fmt.Sprintf("%s-%s-%d", v.name, scheme, width))
				if width > 360 || scheme == "light" {
					b.check(name, string(source))
				}
			}
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
