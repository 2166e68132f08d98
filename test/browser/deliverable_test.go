package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// deckKey is the example's deliverable that has everything.
const deckKey = "PKG-01_Bridge::DEL-01-01"

// deckFolder is its folder.
const deckFolder = "PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels"

// deliverable opens a part of a deliverable's view, and waits for it.
func (b *tab) deliverable(key, query string) {
	b.t.Helper()
	b.until("document.querySelector('#message, .top nav')")
	id := value[string](b, "location.pathname.startsWith('/p/') ? location.pathname.split('/')[2] : ''")
	if id == "" {
		value[bool](b, "window.projectId = '', fetch('/api/projects').then(r => r.json()).then(a => { window.projectId = a.projects[0].id; }), true")
		b.until("window.projectId")
		id = value[string](b, "window.projectId")
	}
	b.visitPath("/p/" + id + "/d/" + url.PathEscape(key) + query)
	b.until("document.querySelector('.deliverable[data-key]')")
}

// commitAll makes a commit of everything in a project, which becomes a repository.
func commitAll(t *testing.T, project, message string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("skipped: git is not installed")
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", project, "-c", "user.name=An Engineer", "-c", "user.email=e@example.com", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if _, err := os.Stat(filepath.Join(project, ".git")); err != nil {
		run("init", "-q")
		if err := os.WriteFile(filepath.Join(project, ".git", "info", "exclude"), []byte(".belay\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("add", "-A")
	run("commit", "-q", "-m", message)
	return run("rev-parse", "HEAD")
}

// put writes a file of a project.
func put[T string | []byte](t *testing.T, project, name string, content T) {
	t.Helper()
	path := filepath.Join(project, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, project, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(project, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// propose puts a proposal into a project, as agents do.
func propose(t *testing.T, project, id, folder string, rows ...string) {
	t.Helper()
	header, _, _ := strings.Cut(read(t, project, deckFolder+"/Dependencies.csv"), "\n")
	put(t, project, ".belay/proposals/"+id+".csv", header+"\n"+strings.Join(rows, "\n")+"\n")
	deliverable, _, _ := strings.Cut(filepath.Base(folder), "_")
	record, err := json.Marshal(map[string]any{"id": id, "deliverable": deliverable, "path": folder, "createdAt": "2026-05-05T10:00:00.000Z", "by": "DEPENDENCIES",
		"rows": len(rows), "complete": false, "state": "open", "note": "Read from the documents of this deliverable."})
	if err != nil {
		t.Fatal(err)
	}
	put(t, project, ".belay/proposals/"+id+".json", string(record))
}

// proposedRow is a row of a proposal for the deck's register.
func proposedRow(n int, statement, file, ref, quote string) string {
	return fmt.Sprintf(`v3.1,DEP-01-01-%03d,PKG-01,DEL-01-01,Deck Levels,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DOCUMENT,,,,Brief,documents/brief.pdf,"%s",%s,"%s","%s",EXPLICIT,,,TBD,HIGH,EXTRACTED,2026-05-05,2026-05-05,ACTIVE,FACT`,
		n, statement, file, ref, quote)
}

// An engineer moves a deliverable to CHECKING. The page lists what is not committed and shows
// the diff since the last transition; the engineer picks the commit; the file has the new state.
func TestDeliverableMovesOn(t *testing.T) {
	b, project := real(t)
	commitAll(t, project, "The state of May")
	put(t, project, deckFolder+"/Datasheet.md", read(t, project, deckFolder+"/Datasheet.md")+"\nThe handrail is 1.10 m high.\n")
	b.deliverable(deckKey, "")
	b.until("document.querySelector('.dirty')?.innerText.includes('Datasheet.md (changed)')")
	b.do(chromedp.Click(chromedp.CSS("#since")))
	b.until("document.querySelector('.since .diff-lines')?.innerText.includes('1.10 m high')")
	b.shot("dirty")
	if !value[bool](b, "document.querySelector('.move').disabled") {
		t.Error("without a commit the step can be made")
	}
	// The warning goes when the file is committed: no reload, no click.
	head := commitAll(t, project, "The handrail <b>of the deck</b>")
	put(t, project, deckFolder+"/notes.txt", "one")
	if err := os.Remove(filepath.Join(project, deckFolder, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	b.until("!document.querySelector('.dirty') && document.querySelector('.commit-subject')?.innerText === 'The handrail <b>of the deck</b>'")
	b.do(chromedp.Click(chromedp.CSS(".commit input")), fill(chromedp.CSS("input[name=note]"), "Reviewed by two"), chromedp.Click(chromedp.CSS(".move")))
	b.until("document.querySelector('.state')?.dataset.state === 'CHECKING'")
	status := read(t, project, deckFolder+"/_STATUS.md")
	if !strings.Contains(status, "CHECKING") || !strings.Contains(status, head) || !strings.Contains(status, "Reviewed by two") {
		t.Errorf("the file says:\n%s", status)
	}
	b.until("document.querySelector('.history li')?.innerText.includes('CHECKING')")
	b.until("document.querySelector('.transition')?.dataset.to === 'ISSUED'")
}

// The same by keys alone.
func TestDeliverableMovesOnByKeys(t *testing.T) {
	b, project := real(t)
	head := commitAll(t, project, "The state of May")
	b.deliverable(deckKey, "")
	b.until("document.querySelector('.commit input')")
	b.reach("document.activeElement.name === 'sha'", 40)
	b.do(press("Space"), press("Tab"))
	b.until("document.activeElement.name === 'note' && !document.querySelector('.move').disabled")
	b.do(press("Enter"))
	b.until("document.querySelector('.state')?.dataset.state === 'CHECKING'")
	if status := read(t, project, deckFolder+"/_STATUS.md"); !strings.Contains(status, head) {
		t.Errorf("the file says:\n%s", status)
	}
}

// reach presses Tab until a condition holds.
func (b *tab) reach(condition string, most int) {
	b.t.Helper()
	for range most {
		if value[bool](b, condition) {
			return
		}
		b.do(press("Tab"))
	}
	b.t.Fatalf("%d times Tab do not lead to %s, but to %s", most, condition, value[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
}

// A transition that the server refuses says why and what to do; a status that somebody else
// has changed meanwhile is shown as it is, and nothing that was typed is lost.
func TestTransitionIsRefused(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	commitAll(t, project, "The state of May")
	b.deliverable(deckKey, "")
	b.until("document.querySelectorAll('.commit input').length === 2")
	b.do(chromedp.Click(chromedp.CSS(".commit:last-child input")), fill(chromedp.CSS("input[name=approvalSha]"), "0123456789abcdef"), fill(chromedp.CSS("input[name=note]"), "typed"), chromedp.Click(chromedp.CSS(".move")))
	b.until("document.querySelector('.transition .notice.bad')?.innerText.includes('No such commit')")
	if got := b.text(".transition .notice.bad"); !strings.Contains(got, "has no commit 0123456789abcdef") || !strings.Contains(got, "name that commit") {
		t.Errorf("the refusal reads %q", got)
	}
	// The request is held back until another one has changed the file.
	value[bool](b, `window.held = window.fetch, window.fetch = async (path, init) => {
		if (String(path).includes("/transition")) { window.waits = true; while (!window.released) await new Promise(r => setTimeout(r, 10)); }
		return window.held(path, init);
	}, true`)
	b.do(chromedp.Click(chromedp.CSS(".commit input")), chromedp.Click(chromedp.CSS(".move")))
	b.until("window.waits")
	put(t, project, deckFolder+"/_STATUS.md", read(t, project, deckFolder+"/_STATUS.md")+"- 2026-05-05 — State set to IN_PROGRESS (HUMAN) [a note]\n")
	value[bool](b, "window.released = true")
	b.until("document.querySelector('.transition .notice.warn[role=alert]')?.innerText.includes('The status changed while you looked at it')")
	b.until("document.querySelector('.history')?.innerText.includes('a note')")
	if got := value[string](b, "document.querySelector('input[name=note]').value"); got != "typed" {
		t.Errorf("the note is %q", got)
	}
}

// A deliverable that is moved or removed while it is shown says so, and leads on. One in a
// state that nobody knows says what a person has to do.
func TestDeliverableVanishes(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	put(t, project, "PKG-02_Ground/1_Working/DEL-02-02_Abutment B/_STATUS.md", "# Status: DEL-02-02 Abutment B\n\n**Current State:** PARKED\n**Last Updated:** 2026-05-04\n")
	b.deliverable("PKG-02_Ground::DEL-02-02", "")
	b.until("document.querySelector('.state')?.innerText === 'unknown state: PARKED'")
	if got := b.text(".status-main .notice"); !strings.Contains(got, "A person corrects the line Current State") {
		t.Errorf("the notice reads %q", got)
	}
	b.deliverable(deckKey, "?show=documents")
	b.until("document.querySelector('.documents .row')")
	moved := filepath.Join(project, "PKG-02_Ground/1_Working/DEL-01-01_Deck Levels")
	if err := os.Rename(filepath.Join(project, deckFolder), moved); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.deliverable-missing h2')?.innerText === 'This deliverable was moved'")
	b.do(chromedp.Click(chromedp.CSS(".deliverable-missing a[href*='PKG-02']")))
	b.until("document.querySelector('.deliverable')?.dataset.key === 'PKG-02_Ground::DEL-01-01'")
	if err := os.RemoveAll(moved); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.deliverable-missing h2')?.innerText === 'This deliverable is not in the project'")
}

// A file that changes is shown as it is when the server tells of it. How soon, bench/page
// measures.
func TestChangedFilesShow(t *testing.T) {
	b, project := real(t)
	b.toldAlone()
	b.deliverable(deckKey, "?show=documents&file=Datasheet.md")
	b.until("document.querySelector('.source-text .h1')")
	b.until("window.follows")
	put(t, project, deckFolder+"/Datasheet.md", "# Datasheet\n\nIt changed.\n")
	b.until("document.querySelector('.source-text')?.innerText.includes('It changed.')")
}

// largeRegister is a register of so many rows.
func largeRegister(rows int) string {
	var s strings.Builder
	s.WriteString("RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness,RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n")
	s.WriteString("v3.1,DEP-01-01-001,PKG-01,DEL-01-01,Deck Levels,ANCHOR,IMPLEMENTS_NODE,UPSTREAM,OTHER,WBS_NODE,,,SOW-003,Clearance,,DEL-01-01 implements SOW-003,_CONTEXT.md,_CONTEXT.md > Scope Traceability,Scope items: SOW-003,EXPLICIT,,,NOT_APPLICABLE,HIGH,EXTRACTED,2026-05-04,2026-05-04,ACTIVE,FACT\n")
	for i := 2; i <= rows; i++ {
		statement := fmt.Sprintf("Statement number %d of the register", i)
		if i == 321 {
			statement = `"` + statement + `, the odd one"`
		}
		fmt.Fprintf(&s, "v3.1,DEP-01-01-%03d,PKG-01,DEL-01-01,Deck Levels,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE,PKG-02,DEL-02-01,,Flood Marks,,%s,Datasheet.md,Datasheet.md > Levels,a quote of it,EXPLICIT,,,TBD,HIGH,EXTRACTED,2026-05-04,2026-05-04,ACTIVE,FACT\n", i, statement)
	}
	return s.String()
}

// A register of 5,000 rows opens as a table of which only the rows on the screen are drawn.
// It is filtered, and a cell is changed in place, by keys alone, and saved.
func TestRegisterIsEdited(t *testing.T) {
	b, project := real(t)
	put(t, project, deckFolder+"/Dependencies.csv", largeRegister(5000))
	b.deliverable(deckKey, "?show=register")
	b.until("document.querySelector('.register')?.dataset.rows === '5000' && document.querySelector('[data-row]')")
	if n := value[int](b, "document.querySelectorAll('[role=row]').length"); n > 120 {
		t.Errorf("%d rows are drawn", n)
	}
	value[bool](b, "document.querySelector('.grid-scroll').scrollTop = 1e9, true")
	b.until("document.querySelector(\"[data-row='DEP-01-01-5000']\")")
	b.do(fill(chromedp.CSS(".register-tools input[type=search]"), "odd one"))
	b.until("document.querySelector('.register-tools [role=status]').innerText === '1 of 5,000 rows' && document.querySelectorAll('[data-row]').length === 1")
	b.reach("document.activeElement.getAttribute('role') === 'gridcell'", 20)
	b.do(press("ArrowRight"), press("Enter"))
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent("What a person wrote"), press("Enter"))
	b.until("document.querySelector('.grid-cell.edited')?.innerText === 'What a person wrote' && document.activeElement.dataset.column === 'Statement'")
	// A word from a list. Columns beyond the sides of the table are drawn when the keys lead to them.
	b.do(press("End"))
	b.until("document.activeElement.dataset.column === 'Notes' && document.querySelector('.grid-scroll').scrollLeft > 0")
	b.do(press("Home"))
	b.until("document.activeElement.dataset.column === 'DependencyID'")
	b.toColumn("SatisfactionStatus")
	b.do(press("F2"))
	b.until("document.activeElement.tagName === 'SELECT'")
	b.do(chromedp.KeyEvent("P"), press("Enter"))
	b.until("document.querySelector('.register-edits').innerText.includes('2 cells in 1 row')")
	b.shot("edits")
	// A reload keeps what was not saved.
	b.do(chromedp.Reload())
	b.until("document.querySelector('.register-edits')?.innerText.includes('2 cells in 1 row')")
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("!document.querySelector('.register-edits')")
	want := strings.Replace(strings.Replace(largeRegister(5000), "Statement number 321 of the register, the odd one", "What a person wrote", 1),
		`What a person wrote",Datasheet.md,Datasheet.md > Levels,a quote of it,EXPLICIT,,,TBD`, `What a person wrote",Datasheet.md,Datasheet.md > Levels,a quote of it,EXPLICIT,,,PENDING`, 1)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(read(t, project, deckFolder+"/Dependencies.csv"), "\n")); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
}

// Two change the same cell: both versions are shown, and nothing typed is lost. A change of
// another cell of the row is none of that.
func TestRegisterConflict(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	file := deckFolder + "/Dependencies.csv"
	before := read(t, project, file)
	b.deliverable(deckKey, "?show=register&row=DEP-01-01-003")
	edit := func(row, column, text string) {
		t.Helper()
		cell := fmt.Sprintf("[data-row='%s'] [data-column=%s]", row, column)
		b.until("document.querySelector(" + strconv.Quote(cell) + ")")
		value[bool](b, "document.querySelector("+strconv.Quote(cell)+").dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
		b.until("document.activeElement.tagName === 'TEXTAREA'")
		b.do(chromedp.KeyEvent(text), press("Enter"))
	}
	edit("DEP-01-01-003", "Statement", "My own words")
	edit("DEP-01-01-002", "Statement", "Mine too")
	put(t, project, file, strings.Replace(strings.Replace(before, "The ends of the deck rest on the abutments A0 and B0", "Their words", 1), ",PENDING,HIGH", ",SATISFIED,HIGH", 1))
	b.until("document.querySelector('.conflict')?.innerText.includes('Their words')")
	if got := b.text(".conflicts"); !strings.Contains(got, "My own words") || !strings.Contains(got, "The ends of the deck rest") || strings.Contains(got, "Mine too") {
		t.Errorf("the conflict reads %q", got)
	}
	if !value[bool](b, "document.querySelector('#save-register').disabled") {
		t.Error("a conflict can be saved over")
	}
	b.shot("conflict")
	b.do(chromedp.Click(chromedp.CSS(".keep-mine")))
	b.until("!document.querySelector('.conflict') && !document.querySelector('#save-register').disabled")
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("!document.querySelector('.register-edits')")
	got := read(t, project, file)
	if !strings.Contains(got, "My own words") || !strings.Contains(got, "Mine too") || !strings.Contains(got, ",SATISFIED,HIGH") || strings.Contains(got, "Their words") {
		t.Errorf("the file reads:\n%s", got)
	}
	// Somebody writes while the request is on its way: 412, and the edit stays.
	edit("DEP-01-01-004", "Statement", "Still mine")
	value[bool](b, `window.held = window.fetch, window.fetch = async (path, init) => {
		if (init?.method === "PUT") { window.waits = true; while (!window.released) await new Promise(r => setTimeout(r, 10)); }
		return window.held(path, init);
	}, true`)
	b.do(chromedp.Click(chromedp.CSS("#save-register")))
	b.until("window.waits")
	put(t, project, file, strings.Replace(got, "The highest water of the brief is read from the flood marks", "They were faster", 1))
	value[bool](b, "window.released = true")
	b.until("document.querySelector('.conflict')?.innerText.includes('They were faster') && document.querySelector('.conflict').innerText.includes('Still mine')")
}

// The page lists unreadable rows above the table, whatever the filters are.
func TestMalformedRegister(t *testing.T) {
	b, project := real(t)
	file := deckFolder + "/Dependencies.csv"
	lines := strings.SplitAfter(read(t, project, file), "\n")
	lines[2] = strings.TrimSuffix(lines[2], "\n") + ",one more,and more\n"
	put(t, project, file, strings.Join(lines, ""))
	b.deliverable(deckKey, "?show=register")
	b.until("document.querySelector('.register-problems')?.innerText.includes('MALFORMED_ROW')")
	b.do(fill(chromedp.CSS(".register-tools input[type=search]"), "no row has this"))
	b.until("document.querySelector('.grid-scroll')?.innerText.includes('No row fits')")
	b.do(chromedp.Click(chromedp.CSS(".register-problems button")))
	b.until("document.querySelector('.grid-row.selected')?.dataset.row === 'DEP-01-01-002' && document.querySelector('.register-pane')?.innerText.includes('MALFORMED_ROW')")
	b.shot("malformed")
	put(t, project, file, "nonsense\n\x00\xff")
	b.until("document.querySelector('.register-problems, .register .notice, .scroll .notice.bad')?.innerText.length > 20")
}

// Proposals are read row by row beside their evidence: a document at its heading, a page of
// a PDF, each with the quote marked, and plain words where it is not there. Rows are applied
// by choice, and the rest is dismissed.
func TestProposalsWithEvidence(t *testing.T) {
	b, project := real(t)
	propose(t, project, "proposal-0001", deckFolder,
		proposedRow(5, "The slope of the deck is limited", "Specification.md", "Specification > Requirements", "The slope  between two points\nis at most 6 in 100."),
		proposedRow(6, "The underside is above the highest water", "brief.pdf", "brief.pdf > What is asked for", "at least 0.60 m above the highest water on record"),
		proposedRow(7, "Nobody wrote this", "Specification.md", "Specification > Scope", "The deck is made of glass"),
		proposedRow(8, "Its source is gone", "Nowhere.md", "Nowhere > Scope", "no such file"))
	b.mayFail()
	b.deliverable(deckKey, "?show=proposals")
	b.until("document.querySelectorAll('.proposal-line').length === 4")
	quoted := func() string {
		return value[string](b, "[...(CSS.highlights.get('belay-quote') ?? [])].map(r => r.toString()).join('|')")
	}
	b.until("document.querySelector('.quote-found')?.dataset.found === 'here'")
	if got := quoted(); !strings.Contains(got, "slope between two points is at most 6 in 100") {
		t.Errorf("marked is %q", got)
	}
	if top := value[int](b, "document.querySelector('.top').getBoundingClientRect().top"); top != 0 {
		t.Errorf("the page itself was scrolled by %d pixels", top)
	}
	b.shot("document")
	b.do(press("j"))
	b.until("document.querySelector('.proposal-line.current')?.dataset.line === 'DEP-01-01-006' && document.querySelector('.pdf-mark') && document.querySelector('canvas.page')?.dataset.drawn === '1'")
	b.shot("pdf")
	b.until("document.querySelector('.proposal-evidence').innerText.includes('The quote is marked. Page 1.')")
	b.do(press("j"))
	b.until("document.querySelector('.quote-missing')?.innerText.includes('The quote is not in this file')")
	b.do(press("Space"), press("j"))
	b.until("document.querySelector('.proposal-evidence .notice.bad')?.innerText.includes('Not found')")
	b.do(press("Space"))
	b.until("document.querySelector('.apply')?.innerText === 'Apply 2 of 4 rows'")
	b.do(chromedp.Click(chromedp.CSS(".apply")))
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed')")
	got := read(t, project, deckFolder+"/Dependencies.csv")
	if !strings.Contains(got, "DEP-01-01-005") || !strings.Contains(got, "DEP-01-01-006") || strings.Contains(got, "DEP-01-01-007") {
		t.Errorf("the register reads:\n%s", got)
	}
	propose(t, project, "proposal-0002", deckFolder, proposedRow(9, "To be dismissed", "Specification.md", "Specification > Scope", "deck"))
	b.until("document.querySelector('.dismiss')")
	b.do(chromedp.Click(chromedp.CSS(".dismiss")))
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed')")
	if got := read(t, project, ".belay/proposals/proposal-0002.json"); !strings.Contains(got, "dismissed") {
		t.Errorf("the proposal reads %s", got)
	}
}

// A register that changes between the diff and the yes is compared anew, and nothing is applied.
func TestProposalConflict(t *testing.T) {
	b, project := real(t)
	b.mayFail()
	propose(t, project, "proposal-0001", deckFolder, proposedRow(5, "One", "Specification.md", "Specification > Scope", "deck"), proposedRow(6, "Two", "Specification.md", "Specification > Scope", "deck"))
	b.deliverable(deckKey, "?show=proposals")
	b.until("document.querySelectorAll('.proposal-line').length === 2")
	b.do(chromedp.Click(chromedp.CSS("[data-line='DEP-01-01-006'] input")))
	value[bool](b, `window.held = window.fetch, window.fetch = async (path, init) => {
		if (String(path).includes("/apply") && !window.released) { window.waits = true; while (!window.released) await new Promise(r => setTimeout(r, 10)); }
		return window.held(path, init);
	}, true`)
	b.do(chromedp.Click(chromedp.CSS(".apply")))
	b.until("window.waits")
	file := deckFolder + "/Dependencies.csv"
	put(t, project, file, strings.Replace(read(t, project, file), ",PENDING,HIGH", ",SATISFIED,HIGH", 1))
	value[bool](b, "window.released = true")
	b.until("document.querySelector('.proposal .notice[role=alert]')?.innerText.includes('The register changed meanwhile')")
	b.until("document.querySelector('.apply')?.innerText === 'Apply 1 of 2 rows' && !document.querySelector('.apply').disabled")
	if strings.Contains(read(t, project, file), "DEP-01-01-005") {
		t.Error("the row was applied all the same")
	}
	b.do(chromedp.Click(chromedp.CSS(".apply")))
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed')")
}

// Findings say what to do, with the command to copy, and lead to their place.
func TestFindingsWithFix(t *testing.T) {
	b, project := real(t)
	file := deckFolder + "/Dependencies.csv"
	put(t, project, file, strings.Replace(read(t, project, file), "DEP-01-01-003", "DEP-3", 1))
	b.deliverable(deckKey, "?show=findings")
	b.until("document.querySelector('[data-code=INVALID_DEPENDENCY_ID_FORMAT]')")
	if got := b.text("[data-code=INVALID_DEPENDENCY_ID_FORMAT] .command code"); !strings.HasPrefix(got, "belay deps renumber --project ") {
		t.Errorf("the command is %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS("[data-code=INVALID_DEPENDENCY_ID_FORMAT] .finding-list a")))
	b.until("document.querySelector('.grid-row.selected')?.dataset.row === 'DEP-3'")
}

// deliverableShows are the parts of the view.
var deliverableShows = []string{"", "documents", "documents&file=Specification.md", "register&row=DEP-01-01-002", "proposals", "findings", "sessions"}

// Every part passes the inspection.
func TestDeliverableIsAccessible(t *testing.T) {
	source := axeSource(t)
	b, project := real(t)
	b.mayFail()
	commitAll(t, project, "The state of May, in a subject that is longer than anybody would write it, "+strings.Repeat("and more ", 10))
	put(t, project, deckFolder+"/Datasheet.md", read(t, project, deckFolder+"/Datasheet.md")+"\nA line that is in no commit.\n")
	file := deckFolder + "/Dependencies.csv"
	put(t, project, file, strings.Replace(read(t, project, file), "DEP-01-01-003", "DEP-3", 1))
	propose(t, project, "proposal-0001", deckFolder,
		proposedRow(5, "The deck is 2 m wide", "Specification.md", "Specification > Requirements", "The slope between two points"),
		proposedRow(6, "The underside is above the highest water", "brief.pdf", "brief.pdf > What is asked for, page 1", "at least 0.60 m above the highest water on record"))
	home := b.home()
	var views []view
	for _, show := range deliverableShows {
		views = append(views, view{name: strings.ReplaceAll(show, "&", "-"), path: home + "/d/" + deckKey + "?show=" + show,
			ready: ".deliverable:not(:has(.spin)) :is(.scroll, .grid-scroll)"})
	}
	b.inspect(source, ".md, dd, li.soft, .answer-facts, .empty-main p", views)
}

// A copy of a real root: deliverables are opened part by part, a register with all its odd
// ids is shown, the evidence of a row opens, a cell is edited, and a step is made with a commit.
func TestDeliverableOfARealRoot(t *testing.T) {
	copied := copyOf(t, "psb-6a")
	b, _ := real(t)
	project := filepath.Join(t.TempDir(), "psb-6a")
	copied(project)
	commitAll(t, project, "As it came")
	b.until("document.querySelector('.top nav')")
	value[bool](b, fmt.Sprintf(`window.added = "", fetch("/api/projects", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ path: %q }) }).then(r => r.json()).then(a => { window.added = a.project.id; }), true`, project))
	b.until("window.added")
	b.visitPath("/p/" + value[string](b, "window.added") + "/d/" + url.PathEscape("PKG-001::DEL-01-02"))
	b.until("document.querySelector('.deliverable[data-key]')")
	key := value[string](b, "document.querySelector('.deliverable').dataset.key")
	for show, ready := range map[string]string{
		"documents": ".source-text .h1", "register": "[data-row]", "findings": ".finding-group .command", "sessions": ".empty-main, .session-touch", "proposals": ".empty-main",
	} {
		b.deliverable(key, "?show="+show)
		b.until("document.querySelector('" + ready + "')")
		b.shot(show)
	}
	b.deliverable(key, "?show=register")
	b.until("document.querySelector('[data-row]')")
	b.do(chromedp.Click(chromedp.CSS("[data-row] [data-column=Statement]")))
	b.until("document.querySelector('.register-pane .source-text')?.innerText.length > 100")
	b.shot("evidence")
	// A register with ids of an older form is not written, and the page says what corrects them.
	b.mayFail()
	edit := func() {
		t.Helper()
		b.until("document.activeElement.dataset.column === 'Statement'")
		b.do(press("Enter"))
		b.until("document.activeElement.tagName === 'TEXTAREA'")
		b.do(chromedp.KeyEvent(" As the office says."), press("Enter"))
		b.until("document.querySelector('.register-edits')?.innerText.includes('1 cell in 1 row')")
		b.tabTo("#save-register")
		b.do(press("Enter"))
	}
	edit()
	b.until("document.querySelector('.register')?.innerText.includes('belay deps renumber')")
	b.visitPath("/p/" + value[string](b, "window.location.pathname.split('/')[2]") + "/d/" + url.PathEscape("PKG-001::DEL-01-04") + "?show=register")
	b.until("document.querySelector('[data-row]') && decodeURIComponent(location.pathname).includes('General Requirements')") // the whole key, not only the id
	b.do(chromedp.Click(chromedp.CSS("[data-row] [data-column=Statement]")))
	edit()
	b.until("!document.querySelector('.register-edits')")
	if got := read(t, project, "PKG-001_General Requirements & Delivery Controls/1_Working/DEL-01-04_Permitting, Inspections & AHJ Coordination/Dependencies.csv"); strings.Count(got, "As the office says.") != 1 {
		t.Errorf("the register reads\n%s", got)
	}
	commitAll(t, project, "A statement")
	b.deliverable(key, "")
	b.until("document.querySelector('.transition[data-to=IN_PROGRESS] .move')")
	b.do(chromedp.Click(chromedp.CSS(".move")))
	b.until("document.querySelector('.state')?.dataset.state === 'IN_PROGRESS'")
	head := commitAll(t, project, "Begun")
	b.deliverable(key, "")
	b.until("document.querySelector('.commit input')?.value === '" + head + "'")
	b.do(chromedp.Click(chromedp.CSS(".commit input")), chromedp.Click(chromedp.CSS(".move")))
	b.until("document.querySelector('.state')?.dataset.state === 'CHECKING'")
	b.shot("checking")
}

// By keys alone: from part to part of a deliverable, to a document, and from a finding to its row.
func TestDeliverablePartsByKeys(t *testing.T) {
	b, project := real(t)
	file := deckFolder + "/Dependencies.csv"
	put(t, project, file, strings.Replace(read(t, project, file), "DEP-01-01-003", "DEP-3", 1))
	b.deliverable(deckKey, "")
	part := func(name string) {
		t.Helper()
		b.tabTo(".deliverable-tabs a[href*='show=" + name + "']")
		b.do(press("Enter"))
	}
	part("documents")
	b.until("document.querySelector('.documents a[href*=\"Guidance.md\"]')")
	b.tabTo(".documents a[href*='Guidance.md']")
	b.do(press("Enter"))
	b.until("document.querySelector('.source-text .h1')?.innerText.startsWith('Guidance')")
	part("findings")
	b.until("document.querySelector('.finding-list a')")
	b.tabTo(".finding-list a")
	b.do(press("Enter"))
	b.until("document.querySelector('.grid-row.selected')?.dataset.row === 'DEP-3'")
	part("sessions")
	b.until("document.querySelector('.empty-main, .session-touch')")
}
