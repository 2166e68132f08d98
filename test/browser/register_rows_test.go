package browser

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A row is added and another one retired, by keys alone. The server writes both in the file's
// own form, and what was there keeps its bytes.
func TestRowsAreAddedByKeys(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	file := deckFolder + "/Dependencies.csv"
	before := read(t, project, file)
	b.deliverable(deckKey, "?show=register&row=DEP-01-01-002")
	b.until("document.querySelector('.grid-row.selected')")
	b.tabTo("#add-row")
	b.do(press("Enter"))
	b.until("document.activeElement.tagName === 'TEXTAREA' && document.activeElement.closest('.grid-row.added')")
	b.do(chromedp.KeyEvent("The deck waits for the handrails"), press("Enter"))
	b.until("document.querySelector('.row-pane-id')?.innerText === 'DEP-01-01-005' && document.querySelector('.row-needs')?.innerText === 'Still needed: Target'")
	b.shot("added")
	// A row that lacks something is refused with the reason, and stays.
	b.tabTo("#save-register")
	b.do(press("Enter"))
	b.until("document.querySelector('.register-edits .notice.bad')?.innerText.includes('TargetDeliverableID')")
	b.shot("refused")
	// It is written in the table: arrow keys lead to the cell.
	b.tabTo(".grid-row.added [role=gridcell]")
	b.toColumn("TargetDeliverableID")
	b.do(press("Enter"))
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent("DEL-01-02"), press("Enter"))
	b.until("!document.querySelector('.row-needs')")
	// What is not saved stays in this browser.
	b.do(chromedp.Reload())
	b.until("document.querySelector('.register-edits')?.innerText.includes('1 row added')")
	b.tabTo(".grid-row:not(.added) [role=gridcell], .grid-row.added [role=gridcell]")
	b.do(press("Ctrl+Home"), press("ArrowDown"))
	b.until("document.activeElement.closest('.grid-row')?.dataset.row === 'DEP-01-01-002'")
	b.do(press("Delete"))
	b.until("document.querySelector('.grid-row.retired')?.dataset.row === 'DEP-01-01-002' && document.querySelector('.register-edits').innerText.includes('1 cell in 1 row changed')")
	b.shot("retired")
	b.tabTo("#save-register")
	b.do(press("Enter"))
	b.until("!document.querySelector('.register-edits')")
	after := read(t, project, file)
	lines, old := strings.Split(strings.TrimSpace(after), "\n"), strings.Split(strings.TrimSpace(before), "\n")
	if len(lines) != len(old)+1 || lines[1] != old[1] || lines[3] != old[3] {
		t.Fatalf("the file reads:\n%s", after)
	}
	if !strings.Contains(lines[2], ",RETIRED,") || !strings.HasPrefix(lines[5], "v3.1,DEP-01-01-005,PKG-01,DEL-01-01,Deck Levels,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE,,DEL-01-02,") ||
		!strings.Contains(lines[5], "The deck waits for the handrails,location TBD,location TBD,") || !strings.Contains(lines[5], ",DECLARED,") {
		t.Errorf("the file reads:\n%s", after)
	}
	if kept := value[string](b, `Object.entries(localStorage).filter(([k, v]) => k.includes('register') && Object.keys(JSON.parse(v).is).length > 0).join(' ')`); kept != "" {
		t.Errorf("what was saved is kept as if it were not: %s", kept)
	}
	// A row that was added by mistake goes without a trace.
	b.tabTo("#add-row")
	b.do(press("Enter"))
	b.until("document.activeElement.closest('.grid-row.added')")
	b.do(press("Escape"), press("Delete"))
	b.until("!document.querySelector('.grid-row.added') && !document.querySelector('.register-edits')")
}

// Two add a row with the same id: the second gives its row the next one.
func TestAddedRowsConflict(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	file := deckFolder + "/Dependencies.csv"
	b.deliverable(deckKey, "?show=register")
	b.until("document.querySelector('.grid-row[data-row]')")
	b.do(chromedp.Click(chromedp.CSS("#add-row")))
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent("Mine"), press("Enter"))
	b.until("document.querySelector('.grid-row.added')?.innerText.includes('Mine')")
	put(t, project, file, read(t, project, file)+strings.Replace(proposedRow(5, "Theirs", "Specification.md", "Specification > Scope", "deck"), "documents/brief.pdf", "", 1)+"\n")
	b.until("document.querySelector('[data-taken]')?.innerText.includes('Somebody else added a row with this id')")
	if !value[bool](b, "document.querySelector('#save-register').disabled") {
		t.Error("a taken id can be saved")
	}
	b.shot("taken")
	b.do(chromedp.Click(chromedp.CSS(".renumber-row")))
	b.until("!document.querySelector('[data-taken]') && document.querySelector('.grid-row.added')?.innerText.includes('DEP-01-01-006')")
}

// A deliverable without a register gets one by its first row.
func TestFirstRowMakesARegister(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	const folder = "PKG-01_Bridge/1_Working/DEL-01-09_New"
	put(t, project, folder+"/_STATUS.md", "# Status: DEL-01-09 New\n\n**Current State:** OPEN\n**Last Updated:** 2026-05-04\n")
	b.deliverable("PKG-01_Bridge::DEL-01-09", "?show=register")
	b.until("document.querySelector('#begin-register')")
	b.do(chromedp.Click(chromedp.CSS("#begin-register")))
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent("It needs the deck"), press("Enter"))
	b.until("document.querySelector('.grid-row.added')?.innerText.includes('DEP-01-09-001')")
	value[bool](b, "document.querySelector('.grid-row.added [data-column=TargetDeliverableID]').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent("DEL-01-01"), press("Enter"), chromedp.Click(chromedp.CSS("#save-register")))
	b.until("!document.querySelector('.register-edits') && document.querySelector('[data-row=\"DEP-01-09-001\"]')")
	if got := read(t, project, folder+"/Dependencies.csv"); !strings.HasPrefix(got, "RegisterSchemaVersion,DependencyID,") || strings.Count(got, "\n") != 2 {
		t.Errorf("the file reads:\n%s", got)
	}
}

// toColumn goes to a column of the register with the arrow key alone.
func (b *tab) toColumn(column string) {
	b.t.Helper()
	for range 40 {
		if value[bool](b, "document.activeElement.dataset.column === "+strconv.Quote(column)) {
			return
		}
		b.do(press("ArrowRight"))
	}
	b.t.Fatalf("the arrow key never reaches %s", column)
}

// With keys alone two cells are changed, which somebody else has changed while they were sent. Both
// versions are shown, one of each is kept, and the focus leads on to Save.
func TestRegisterConflictByKeys(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	file := deckFolder + "/Dependencies.csv"
	before := read(t, project, file)
	b.deliverable(deckKey, "?show=register&row=DEP-01-01-003")
	b.until("document.querySelector('.grid-row.selected')")
	b.tabTo("[data-row='DEP-01-01-003'] [role=gridcell]")
	b.toColumn("Statement")
	for _, text := range []string{"My own words", "The water is higher"} {
		b.do(press("F2"))
		b.until("document.activeElement.tagName === 'TEXTAREA'")
		b.do(chromedp.KeyEvent(text), press("Enter"))
		b.until("document.activeElement.matches('.edited[data-column=Statement]')")
		b.do(press("ArrowDown"))
	}
	b.until("document.querySelector('.register-edits')?.innerText.includes('2 cells in 2 rows')")
	value[bool](b, `window.held = window.fetch, window.fetch = async (path, init) => {
		if (init?.method === "PUT") { window.waits = true; while (!window.released) await new Promise(r => setTimeout(r, 10)); }
		return window.held(path, init);
	}, true`)
	b.tabTo("#save-register")
	b.do(press("Enter"))
	b.until("window.waits")
	put(t, project, file, strings.NewReplacer("The ends of the deck rest on the abutments A0 and B0", "Their words", "The highest water of the brief is read from the flood marks", "They were faster", ",PENDING,HIGH", ",SATISFIED,HIGH").Replace(before))
	value[bool](b, "window.released = true")
	b.until("document.querySelectorAll('.conflict').length === 2")
	if got := read(t, project, file); strings.Contains(got, "My own words") || !strings.Contains(got, "Their words") {
		t.Fatalf("a conflict was saved over:\n%s", got)
	}
	b.tabTo(".conflict:first-child .keep-mine")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('.conflict').length === 1 && document.activeElement.matches('.conflict .keep-mine')")
	b.do(press("Tab"))
	b.until("document.activeElement.matches('.take-theirs')")
	b.shot("conflict")
	b.do(press("Enter"))
	b.until("!document.querySelector('.conflict') && document.activeElement.matches('#save-register:enabled')")
	b.do(press("Enter"))
	b.until("!document.querySelector('.register-edits')")
	got := read(t, project, file)
	if !strings.Contains(got, "My own words") || strings.Contains(got, "Their words") || !strings.Contains(got, "They were faster") || strings.Contains(got, "The water is higher") || !strings.Contains(got, ",SATISFIED,HIGH") {
		t.Errorf("the file reads:\n%s", got)
	}
}
