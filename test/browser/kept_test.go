package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"belay/internal/api/apitest"
	"belay/internal/turn"
)

// A kept change is looked at, applied in part, then discarded; one that a turn still asks
// about leads to its question.
func TestKeptChanges(t *testing.T) {
	engine := &apitest.Engine{}
	b := signedIn(t, engine)
	if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	b.visit("s/s2") // and so in its project
	b.until("document.querySelector('.project select')?.title.length > 10")
	b.visit("inbox?show=kept")
	b.until("document.querySelectorAll('.pane .row').length === 2 && document.querySelector('.question .diff-file')")
	if got := b.text(".question"); !strings.Contains(got, "a person was asked and did not answer in time") || !strings.Contains(got, "touch a.txt b.txt") {
		t.Errorf("the change reads %q", got)
	}
	b.shot("kept")
	b.tabTo(".question .pick input")
	b.do(press("Space"))
	b.until("document.querySelector('#keep').innerText.includes('Apply 1 of 2 files')")
	b.tabTo("#keep")
	b.do(press("Enter"))
	b.until("document.querySelector('#announce').innerText.includes('Applied: 1 file')")
	b.until("document.querySelector('#drop')")
	b.tabTo("#drop")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('.pane .row').length === 1 && document.querySelector('#announce').innerText.includes('Discarded')")
	b.until("document.querySelector('.question a[href=\"/q/dec_1\"]') && !document.querySelector('#keep')")
}

// Answered questions are listed with who answered, and filtered; a link to one shows it.
func TestClosedQuestions(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_1")
	b.answer("d")
	b.until("location.pathname === '/q/dec_2'")
	b.answer("a")
	b.until("document.querySelector('.empty-main')?.innerText.includes('All clear')")
	b.visit("inbox?show=closed")
	b.until("document.querySelectorAll('.closed-list > li').length === 2")
	if got := b.text(".closed-list"); !strings.Contains(got, "Denied by operator") || !strings.Contains(got, "Allowed by operator") {
		t.Errorf("the list reads %q", got)
	}
	b.shot("closed")
	b.tabTo(".listing .segment:last-child")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('.closed-list > li').length === 1")
	b.tabTo(".closed-list a")
	b.do(press("Enter"))
	b.until("location.pathname === '/q/dec_1' && document.querySelector('.closed-one')?.innerText.includes('Denied by operator')")
}

// Diffs stand in one column or two, as this browser keeps it; viewed files are folded.
func TestDiffLayout(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_1")
	b.until("document.querySelector('.diff-lines')")
	b.tabTo("[data-style=split]")
	b.do(press("Enter"))
	b.until("document.querySelector('.diff-lines.two')")
	if got := value[string](b, "[...document.querySelectorAll('.diff-lines tr')].map(r => [...r.querySelectorAll('.t')].map(c => c.textContent).join('|')).join('\\n')"); got != "# Notes|# Notes\nremoved: old words|added: new words" {
		t.Errorf("side by side the diff reads %q", got)
	}
	b.shot("split")
	b.visit("q/dec_2")
	b.until("document.querySelectorAll('.diff-file details[open]').length === 2")
	b.tabTo(".viewed-mark input")
	b.do(press("Space"))
	b.until("document.querySelectorAll('.diff-file details[open]').length === 1 && document.querySelector('.diff-head').innerText.includes('1 of 2 viewed')")
	// On a phone there is no room for two columns.
	b.do(chromedp.EmulateViewport(360, 740))
	b.visit("q/dec_1")
	b.until("document.querySelector('.diff-lines') && !document.querySelector('.diff-lines.two')")
}
