package browser

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// day is the work of an engineer's day in a project.
type day struct {
	b           *tab
	project, id string
	// search narrows the list to so many deliverables, of which one is reviewed.
	search  string
	targets int
	key     string
	// folder is the deliverable's, relative to the project.
	folder string
	// pdf is evidence in a PDF: the file, the reference and the quote.
	pdf [3]string
	// proposed are the ids of the proposed rows.
	proposed []string
	began    time.Time
}

// An engineer's day: see what is first, start an agent on a selection, answer what it asks,
// review twelve proposals with their evidence, move a deliverable to CHECKING with a commit,
// publish a snapshot and verify it, look at the log and at files. On the example, and on a
// copy of a real root.
func TestEngineersDay(t *testing.T) {
	for _, d := range []struct {
		name, source string
		day          day
	}{
		{"example", "../../examples/project", day{
			search: "DEL-01", targets: 2, key: deckKey, folder: deckFolder,
			pdf: [3]string{"brief.pdf", "brief.pdf > What is asked for, page 1", "at least 0.60 m above the highest water on record"},
		}},
		{"corpus", "psb-6a", day{
			search: "DEL-02-0", targets: 7, key: "PKG-002_Main Public Services Building (PSB)::DEL-02-04",
			folder: "PKG-002_Main Public Services Building (PSB)/1_Working/DEL-02-04_Structure, Envelope, Roof & Overhead Doors",
			pdf:    [3]string{"_Sources/AB-2024-07156-Penhold Public Services Building RFP_2024_004.pdf", "page 2", "Town of Penhold"},
		}},
	} {
		t.Run(d.name, func(t *testing.T) {
			source := d.source
			if d.name == "corpus" {
				dir := os.Getenv("BELAY_CORPUS")
				if dir == "" {
					t.Skip("skipped: BELAY_CORPUS names no folder with real execution roots")
				}
				source = filepath.Join(dir, d.source)
			}
			one := d.day
			deliverable := one.key[strings.LastIndex(one.key, ":")+1:]
			script := fmt.Sprintf(`turns:
  - when: %s
    steps:
      - say: I compared the register with the documents, and note what is open.
      - call: {name: write, input: {path: %q, content: "# Open\n\nThe load of the doors is not confirmed.\n"}}
      - say: One point is open. It is in open-points.md.
  - when: Compare the registers
    steps: [{say: The register agrees with the documents.}]
`, deliverable, one.folder+"/open-points.md")
			one.b, one.project, one.id = pipedWith(t, "instructions: "+askingTask(t)+"\n", script, func(project string) {
				if err := os.CopyFS(project, os.DirFS(source)); err != nil {
					t.Fatal(err)
				}
				if err := os.RemoveAll(filepath.Join(project, ".belay")); err != nil {
					t.Fatal(err)
				}
				put(t, project, "_Reconciliation/summary.md", "# Summary\n\nAll registers agree with their documents.\n")
				put(t, project, one.folder+"/_DEPENDENCIES.md", "") // which is the first thing to do
			})
			one.b.mayFail() // evidence is looked for at more than one place
			one.began = time.Now()
			commitAll(t, one.project, "The state of yesterday")
			one.propose(t)
			one.seeWhatIsFirst(t)
			one.startOnASelection(t)
			one.review(t)
			one.moveOn(t)
			one.publish(t)
			one.lookBack(t)
		})
	}
}

// askingTask is an instruction root whose TASK may ask people. That of the embedded set
// never asks.
func askingTask(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "instructions")
	if err := os.CopyFS(root, os.DirFS("../../internal/persona/embedded")); err != nil {
		t.Fatal(err)
	}
	const task = "agents/AGENT_TASK.md"
	put(t, root, task, strings.Replace(read(t, root, task), "| **BLOCKING** | never |", "| **BLOCKING** | allowed |", 1))
	return root
}

// step says how far the day is, and leaves a picture.
func (d *day) step(t *testing.T, name string) {
	t.Helper()
	t.Logf("%s: %.1f s", name, time.Since(d.began).Seconds())
	d.began = time.Now()
	d.b.shot(name)
}

// propose puts twelve rows into the project as an agent proposes them: eleven with the
// evidence of rows that the register has, one with a page of a PDF.
func (d *day) propose(t *testing.T) {
	t.Helper()
	register := read(t, d.project, d.folder+"/Dependencies.csv")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(register, "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	deliverable, _, _ := strings.Cut(path.Base(d.folder), "_")
	var text strings.Builder
	w := csv.NewWriter(&text)
	out := [][]string{rows[0]}
	for i := range 12 {
		row := append([]string{}, rows[1+i%(len(rows)-1)]...)
		set := func(column, value string) { row[at[column]] = value }
		id := fmt.Sprintf("%s-%03d", strings.Replace(deliverable, "DEL-", "DEP-", 1), 101+i)
		d.proposed = append(d.proposed, id)
		for column, value := range map[string]string{
			"DependencyID": id, "DependencyClass": "EXECUTION", "AnchorType": "NOT_APPLICABLE", "DependencyType": "INTERFACE", "TargetType": "DOCUMENT", "TargetPackageID": "",
			"TargetDeliverableID": "", "TargetRefID": "", "TargetName": "Brief", "Statement": fmt.Sprintf("Proposed point %d", i+1), "Status": "ACTIVE", "SatisfactionStatus": "TBD", "Origin": "EXTRACTED",
		} {
			set(column, value)
		}
		if i == 11 {
			set("EvidenceFile", d.pdf[0])
			set("SourceRef", d.pdf[1])
			set("EvidenceQuote", d.pdf[2])
		}
		out = append(out, row)
	}
	if err := w.WriteAll(out); err != nil {
		t.Fatal(err)
	}
	put(t, d.project, ".belay/proposals/proposal-0012.csv", text.String())
	record, err := json.Marshal(map[string]any{"id": "proposal-0012", "deliverable": deliverable, "path": d.folder, "createdAt": "2026-05-05T10:00:00.000Z", "by": "DEPENDENCIES",
		"rows": 12, "complete": false, "state": "open", "note": "Read from the documents of this deliverable."})
	if err != nil {
		t.Fatal(err)
	}
	put(t, d.project, ".belay/proposals/proposal-0012.json", string(record))
}

// tabOf goes to a view of the project, in one click.
func (d *day) tabOf(part string) {
	d.b.t.Helper()
	d.b.click(".project-tabs a[href='/p/" + d.id + part + "']")
}

func (d *day) seeWhatIsFirst(t *testing.T) {
	d.b.visitPath("/p/" + d.id)
	d.b.until("document.querySelector('.commands li code')?.innerText.startsWith('belay ') && document.querySelector('.first').innerText.includes(' finding')")
	d.b.until("document.querySelector('.proposals-wait')?.innerText.includes('(12 rows)')")
	d.step(t, "1-first")
}

func (d *day) startOnASelection(t *testing.T) {
	b := d.b
	b.do(press("/"))
	b.until("document.activeElement.id === 'search'")
	b.do(chromedp.KeyEvent(d.search))
	b.until(fmt.Sprintf("document.querySelector('.shown-count').innerText.startsWith('%d of ')", d.targets))
	b.click("#select-shown")
	b.until(fmt.Sprintf("document.querySelector('.portal-selection b')?.innerText === '%d'", d.targets))
	b.click("#work-on")
	// The only type that runs is chosen already.
	b.until(fmt.Sprintf("document.querySelector('[data-type=TASK] input')?.checked && document.querySelector('.targets-count [role=status]')?.innerText.startsWith('%d of ')", d.targets))
	b.do(fill(chromedp.CSS(".pipeline-note textarea"), "Compare the registers with the documents."))
	d.step(t, "2-selection")
	b.click("#preview")
	b.until("document.querySelector('.message-text')?.innerText.includes('Compare the registers') && /tokens, \\$0\\.\\d/.test(document.querySelector('.work-facts').innerText)")
	d.step(t, "3-dry-run")
	b.click("#start-pipeline")
	b.until(fmt.Sprintf("document.querySelectorAll('.batch-table tbody tr').length === %d && document.querySelector('.batch-ask')", d.targets))
	d.step(t, "4-asks")
	if _, err := os.Stat(filepath.Join(d.project, d.folder, "open-points.md")); err == nil {
		t.Fatal("the file was written before anybody allowed it")
	}
	// The question is answered in the table.
	b.click(".batch-ask")
	b.until("document.querySelector('dialog .question .diff-lines')?.innerText.includes('not confirmed') && document.querySelector('dialog').innerText.includes('note what is open')")
	d.step(t, "5-question")
	b.click("dialog .answers .primary")
	b.until(fmt.Sprintf("!document.querySelector('dialog') && document.querySelector('[data-progress=done]')?.innerText === '%d done'", d.targets))
	if got := read(t, d.project, d.folder+"/open-points.md"); !strings.Contains(got, "not confirmed") {
		t.Errorf("the file reads %q", got)
	}
	d.step(t, "6-done")
}

func (d *day) review(t *testing.T) {
	b := d.b
	d.tabOf("")
	b.click(".proposals-wait a")
	b.until("document.querySelectorAll('.proposal-line').length === 12")
	refused, marked := 0, 0
	for i, id := range d.proposed {
		b.until("document.querySelector('.proposal-line.current')?.dataset.line === '" + id + "'")
		b.until("document.querySelector('.proposal-evidence .quote-found, .proposal-evidence .quote-missing, .proposal-evidence .notice')")
		if i == 11 {
			b.until("document.querySelector('.proposal-evidence canvas.page')?.dataset.drawn && document.querySelector('.pdf-mark, .quote-missing')")
			d.step(t, "7-pdf")
		}
		if i%4 == 3 {
			b.do(press("Space"))
			refused++
		}
		if value[bool](b, "Boolean(document.querySelector('.proposal-evidence .quote-found')?.innerText.includes('The quote is marked'))") {
			marked++
		}
		if i < 11 {
			b.do(press("j"))
		}
	}
	if marked < 4 {
		t.Errorf("only %d of 12 quotes are marked in their sources", marked)
	}
	b.until(fmt.Sprintf("document.querySelector('.apply').innerText === 'Apply %d of 12 rows'", 12-refused))
	d.step(t, "8-review")
	b.click(".apply")
	b.until("document.querySelector('.empty-main')?.innerText.includes('Nothing is proposed')")
	register := read(t, d.project, d.folder+"/Dependencies.csv")
	for i, id := range d.proposed {
		if has := strings.Contains(register, id); has == (i%4 == 3) {
			t.Errorf("%s is in the register: %v", id, has)
		}
	}
	d.step(t, "9-applied")
}

func (d *day) moveOn(t *testing.T) {
	b := d.b
	b.click(".deliverable-tabs a")
	b.until("document.querySelector('.transition')")
	if value[string](b, "document.querySelector('.transition').dataset.to") == "IN_PROGRESS" {
		b.click(".transition[data-to=IN_PROGRESS] .move")
	}
	b.until("document.querySelector('.transition[data-to=CHECKING]') && document.querySelector('.dirty')?.innerText.includes('open-points.md')")
	d.step(t, "10-dirty")
	head := commitAll(t, d.project, "The register after the review")
	b.until("!document.querySelector('.dirty') && document.querySelector('.commit input')?.value === '" + head + "'")
	b.click(".commit input")
	b.click(".transition[data-to=CHECKING] .move")
	b.until("document.querySelector('.state')?.dataset.state === 'CHECKING'")
	if status := read(t, d.project, d.folder+"/_STATUS.md"); !strings.Contains(status, "CHECKING") || !strings.Contains(status, head[:7]) {
		t.Errorf("the file says:\n%s", status)
	}
	d.step(t, "11-checking")
}

func (d *day) publish(t *testing.T) {
	b := d.b
	d.tabOf("/history")
	b.click("#publish")
	b.until("document.querySelector('#publish-label')")
	value[bool](b, "document.querySelector('#publish-form input').select() === undefined && document.querySelector('#publish-form input').focus() === undefined")
	b.do(chromedp.KeyEvent("_Reconciliation"), press("Tab"), chromedp.KeyEvent("AGREED"), press("Enter"))
	b.until("document.querySelector('#published')?.innerText.includes('_Reconciliation/AGREED_')")
	b.until("[...document.querySelectorAll('.card')].find(c => c.innerText.includes('AGREED_'))?.innerText.includes('verified')")
	d.step(t, "12-published")
	b.click(".history-part[href*='show=audit']")
	b.until("document.querySelector('.audit-entry')?.innerText.includes('_Reconciliation/AGREED_') && /manifest [0-9a-f]{64}/.test(document.querySelector('.audit-entry').innerText)")
	b.until("document.body.innerText.includes('IN_PROGRESS to CHECKING')")
	b.click("#verify-log")
	b.until("document.querySelector('#log-verdict')?.innerText.includes('Nobody changed the log')")
	d.step(t, "13-log")
}

// lookBack finds what was written in the files, and sees in the overview what happened.
func (d *day) lookBack(t *testing.T) {
	b := d.b
	d.tabOf("/files")
	b.until("document.querySelector('#files-search')")
	b.do(fill(chromedp.CSS("#files-search"), "open-points"))
	b.until("document.querySelector('.found-name mark')")
	b.do(press("Escape"))
	b.visitPath("/p/" + d.id + "/files?path=" + url.QueryEscape(d.folder+"/open-points.md"))
	b.until("document.querySelector('.file-page')?.innerText.includes('not confirmed')")
	d.step(t, "14-file")
	d.tabOf("")
	b.until("document.querySelector('.happenings [data-kind=transition]') && document.querySelectorAll('.happenings li').length >= 3")
	b.until("!document.querySelector('.proposals-wait')")
	d.step(t, "15-overview")
}
