package browser

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// editStatement writes a text into the statement of a row.
func (b *tab) editStatement(row, text string) {
	b.t.Helper()
	cell := strconv.Quote("[data-row='" + row + "'] [data-column=Statement]")
	b.until("document.querySelector(" + cell + ")")
	value[bool](b, "document.querySelector("+cell+").dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent(text), press("Enter"))
	b.until("document.querySelector(" + cell + ")?.innerText === " + strconv.Quote(text))
}

// A save that could not bring _DEPENDENCIES.md in line says so until the next one, although the
// register is asked for again in between. The same holds for a proposal, which is gone then.
func TestSummaryProblemIsShown(t *testing.T) {
	b, project := real(t)
	const summary, register = deckFolder + "/_DEPENDENCIES.md", deckFolder + "/Dependencies.csv"
	theirs := read(t, project, summary) // its figures are of an agent, so belay leaves them alone
	b.deliverable(deckKey, "?show=register")
	b.editStatement("DEP-01-01-002", "First")
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("document.querySelector('.summary-problem')?.innerText.includes('was not brought in line')")
	put(t, project, register, strings.Replace(read(t, project, register), "The ends of the deck rest on the abutments A0 and B0", "Asked for again", 1))
	b.until("document.querySelector(\"[data-row='DEP-01-01-003'] [data-column=Statement]\")?.innerText === 'Asked for again'")
	if got := b.text(".register"); !strings.Contains(got, "was not brought in line") {
		t.Errorf("the register says no more:\n%s", got)
	}
	b.shot("saved")
	put(t, project, summary, "# Dependencies: DEL-01-01 Deck Levels\n\n## Extracted Dependency Register\nNot extracted yet.\n")
	b.editStatement("DEP-01-01-002", "Second")
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("!document.querySelector('.register-edits') && !document.querySelector('.summary-problem')")

	put(t, project, summary, theirs)
	propose(t, project, "proposal-0001", deckFolder, proposedRow(5, "The slope of the deck is limited", "Specification.md", "Specification > Requirements", "The slope"))
	b.deliverable(deckKey, "?show=proposals")
	b.until("document.querySelector('.apply:enabled')")
	b.do(chromedp.Click(chromedp.CSS(".apply")))
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed') && document.querySelector('.summary-problem')?.innerText.includes('was not brought in line')")
	b.shot("applied")
}

// What is typed while a save is on its way is an edit of what was saved: it is no change of
// somebody else, and a cell that gets its old value back is saved with it.
func TestTypedWhileSaving(t *testing.T) {
	b, project := real(t)
	const file, old = deckFolder + "/Dependencies.csv", "The ends of the deck rest on the abutments A0 and B0"
	b.deliverable(deckKey, "?show=register")
	b.editStatement("DEP-01-01-002", "Sent")
	b.editStatement("DEP-01-01-003", "Sent too")
	value[bool](b, `window.held = window.fetch, window.fetch = async (path, init) => {
		const answer = await window.held(path, init);
		if (init?.method === "PUT") { window.waits = true; while (!window.released) await new Promise(r => setTimeout(r, 10)); }
		return answer;
	}, true`)
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("window.waits")
	b.editStatement("DEP-01-01-002", "Typed since")
	b.editStatement("DEP-01-01-003", old)
	value[bool](b, "window.released = true")
	b.until("document.querySelector('#save-register:enabled') && document.querySelector('.register-edits').innerText.includes('2 cells in 2 rows')")
	if value[bool](b, "Boolean(document.querySelector('.conflict'))") {
		t.Errorf("a change of one's own counts as somebody else's: %s", b.text(".conflicts"))
	}
	if got := read(t, project, file); strings.Count(got, "Sent") != 2 {
		t.Errorf("the file reads:\n%s", got)
	}
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("!document.querySelector('.register-edits')")
	if got := read(t, project, file); !strings.Contains(got, "Typed since") || !strings.Contains(got, old) || strings.Contains(got, "Sent") {
		t.Errorf("the file reads:\n%s", got)
	}
}
