package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// With keys alone agents are started on two deliverables, a question is answered in the table
// of the start, and a session and its deliverable are opened from it.
func TestBatchByKeys(t *testing.T) {
	const file = "PKG-01_Part 1/1_Working/DEL-01-01_Member 01-01/notes.md"
	script := fmt.Sprintf("turns:\n  - when: DEL-01-01\n    steps: [{call: {name: write, input: {path: %q, content: written}}}, {say: Done.}]\n", file)
	b, project, id := pipedWith(t, "instructions: "+askingTask(t)+"\n", script, func(project string) { deliverables(t, project, 3) })
	b.visitPath("/p/" + id + "/pipeline?category=TASK")
	b.until("document.querySelectorAll('.target').length === 3 && document.querySelector('[data-type=TASK] input')?.checked")
	for i := range 2 {
		b.tabTo(fmt.Sprintf("[data-target='PKG-01_Part 1::DEL-01-0%d'] input", i+1))
		b.do(press("Space"))
	}
	b.tabTo("#preview")
	b.do(press("Enter"))
	b.until("document.querySelector('#start-pipeline:enabled')")
	b.tabTo("#start-pipeline")
	b.do(press("Enter"))
	b.until("document.querySelector('.batch-ask')")
	b.tabTo(".batch-ask")
	b.do(press("Enter"))
	b.until("document.querySelector('dialog .question')")
	// Escape leaves it for later, and the focus is where it was.
	b.do(press("Escape"))
	b.until("!document.querySelector('dialog') && document.activeElement.matches('.batch-ask')")
	b.do(press("Enter"))
	b.until("document.querySelector('dialog .answers .primary:enabled')")
	b.tabTo("dialog .answers .primary")
	b.do(press("Enter"))
	b.until("!document.querySelector('dialog') && document.querySelector('[data-progress=done]')?.innerText === '2 done'")
	if got := read(t, project, file); got != "written" {
		t.Errorf("the file reads %q", got)
	}
	b.until("document.activeElement.matches('.batch-frame')")
	b.tabTo(".batch-table tbody tr:first-child .batch-title")
	b.do(press("Enter"))
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.foot')?.innerText.includes('done')")
	b.do(chromedp.NavigateBack())
	b.until("document.querySelector('[data-progress=done]')")
	b.tabTo(".batch-table a[href*='/d/']")
	b.do(press("Enter"))
	b.until("document.querySelector('.deliverable[data-key]')")
}

// A start that is ended early says how many were not started, and continues, by keys alone.
func TestBatchContinuesByKeys(t *testing.T) {
	const file = "PKG-01_Part 1/1_Working/DEL-01-01_Member 01-01/notes.md"
	script := fmt.Sprintf("turns:\n  - when: DEL-01-01\n    steps: [{call: {name: write, input: {path: %q, content: written}}}, {say: Done.}]\n", file)
	b, _, id := pipedWith(t, "instructions: "+askingTask(t)+"\n", script, func(project string) { deliverables(t, project, 3) })
	at := "PKG-01_Part%201::DEL-01-0"
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&keys=" + at + "1&keys=" + at + "2&keys=" + at + "3")
	b.until("document.querySelector('[name=at-once]')")
	b.do(fill(chromedp.CSS("[name=at-once]"), "1"))
	b.click("#preview")
	b.click("#start-pipeline")
	b.until("document.querySelector('.batch-ask') && document.querySelector('#stop-batch')")
	b.tabTo("#stop-batch")
	b.do(press("Enter"))
	b.until("document.querySelector('#not-started')?.innerText.includes('2 sessions were not started')")
	b.shot("not-started")
	// So it says after the server was started again.
	b.mayFail()
	b.program.stop()
	b.program.start(t)
	b.do(chromedp.Reload())
	b.until("document.querySelector('#not-started') && document.querySelector('#continue-batch')")
	b.tabTo("#continue-batch")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('[data-progress=queued]').length === 0 && !document.querySelector('#not-started')")
}

// With keys alone proposals are read row by row beside their evidence, some are refused, and
// the rest is applied; another proposal is dismissed. A new one appears by itself.
func TestProposalsByKeys(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	propose(t, project, "proposal-0001", deckFolder,
		proposedRow(5, "The slope of the deck is limited", "Specification.md", "Specification > Requirements", "The slope between two points"),
		proposedRow(6, "Nobody wrote this", "Specification.md", "Specification > Scope", "The deck is made of glass"),
		proposedRow(7, "The underside is above the highest water", "brief.pdf", "brief.pdf > What is asked for, page 1", "at least 0.60 m above the highest water on record"))
	b.deliverable(deckKey, "?show=proposals")
	b.until("document.querySelector('.quote-found')?.dataset.found === 'here'")
	b.do(press("j"))
	b.until("document.querySelector('.quote-missing') && document.activeElement.matches('.proposal-open')")
	b.do(press("Space"), press("j"))
	b.until("document.querySelector('.pdf-mark')")
	b.do(press("k"), press("j"))
	b.until("document.querySelector('.apply')?.innerText === 'Apply 2 of 3 rows'")
	b.tabTo(".apply")
	b.do(press("Enter"))
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed')")
	if got := read(t, project, deckFolder+"/Dependencies.csv"); !strings.Contains(got, "DEP-01-01-005") || strings.Contains(got, "DEP-01-01-006") || !strings.Contains(got, "DEP-01-01-007") {
		t.Errorf("the register reads:\n%s", got)
	}
	// The server tells of the next one: the page is not asked to look.
	value[bool](b, "(window.asked = performance.getEntriesByType('resource').filter(e => e.name.includes('/api/project/deliverable')).length, true)")
	propose(t, project, "proposal-0002", deckFolder, proposedRow(9, "To be dismissed", "Specification.md", "Specification > Scope", "deck"))
	b.until("document.querySelector('.dismiss')")
	b.tabTo(".dismiss")
	b.do(press("Enter"))
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed')")
	if got := read(t, project, ".belay/proposals/proposal-0002.json"); !strings.Contains(got, "dismissed") {
		t.Errorf("the proposal reads %s", got)
	}
}

// With keys alone a snapshot of a copy of a real root is opened and verified, again after
// somebody changed a file of it, and files and history are looked through.
func TestHistoryOfARealRootByKeys(t *testing.T) {
	b, project := corpus(t, "psb-6a")
	put(t, project, "_Reconciliation/summary.md", "# Summary\n")
	home := b.home()
	b.visitPath(home + "/history")
	b.until("document.querySelector('#publish') && document.querySelectorAll('.card').length > 10")
	b.tabTo("#publish")
	b.do(press("Enter"))
	b.until("document.querySelector('#publish-form')")
	b.tabTo("#publish-form input")
	value[bool](b, "document.activeElement.select() === undefined")
	b.do(chromedp.KeyEvent("_Reconciliation"), press("Tab"), chromedp.KeyEvent("SUM"), press("Enter"))
	b.until("document.querySelector('#published') && [...document.querySelectorAll('.card summary')].some(s => s.innerText.includes('SUM_'))")
	value[bool](b, "[...document.querySelectorAll('.card summary')].find(s => s.innerText.includes('SUM_')).setAttribute('data-sum', '') === undefined")
	b.tabTo("[data-sum]")
	b.do(press("Enter"))
	b.until("document.querySelector('details[open] .chip.good')?.innerText.includes('verified') && document.querySelector('#verify-again')")
	all, err := filepath.Glob(filepath.Join(project, "_Reconciliation", "SUM_*", "summary.md"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if err := os.Chmod(all[0], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(all[0], []byte("# Forged\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.tabTo("#verify-again")
	b.do(press("Enter"))
	b.until("document.querySelector('details[open] .chip.bad')?.innerText.includes('1 finding') && document.querySelector('.findings')?.innerText.includes('other bytes')")
	b.shot("forged")
	b.tabTo(".history-part[href*='show=audit']")
	b.do(press("Enter"))
	b.until("document.querySelector('.audit-entry')?.innerText.includes('_Reconciliation/SUM_') && document.querySelector('.audit-entry .chip.good')?.innerText === 'begins'")

	b.visitPath(home + "/files")
	b.until(treeRow("_Sources"))
	b.tabTo("#files-search")
	b.do(chromedp.KeyEvent("RFP_2024_004"))
	b.until("document.querySelector('.found-name mark')?.innerText === 'RFP_2024_004' && document.querySelectorAll('.found-name').length === 1")
	b.tabTo(".found-name")
	b.do(press("Enter"))
	b.until("document.querySelector('canvas.page')?.dataset.drawn && " + query("path") + ".endsWith('RFP_2024_004.pdf')")
	b.shot("pdf")
	b.do(chromedp.NavigateBack())
	b.until("document.querySelector('.found-name')")
}
