package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is the checker of accessibility, as npm installed it.
const axe = "../../web/node_modules/axe-core/axe.min.js"

// axeSource is the checker's script. Where it is not installed, the test is skipped.
func axeSource(t *testing.T) string {
	t.Helper()
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
	return string(source)
}

// inspect looks at each view twice: light, 1200 pixels wide and with a pointer; dark, 360
// pixels wide and with a finger. axe finds nothing against WCAG 2.2 AA, nothing is wider than
// the screen, no text is cut off without an ellipsis, and what a finger presses is at least 44
// pixels high. Links in a text need not be; texts names more places of such links.
func (b *tab) inspect(source, texts string, views []view) {
	b.t.Helper()
	b.do(onNewDocument(source))
	for _, screen := range []struct {
		scheme string
		width  int64
		size   chromedp.Action[chromedp.Void]
	}{
		{"light", 1200, chromedp.EmulateViewport(1200, 740)},
		{"dark", 360, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)},
	} {
		b.do(screen.size, colours(screen.scheme))
		for _, v := range views {
			b.see(v)
			name := fmt.Sprintf("%s, %s, %d pixels", v.name, screen.scheme, screen.width)
			if wide := value[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				b.t.Errorf("%s: %d pixels wider than the screen", name, wide)
			}
			if cut := value[string](b, cutOff); cut != "" {
				b.t.Errorf("%s: cut off without an ellipsis:\n%s", name, cut)
			}
			if screen.width < 1200 {
				if small := value[string](b, fmt.Sprintf(tooSmall, strconv.Quote(strings.TrimSuffix("p.soft, .notice, .hidden, .skip, "+texts, ", ")))); small != "" {
					b.t.Errorf("%s: too small to be hit:\n%s", name, small)
				}
			}
			b.shot(fmt.Sprintf("%s-%s-%d", v.name, screen.scheme, screen.width))
			b.check(name)
		}
	}
}

// see opens a view, and what its clicks lead to.
func (b *tab) see(v view) {
	b.t.Helper()
	b.visitPath(v.path)
	b.until("document.querySelector(" + strconv.Quote(v.ready) + ")")
	for _, click := range [][2]string{{v.open, v.then}, {v.next, v.last}} {
		if click[0] != "" {
			b.until("!document.querySelector(" + strconv.Quote(click[0]) + ").disabled")
			value[bool](b, "(e => { e.scrollIntoView({ block: 'center' }); return e.click() === undefined; })(document.querySelector("+strconv.Quote(click[0])+"))")
			b.until("document.querySelector(" + strconv.Quote(click[1]) + ")")
		}
	}
}

// tooSmall lists what is pressed and less than 44 pixels high; links within a text are not
// meant.
const tooSmall = `[...document.querySelectorAll("button, a, select, input, textarea, summary, [role=option], [role=menuitem]")].filter(e => {
	if (e.closest(%s) || e.closest("label") && e.matches("input")) return false;
	const r = (e.closest("label") ?? e).getBoundingClientRect();
	return r.width > 0 && r.height > 0 && r.height < 43.5;
}).map(e => Math.round(e.getBoundingClientRect().height) + " " + e.outerHTML.slice(0, 90)).join("\n")`

// cutOff lists texts that reach out of a box that hides what does not fit, without an
// ellipsis and without a way to scroll to the rest.
const cutOff = `(() => {
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
	while (texts.nextNode()) {
		const text = texts.currentNode, at = text.parentElement;
		if (!text.data.trim() || !at.checkVisibility() || at.closest(".hidden, .skip, option, select, [aria-hidden=true], [class*=react-flow]")) continue;
		const range = document.createRange();
		range.selectNodeContents(text);
		const r = range.getBoundingClientRect();
		for (let e = at; e && e !== document.body; e = e.parentElement) {
			const s = getComputedStyle(e), box = e.getBoundingClientRect();
			if (box.width < 4) break; // for screen readers
			if (/auto|scroll/.test(s.overflowX + s.overflowY) || s.textOverflow === "ellipsis" || s.webkitLineClamp !== "none") break;
			if (/hidden|clip/.test(s.overflowX) && r.width > 0 && r.right > box.right + 2) { found.push(text.data.trim().slice(0, 60) + " in " + e.outerHTML.slice(0, 80)); break; }
			if (s.position === "fixed") break;
		}
	}
	return found.join("\n");
})()`
