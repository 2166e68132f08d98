package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// marked is a decomposition with knowledge types.
const marked = "# Decomposition\n\nKnowledge types: KTY-01-01 Datasheets.\n"

// deliverables writes that many into a project, in packages of forty, the first half of
// them in progress, each with a datasheet.
func deliverables(t *testing.T, project string, n int) {
	t.Helper()
	for i := range n {
		state := "OPEN"
		if i < n/2 {
			state = "IN_PROGRESS"
		}
		id := fmt.Sprintf("%02d-%02d", i/40+1, i%40+1)
		folder := filepath.Join(project, fmt.Sprintf("PKG-%02d_Part %d", i/40+1, i/40+1), "1_Working", "DEL-"+id+"_Member "+id)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, folder, "_STATUS.md", fmt.Sprintf("# Status: DEL-%s Member %s\n\n**Current State:** %s\n**Last Updated:** 2026-01-02\n\n## History\n- 2026-01-02 — State set to %s (HUMAN)\n", id, id, state, state))
		put(t, folder, "Datasheet.md", "# Datasheet\n")
	}
}

// piped is a tab of the program itself with the embedded instructions, in a project that
// make writes. The scripted model has a price.
func piped(t *testing.T, make func(project string)) (b *tab, project, id string) {
	t.Helper()
	return pipedWith(t, "", "", make)
}

// pipedWith is piped with further settings, and a script of what the model says
// (docs/scripted.md), "" for none.
func pipedWith(t *testing.T, setting, script string, make func(project string)) (b *tab, project, id string) {
	t.Helper()
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that stops the program")
	}
	browserContext := shared(t)
	dir := t.TempDir()
	used.Store(true)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{path: path, home: dir, project: filepath.Join(dir, "tower"), settings: filepath.Join(dir, "settings.yaml"), addr: "127.0.0.1:0"}
	settings := setting + "provider: scripted\nprices:\n  scripted: {input: 2, output: 4}\n"
	if script != "" {
		put(t, dir, "script.yaml", script)
		settings += "scripted: {script: script.yaml}\n"
	}
	put(t, dir, "settings.yaml", settings)
	if err := os.MkdirAll(p.project, 0o755); err != nil {
		t.Fatal(err)
	}
	make(p.project)
	link := p.start(t)
	ctx, cancel := chromedp.NewContext(browserContext, chromedp.WithNewBrowserContext())
	t.Cleanup(func() { cancel(); p.stop() })
	b = &tab{t: t, ctx: ctx, program: p}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	b.quiet()
	b.do(chromedp.Navigate(link))
	b.until("document.querySelector('.top nav')")
	value[bool](b, "window.id = '', fetch('/api/projects').then(r => r.json()).then(a => { window.id = a.projects[0].id; }), true")
	b.until("window.id")
	return b, p.project, value[string](b, "window.id")
}

// click presses what a selector finds, wherever it has scrolled to.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.until("document.querySelector(" + strconv.Quote(selector) + ") && !document.querySelector(" + strconv.Quote(selector) + ").disabled")
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) shows(text string) {
	b.t.Helper()
	b.until("document.body.innerText.includes(" + strconv.Quote(text) + ")")
}

const (
	firstTarget = "[data-target='PKG-01_Part 1::DEL-01-01'] input"
	taskType    = "[data-type=TASK] input"
)

// A person filters, ticks 23 of 117, sees the cost, starts, and follows all in one table,
// which is there again after a reload and a restart of the server.
func TestWorkOnASelection(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 117) })
	b.visitPath("/p/" + id + "/pipeline?category=TASK")
	b.click(taskType)
	b.until("document.querySelectorAll('.target').length > 40")
	b.do(fill(chromedp.CSS("#search-targets"), "DEL-02-"))
	b.until("document.querySelector('#all-targets').parentElement.innerText.includes('40 shown')")
	b.do(fill(chromedp.CSS("#search-targets"), "0"))
	b.until("document.querySelector('#all-targets').parentElement.innerText.includes('9 shown')")
	b.click("#all-targets")
	b.do(press("Escape"), chromedp.Click(chromedp.CSS("#search-targets")))
	value[bool](b, "document.querySelector('#search-targets').select() === undefined")
	b.do(chromedp.KeyEvent("DEL-01-0"))
	// As many were shown before.
	b.until("document.querySelector('#all-targets').parentElement.innerText.includes('9 shown') && document.querySelector('[data-target*=DEL-01-01]')")
	b.click("#all-targets")
	value[bool](b, "document.querySelector('#search-targets').select() === undefined")
	b.do(chromedp.KeyEvent("DEL-03-1"))
	b.until("document.querySelector('#all-targets').parentElement.innerText.includes('10 shown')")
	for i := range 5 {
		b.click(fmt.Sprintf("[data-target='PKG-03_Part 3::DEL-03-1%d'] input", i))
	}
	b.shows("23 of 117")
	b.do(fill(chromedp.CSS(".pipeline-note textarea"), "Mind the levels."))
	b.shot("pipeline-selection")
	b.click("#preview")
	b.shows("Mind the levels.")
	b.until("document.querySelector('.work-facts').innerText.includes('$0.0') && document.querySelector('.work-facts').innerText.includes('2 of 23')")
	b.shot("pipeline-preview")
	b.click("#start-pipeline")
	b.until("location.search.startsWith('?batch=') && document.querySelectorAll('.batch-table tbody tr').length === 23")
	b.shot("batch-running")
	b.until("document.querySelector('[data-progress=done]')?.innerText === '23 done'")
	if got := b.text(".batch-sums"); !strings.Contains(got, "so far") {
		t.Errorf("the sums read %q", got)
	}
	b.shot("batch")
	b.mayFail()
	b.program.stop()
	b.program.start(t)
	b.do(chromedp.Reload())
	b.until("document.querySelector('[data-progress=done]')?.innerText === '23 done'")
	b.do(chromedp.Click(chromedp.CSS(".batch-back")))
	b.until("document.querySelector('[data-batch]')?.innerText.includes('23 sessions')")
}

// A single start, by keys alone, opens its session.
func TestPipelineByKeys(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 3) })
	b.visitPath("/p/" + id + "/pipeline?category=TASK&taskScopeMode=DELIVERABLES&scopeKey=" + "PKG-01_Part%201::DEL-01-02")
	b.until("document.querySelector('.targets-count [role=status]')?.innerText === '1 of 3'")
	b.tabTo(taskType)
	b.do(press(" "))
	b.tabTo("#preview")
	b.do(press("Enter"))
	b.until("document.querySelector('.message-text')?.innerText.includes('DEL-01-02 Member 01-02')")
	b.tabTo("#start-pipeline")
	b.do(press("Enter"))
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.foot')?.innerText.includes('done')")
	b.until("document.querySelector('.words')?.innerText.includes('DEL-01-02')")
}

// An agent that never asks can change nothing in the mode that asks: the preview says so
// before anything is started, and offers the mode in which it can.
func TestAgentsThatNeverAskAreTold(t *testing.T) {
	const file = "PKG-01_Part 1/1_Working/DEL-01-01_Member 01-01/notes.md"
	script := fmt.Sprintf("turns:\n  - when: DEL-01-01\n    steps: [{call: {name: write, input: {path: %q, content: written}}}, {say: Done.}]\n", file)
	b, project, id := pipedWith(t, "", script, func(project string) { deliverables(t, project, 2) })
	b.visitPath("/p/" + id + "/pipeline?category=TASK&scopeKey=PKG-01_Part%201::DEL-01-01")
	b.click("#preview")
	b.until("document.querySelector('#never-asks')?.innerText.includes('TASK never asks')")
	b.shot("never-asks")
	b.tabTo("#accept-edits")
	b.do(press("Enter"))
	b.until("!document.querySelector('#never-asks') && document.querySelector('.work-facts')?.innerText.includes('Accept edits')")
	b.click("#start-pipeline")
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.foot')?.innerText.includes('done')")
	if got := read(t, project, file); got != "written" {
		t.Errorf("the file reads %q", got)
	}
}

// One type of each category runs with the embedded instructions.
func TestEachCategoryRuns(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 2) })
	for category, kind := range map[string]string{"DECOMP": "PROJECT", "PREP": "4_DOCUMENTS", "AUDIT": "AGENTS"} {
		b.visitPath("/p/" + id + "/pipeline?category=" + category + "&type=" + kind)
		b.click("#preview")
		b.shows("the whole project")
		b.click("#start-pipeline")
		b.until("location.pathname.startsWith('/s/') && document.querySelector('.foot')?.innerText.includes('done')")
	}
}

// In the addresses of the original, an operative agent leads to the pipeline, with category
// and type, and others to the workbench.
func TestOldAddresses_14_1(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 2) })
	for _, row := range []struct{ from, want string }{
		{"/pipeline?category=PREP", "/p/" + id + "/pipeline?category=PREP"},
		{"/pipeline?category=AUDIT&type=AGENTS", "/p/" + id + "/pipeline?category=AUDIT&type=AGENTS"},
		{"/workbench?agent=DECOMP*&row=OPERATIVE&column=GUIDING", "/p/" + id + "/pipeline?category=DECOMP"},
		{"/workbench?agent=ORCHESTRATE&row=NORMATIVE&column=APPLYING", "/?new=1&persona=ORCHESTRATE"},
	} {
		b.visitPath(row.from)
		b.until("(location.pathname + location.search).startsWith(" + strconv.Quote(row.want) + ")")
	}
	b.until("document.querySelector('#persona')?.value === 'ORCHESTRATOR'")
}

func TestWorkbenchSelectorScope_14_2(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 2) })
	for agent, want := range map[string]string{
		"AUDIT_AGENTS": "?category=AUDIT&type=AGENTS", "TASK": "?category=TASK&type=TASK", "PROJECT_DECOMP": "?category=DECOMP&type=PROJECT",
		"PREP*": "?category=PREP", "SCOPE_CHANGE": "?category=TASK&type=SCOPE_CHANGE", "4_DOCUMENTS": "?category=PREP&type=4_DOCUMENTS",
	} {
		for _, from := range []string{"/?new=1&persona=", "/workbench?agent="} {
			b.visitPath(from + agent)
			b.until("location.pathname === '/p/" + id + "/pipeline' && location.search.startsWith('" + want + "')")
		}
	}
	b.visitPath("/?new=1&persona=HELP")
	b.until("document.querySelector('#persona')?.value === 'HELP_HUMAN'")
	if got := value[string](b, "[...document.querySelectorAll('#persona option')].map(o => o.value).join(' ')"); got != "HELP_HUMAN ORCHESTRATOR WORKING_ITEMS AGGREGATION HELPS_HUMANS DEPENDENCIES CHANGE RECONCILIATION" {
		t.Errorf("the selector offers %s", got)
	}
}

func TestPipelineSelectors_14_3(t *testing.T) {
	b, project, id := piped(t, func(project string) {
		deliverables(t, project, 3)
		put(t, project, "_Decomposition/d.md", marked)
	})
	b.visitPath("/p/" + id + "/pipeline")
	b.until("document.querySelectorAll('[data-category]').length === 4")
	types := "[...document.querySelectorAll('.type')].map(t => t.dataset.type).join(' ')"
	for _, row := range []struct{ category, want string }{
		{"DECOMP", "SOFTWARE PROJECT DOMAIN BASE"}, {"PREP", "PREPARATION 4_DOCUMENTS CHIRALITY_FRAMEWORK CHIRALITY_LENS"},
		{"AUDIT", "AGENTS DEPENDENCIES ESTIMATES REFERENCES SCHEDULES SCOPE"},
		{"TASK", "TASK SCOPE_CHANGE SCOPE_PREP ESTIMATE_PREP AUDIT_PREP SCHEDULE_PREP ESTIMATING SCHEDULING"},
	} {
		b.click("[data-category=" + row.category + "]")
		b.until(types + " === '" + row.want + "'")
		if split := value[bool](b, "Boolean(document.querySelector('[data-scope-mode]'))"); split != (row.category == "TASK") {
			t.Errorf("%s: the controls of TASK are there: %v", row.category, split)
		}
	}
	b.click(taskType)
	b.until("document.querySelector('#preview').disabled && document.body.innerText.includes('Choose at least one deliverable.')")
	b.click("[data-scope-mode=KNOWLEDGE_TYPES]")
	b.until("document.querySelector('[name=knowledge-type]') && document.querySelectorAll('.target').length === 0")
	b.do(fill(chromedp.CSS("[name=knowledge-type]"), "Datasheet"))
	b.until("document.querySelectorAll('.target').length === 3")
	b.click(firstTarget)
	b.click("#preview")
	b.until("document.querySelector('.message-text')?.innerText.includes('Knowledge type: datasheet') || document.querySelector('.message-text')?.innerText.includes('**Knowledge type:** datasheet')")
	_ = project
}

func TestDisabledOptions_14_4(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 2) })
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=ESTIMATING")
	b.until("document.querySelector('[data-type=ESTIMATING]')")
	for kind, why := range map[string]string{"ESTIMATING": "coming soon", "SCHEDULING": "coming soon", "SCOPE_CHANGE": "the instructions have no file AGENT_SCOPE_CHANGE.md"} {
		if !value[bool](b, "document.querySelector('[data-type="+kind+"] input').disabled && !document.querySelector('[data-type="+kind+"] input').checked") {
			t.Errorf("%s can be chosen", kind)
		}
		if got := b.text("[data-type=" + kind + "]"); !strings.Contains(got, why) {
			t.Errorf("%s reads %q", kind, got)
		}
	}
	if got := value[string](b, "document.querySelector('.types-setting a').getAttribute('href')"); got != "/settings?show=server" {
		t.Errorf("the setting leads to %q", got)
	}
	if !value[bool](b, "document.querySelector('[data-scope-mode=KNOWLEDGE_TYPES]').disabled") {
		t.Error("knowledge types can be chosen without the marker")
	}
	b.shows("no document in _Decomposition has the marker")
}

// Choices that do not fit any more are cleared while the page is open, and it says so.
func TestStaleSelections_14_5(t *testing.T) {
	b, project, id := piped(t, func(project string) {
		deliverables(t, project, 3)
		put(t, project, "_Decomposition/d.md", marked)
	})
	status := "document.querySelector('.targets-count [role=status]')?.innerText"
	key := "PKG-01_Part%201::DEL-01-0"
	// A deliverable goes.
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&keys=" + key + "1&keys=" + key + "2")
	b.until(status + " === '2 of 3'")
	if err := os.RemoveAll(filepath.Join(project, "PKG-01_Part 1", "1_Working", "DEL-01-02_Member 01-02")); err != nil {
		t.Fatal(err)
	}
	b.until(status + " === '1 of 2'")
	b.shows("One chosen deliverable is not there any more.")
	// The knowledge type loses a target.
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&taskScopeMode=KNOWLEDGE_TYPES&knowledgeType=datasheet&scopeKey=" + key + "1")
	b.until(status + " === '1 of 2'")
	if err := os.Remove(filepath.Join(project, "PKG-01_Part 1", "1_Working", "DEL-01-01_Member 01-01", "Datasheet.md")); err != nil {
		t.Fatal(err)
	}
	b.until(status + " === 'None chosen'")
	if got := value[string](b, "document.querySelector('[name=knowledge-type]').value"); got != "datasheet" {
		t.Errorf("the knowledge type is %q", got)
	}
	// The marker goes.
	if err := os.RemoveAll(filepath.Join(project, "_Decomposition")); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('[data-scope-mode=DELIVERABLES]').getAttribute('aria-pressed') === 'true'")
	b.shows("no knowledge types any more")
	// A key that never was.
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&scopeKey=PKG-09::DEL-09-09")
	b.shows("One chosen deliverable is not there any more.")
}

// A workflow is checked, mended, tried and run; what it asks is answered in its run.
func TestWorkflowOnThePage(t *testing.T) {
	t.Run("small project", func(t *testing.T) {
		worksFlow(t, func(project string) { deliverables(t, project, 1) })
	})
	t.Run("real root", func(t *testing.T) { worksFlow(t, copyOf(t, "psb-6a")) })
}

// fitsAPhone reports what a view of a project has beyond the right edge of a phone.
func (b *tab) fitsAPhone() {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(360, 740))
	b.until("innerWidth === 360 && document.querySelector('.project-column')")
	b.until("(() => { const tab = document.querySelector('.project-tabs [aria-current]').getBoundingClientRect(); return tab.left >= 0 && tab.right <= innerWidth; })()")
	if over := value[string](b, "[...document.querySelectorAll('.project-column *')].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('.hidden')).map(e => e.className || e.tagName).join(', ')"); over != "" {
		b.t.Errorf("beyond the edge of a phone are %s", over)
	}
	b.do(chromedp.EmulateViewport(1200, 800))
}

// worksFlow adds workflows to a project and works with them, by pointer and with keys alone.
func worksFlow(t *testing.T, make func(project string)) {
	const flow = `id: greet
description: Greets somebody and waits.
input:
  type: object
  required: [name]
  properties:
    name: {type: string, description: "who is greeted WIDE"}
    loud: {type: boolean, default: true}
agents: [{id: host, instructions: You greet people.}]
tasks:
  - {id: hello, agent: host, prompt: "Greet {{ .workflow.input.name }}.", attachments: [{type: file, path: notes.txt}], on_success: {next: look}}
  - {id: look, type: wait, message: "May it go on? WIDE", on_success: {next: bye}}
  - {id: bye, agent: host, prompt: Say goodbye., final: true}
`
	wrong := "id: broken\n" + strings.Repeat("colour: red\n", 1) + "tasks:\n"
	for i := range 20 {
		wrong += fmt.Sprintf("  - {id: t%d, agent: nobody, prompt: x}\n", i)
	}
	b, project, id := piped(t, func(project string) {
		make(project)
		put(t, project, "flows/greet.yaml", strings.ReplaceAll(flow, "WIDE", strings.Repeat("W", 150)))
		put(t, project, "flows/broken.yaml", wrong)
		put(t, project, "flows/notes.txt", "two words\n")
	})
	b.visitPath("/p/" + id + "/workflows")
	b.until("document.querySelectorAll('[data-workflow]').length === 2")
	b.shot("workflows")
	b.click("[data-workflow='flows/broken.yaml']")
	b.until("document.querySelectorAll('.problem').length >= 20")
	if got := b.text(".problem:nth-child(2)"); !strings.Contains(got, "4:") || !strings.Contains(got, "nobody") {
		t.Errorf("the problem reads %q", got)
	}
	b.shot("workflow-problems")
	put(t, project, "flows/broken.yaml", "id: broken\nagents: [{id: nobody, instructions: You.}]\ntasks: [{id: a, agent: nobody, prompt: x}]\n")
	b.until("document.querySelectorAll('.problem').length === 0 && document.querySelector('.chip.good')?.innerText === 'valid'")
	b.visitPath("/p/" + id + "/workflows?file=flows/greet.yaml")
	b.fitsAPhone()
	b.click("#start-run")
	b.shows("Is required.")
	b.do(fill(chromedp.CSS("[name=name]"), "Ada"))
	b.click("#plan-run")
	b.until("document.querySelectorAll('.plan .task').length === 3")
	b.shot("workflow-plan")
	b.click("#start-run")
	b.until("location.pathname.includes('/runs/') && document.querySelector('.run-wait')?.innerText.includes('May it go on?')")
	b.until("document.querySelector('[data-task=hello] .chip')?.innerText === 'done'")
	b.click("[data-task=hello] summary")
	b.until("document.querySelector('[data-task=hello] .task-files')?.innerText.includes('notes.txt')")
	b.shot("run-waits")
	b.fitsAPhone()
	b.click(".run-wait .primary")
	b.until("document.querySelector('.run-head [role=status]')?.innerText === 'done'")
	b.until("document.querySelectorAll('[data-task]').length === 3")
	b.shot("run-done")
	// Another one is cancelled, and resumed.
	b.visitPath("/p/" + id + "/workflows?file=flows/greet.yaml")
	b.until("document.querySelector('[name=name]')")
	b.tabTo("[name=name]")
	b.do(chromedp.KeyEvent("Bea"))
	b.tabTo("#start-run")
	b.do(press("Enter"))
	b.until("document.querySelector('.run-wait')")
	b.tabTo("#cancel-run")
	b.do(press("Enter"))
	b.until("document.querySelector('.run-head [role=status]')?.innerText === 'cancelled' && document.querySelector('#resume-run')")
	b.tabTo("#resume-run")
	b.do(press("Enter"))
	b.until("document.querySelector('.run-wait .primary')")
	b.tabTo(".run-wait .primary")
	b.do(press("Enter"))
	b.until("document.querySelector('.run-head [role=status]')?.innerText === 'done'")
}

// copyOf copies one of the real execution roots into a project.
func copyOf(t *testing.T, name string) func(project string) {
	t.Helper()
	root := rootOf(t, name)
	return func(project string) {
		if err := os.CopyFS(project, os.DirFS(root)); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}

// A real root has all its deliverables to choose from, and an agent starts on one.
func TestPipelineOnACorpus(t *testing.T) {
	b, _, id := piped(t, copyOf(t, "psb-6a"))
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK")
	b.until("document.querySelectorAll('.target').length === 31")
	b.do(chromedp.EmulateViewport(360, 740))
	b.frame()
	b.shot("pipeline-corpus-360")
	if wide := value[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		t.Errorf("%d pixels wider than the screen", wide)
	}
	b.click(".target input")
	b.click("#preview")
	b.click("#start-pipeline")
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.foot')?.innerText.includes('done')")
}

// The views of pipeline and runs pass the inspection, also with long names.
func TestPipelineViewsAreAccessible(t *testing.T) {
	source := axeSource(t)
	long := strings.Repeat("Averylongname", 9)
	b, _, id := piped(t, func(project string) {
		deliverables(t, project, 5)
		put(t, project, "PKG-01_Part 1/1_Working/DEL-01-09_"+long+"/_STATUS.md", "# Status: DEL-01-09 "+long+"\n\n**Current State:** OPEN\n")
		put(t, project, "flow.yaml", "id: flow\ninput: {type: object, properties: {n: {type: integer}, kind: {enum: [a, b]}, all: {type: array, items: {type: string}}}}\nagents: [{id: a, instructions: You.}]\ntasks: [{id: one, agent: a, prompt: x}]\n")
		put(t, project, long+".yaml", "id: wrong\ntasks: [{id: one, agent: nobody, prompt: "+long+"}, {id: two}]\n")
	})
	at := "/p/" + id + "/"
	keys := "&keys=PKG-01_Part%201::DEL-01-01&keys=PKG-01_Part%201::DEL-01-09"
	b.visitPath(at + "pipeline?category=TASK&type=TASK" + keys)
	b.until("document.querySelectorAll('.target input:checked').length === 2")
	b.click("#preview")
	b.click("#start-pipeline")
	b.until("document.querySelector('[data-progress=done]')?.innerText === '2 done'")
	batch := value[string](b, "location.search")
	b.visitPath(at + "workflows?file=flow.yaml")
	b.click("#start-run")
	b.until("location.pathname.includes('/runs/') && document.querySelector('.run-head [role=status]')?.innerText === 'done'")
	run := value[string](b, "location.pathname")
	b.inspect(source, "dd, .small p, p.small, .empty-main p", []view{
		{name: "pipeline", path: at + "pipeline?category=TASK&type=TASK" + keys, ready: ".target"},
		{name: "pipeline-audit", path: at + "pipeline?category=AUDIT", ready: ".types"},
		{name: "pipeline-start", path: at + "pipeline?category=TASK&type=TASK" + keys, ready: "#preview:enabled", open: "#preview", then: ".message-text"},
		{name: "pipeline-batch", path: at + "pipeline" + batch, ready: ".batch-table tbody tr"},
		{name: "workflows-list", path: at + "workflows", ready: "[data-run]"},
		{name: "workflow-form", path: at + "workflows?file=flow.yaml", ready: ".start-form", open: "#plan-run", then: ".plan .task"},
		{name: "workflow-wrong", path: at + "workflows?file=" + long + ".yaml", ready: ".problem"},
		{name: "run", path: run, ready: "[data-task]", open: "[data-task] summary", then: ".task-body"},
	})
}

// What the server says of options is what the page shows: the same table.
func TestPipelineOptionsOverHTTP(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 1) })
	value[bool](b, "window.got = '', fetch('/api/pipeline/options?project="+id+"').then(r => r.text()).then(x => { window.got = x; }), true")
	b.until("window.got")
	var a struct {
		Categories []struct {
			ID    string
			Types []struct {
				ID      string
				Enabled bool
			}
		}
	}
	if err := json.Unmarshal([]byte(value[string](b, "window.got")), &a); err != nil || len(a.Categories) != 4 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, c := range a.Categories {
		b.visitPath("/p/" + id + "/pipeline?category=" + c.ID)
		b.until("document.querySelectorAll('.type').length === " + strconv.Itoa(len(c.Types)))
		for _, k := range c.Types {
			if shown := !value[bool](b, "document.querySelector(`[data-type='"+k.ID+"'] input`).disabled"); shown != k.Enabled {
				t.Errorf("%s %s: enabled is %v, and the page shows %v", c.ID, k.ID, k.Enabled, shown)
			}
		}
	}
}
