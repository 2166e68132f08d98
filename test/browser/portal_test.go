package browser

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// portal opens the overview of a tab's project and returns its address.
func (b *tab) portal() string {
	b.t.Helper()
	b.until("document.querySelector('.top nav a[href^=\"/p/\"]')")
	b.do(chromedp.Click(chromedp.CSS(".top nav a[href^='/p/']")))
	b.until("document.querySelector('.deliverables .line')")
	return value[string](b, "location.pathname")
}

// corpus is a tab on a copy of one of the real execution roots; without them the test is
// skipped.
func corpus(t *testing.T, name string) (*tab, string) {
	t.Helper()
	return realOn(t, rootOf(t, name), name)
}

// rootOf is the folder of one of the real execution roots, which is only read.
func rootOf(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("BELAY_CORPUS")
	if dir == "" {
		t.Skip("skipped: BELAY_CORPUS names no folder with real execution roots")
	}
	return filepath.Join(dir, name)
}

// shown are the ids of the deliverables that are listed.
func (b *tab) shown() string {
	b.t.Helper()
	return value[string](b, "[...document.querySelectorAll('.deliverables .id')].map(e => e.innerText).join(' ')")
}

// frame waits until what changed is drawn.
func (b *tab) frame() {
	b.t.Helper()
	value[bool](b, "window.drawn = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; })), true")
	b.until("window.drawn")
}

// query is the value of a parameter in the address.
func query(name string) string {
	return "new URLSearchParams(location.search).get('" + name + "')"
}

// Rows of the matrix lead to the view that the specification gives them. The address of the
// workbench says the row and the column, that of the pipeline the category.
func TestPortalMatrixRouting_14_1(t *testing.T) {
	b, project := real(t)
	at := b.portal()
	type cell struct{ Row, Column, Label string }
	text := value[string](b, "JSON.stringify([...document.querySelectorAll('.matrix a')].map(a => ({ row: a.dataset.row, column: a.dataset.column, label: a.title.split(':')[0] })))")
	var cells []cell
	if err := json.Unmarshal([]byte(text), &cells); err != nil {
		t.Fatal(err)
	}
	if len(cells) != 12 {
		t.Fatalf("the matrix has %d cells", len(cells))
	}
	b.do(chromedp.EmulateViewport(360, 740))
	b.until("innerWidth === 360 && [...document.querySelectorAll('.matrix a')].every(a => a.scrollWidth <= a.clientWidth)")
	b.do(chromedp.EmulateViewport(1200, 800))
	columns := []string{"GUIDING", "APPLYING", "JUDGING", "REVIEWING"}
	agents := "HELP ORCHESTRATE WORKING_ITEMS AGGREGATE DECOMP* PREP* TASK* AUDIT* AGENTS DEPENDENCIES CHANGE RECONCILING"
	for i, agent := range strings.Fields(agents) {
		c := cells[i]
		row := []string{"NORMATIVE", "OPERATIVE", "EVALUATIVE"}[i/4]
		if c != (cell{row, columns[i%4], agent}) {
			t.Errorf("cell %d is %+v, want %s of %s, %s", i, c, agent, row, columns[i%4])
		}
		b.do(chromedp.Click(chromedp.CSS(".matrix a[data-row='" + row + "'][data-column='" + columns[i%4] + "']")))
		if row == "OPERATIVE" {
			b.until("location.pathname === '" + at + "/pipeline' && " + query("category") + " + '*' === '" + agent + "'")
		} else {
			b.until(query("row") + " === '" + row + "' && " + query("column") + " === '" + columns[i%4] + "'")
			b.until("location.pathname === '/' && document.querySelector('#message') && " + query("agent") + " === '" + agent + "'")
			b.until(query("root") + " === " + quote(project))
		}
		b.do(chromedp.NavigateBack())
		b.until("location.pathname === '" + at + "' && document.querySelector('.matrix a')")
	}
	// Of two clicks in one turn of the event loop the second counts, once.
	n := value[int](b, "(() => { const [, two, three] = document.querySelectorAll('.matrix a[data-row=OPERATIVE]'); const n = history.length; two.click(); three.click(); return n; })()")
	b.until("location.pathname === '" + at + "/pipeline' && " + query("category") + " === 'TASK'")
	if got := value[int](b, "history.length"); got != n { // in place of the entry to which the browser could go forward
		t.Errorf("two clicks at once made %d entries in the history", 1+got-n)
	}
}

func quote(s string) string {
	text, _ := json.Marshal(s) // it always encodes
	return string(text)
}

// A person finds deliverables with the filters, and the address keeps them.
func TestPortalFilters(t *testing.T) {
	b, _ := real(t)
	at := b.portal()
	all := b.shown()
	if len(strings.Fields(all)) < 3 {
		t.Fatalf("the example lists %q", all)
	}
	first := strings.Fields(all)[0]
	b.do(fill(chromedp.CSS("#search"), strings.ToLower(first)))
	b.until("document.querySelectorAll('.deliverables .id').length === 1")
	b.until(query("q") + " === '" + strings.ToLower(first) + "'")
	b.do(chromedp.Reload())
	b.until("document.querySelector('.deliverables .line') && document.querySelector('#search').value === '" + strings.ToLower(first) + "'")
	if got := b.shown(); got != first {
		t.Errorf("after a reload the list has %q", got)
	}
	b.visitPath(at + "?q=zzzz&state=nowhere")
	b.until("document.querySelector('.nothing button')")
	b.do(chromedp.Click(chromedp.CSS(".nothing button")))
	b.until("document.querySelectorAll('.deliverables .id').length === " + strconv.Itoa(len(strings.Fields(all))) + " && location.search === ''")
	// A part of the legend is a filter; of the others each narrows what is left.
	b.do(chromedp.Click(chromedp.CSS(".state-part")))
	b.until("document.querySelector('.state-part[aria-pressed=true]') && " + query("state"))
	b.do(chromedp.Click(chromedp.CSS(".state-part")))
	b.until("document.querySelector('.commands, .first p:not(:has(.spin))')")
	b.do(chromedp.Click(chromedp.CSS("#filter-blocked")))
	b.until(query("blocked") + " === '1'")
	if n := value[int](b, "[...document.querySelectorAll('.deliverables .line:not(.package)')].filter(l => !l.querySelector('.blockers').innerText).length"); n != 0 {
		t.Errorf("%d of the blocked deliverables wait for nothing", n)
	}
}

// One deliverable is named as the original names it; several go along, and a deliverable that
// vanished does not.
func TestPortalSelection_14_5(t *testing.T) {
	b, project := real(t)
	b.portal()
	keys := value[string](b, "[...document.querySelectorAll('.deliverables .line:not(.package) .work a')].map(a => new URL(a.href).searchParams.get('scopeKey')).join(' | ')")
	one, rest, ok := strings.Cut(keys, " | ")
	if !ok || !strings.Contains(one, "::DEL-") {
		t.Fatalf("the keys are %q", keys)
	}
	two, _, _ := strings.Cut(rest, " | ")
	ticks := ".deliverables .line:not(.package) .tick input"
	b.do(chromedp.Click(chromedp.CSS(ticks)))
	b.until("document.querySelector('#work-on')")
	href := value[string](b, "document.querySelector('#work-on').getAttribute('href')")
	if want := "pipeline?category=TASK&taskScopeMode=DELIVERABLES&scopeKey="; !strings.Contains(href, want) {
		t.Errorf("one deliverable leads to %s", href)
	}
	value[bool](b, "document.querySelectorAll('"+ticks+"')[1].click() === undefined")
	b.until("document.querySelector('.portal-selection b').innerText === '2'")
	got := value[string](b, "new URL(document.querySelector('#work-on').href).searchParams.getAll('keys').join(' | ')")
	if got != one+" | "+two {
		t.Errorf("two deliverables lead to %q", got)
	}
	// Its folder goes away while it is selected.
	folder, err := filepath.Glob(filepath.Join(project, "PKG-*", "1_Working", strings.Split(one, "::")[1]+"*"))
	if err != nil || len(folder) != 1 {
		t.Fatalf("%v, %v", folder, err)
	}
	if err := os.Rename(folder[0], filepath.Join(t.TempDir(), "away")); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.portal-selection b').innerText === '1'")
	b.do(chromedp.Click(chromedp.CSS("#work-on")))
	b.until("location.pathname.endsWith('/pipeline') && " + query("scopeKey") + " === " + quote(two))
}

// All of it goes by keys alone: search, choose, and start an agent on the choice.
func TestPortalByKeys(t *testing.T) {
	b, _ := real(t)
	b.portal()
	b.do(press("/"))
	b.until("document.activeElement.id === 'search'")
	b.do(chromedp.KeyEvent("DEL-"), press("Escape"))
	b.until("document.activeElement.id !== 'search'")
	value[bool](b, "document.querySelector('.deliverables .line:not(.package) .tick input').focus() === undefined")
	b.do(press("Space"))
	b.until("document.querySelector('.portal-selection b').innerText === '1'")
	b.do(press("ArrowDown"))
	b.until("document.activeElement.matches('.tick input') && document.activeElement.closest('[data-line]').dataset.line === '2'")
	b.do(press("Space"))
	b.until("document.querySelector('.portal-selection b').innerText === '2'")
	value[bool](b, "document.querySelector('#work-on').focus() === undefined")
	b.do(press("Enter"))
	b.until("location.pathname.endsWith('/pipeline')")
	b.do(chromedp.NavigateBack())
	b.until("document.querySelector('.deliverables a[data-part=link]')")
	value[bool](b, "document.querySelector('.deliverables a[data-part=link]').focus() === undefined")
	b.do(press("Enter"))
	b.until("location.pathname.includes('/d/')")
}

// The overview lists what happened since the last visit: a transition that somebody made, and
// the changes of a turn. A reload is no visit of its own.
func TestSinceYouLastLooked(t *testing.T) {
	b, project := real(t)
	at := b.portal()
	id := strings.TrimPrefix(at, "/p/")
	value[bool](b, "localStorage.setItem('belay.visits', JSON.stringify({ v: 1, is: { '"+id+"': { seen: new Date(Date.now() - 3600e3).toISOString(), before: '' } } })) === undefined")
	transition := `(async () => {
		const listing = await (await fetch("/api/project/deliverables?project=` + id + `")).json();
		const d = listing.deliverables.find(d => d.status === "open" || d.status === "initialized" || d.status === "semantic_ready");
		const to = { open: "INITIALIZED", initialized: "SEMANTIC_READY", semantic_ready: "IN_PROGRESS" }[d.status];
		const actor = { open: "4_DOCUMENTS", initialized: "CHIRALITY_FRAMEWORK", semantic_ready: "HUMAN" }[d.status];
		const res = await fetch("/api/working-root/deliverable/status/transition", { method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ projectRoot: ` + quote(project) + `, deliverablePath: d.path, targetState: to, actor }) });
		window.made = res.ok ? d.id + " " + to : "refused: " + await res.text();
	})(), true`
	value[bool](b, transition)
	b.until("window.made")
	id, to, _ := strings.Cut(value[string](b, "window.made"), " ")
	if id == "refused:" {
		t.Fatal(to)
	}
	b.visitPath(at)
	b.until("document.querySelector('#since-title')?.innerText.startsWith('Since you last looked')")
	b.until("document.querySelector('.happenings [data-kind=transition]')?.innerText.includes('" + id + "')")
	if got := b.text(".happenings [data-kind=transition]"); !strings.Contains(got, "to "+to) {
		t.Errorf("the transition reads %q", got)
	}
	b.do(chromedp.Reload())
	b.until("document.querySelector('.happenings [data-kind=transition]')")
	b.do(chromedp.Click(chromedp.CSS(".happenings [data-kind=transition] a")))
	b.until("location.pathname.includes('/d/') && decodeURIComponent(location.pathname).endsWith('::" + id + "')")
	b.visitPath(at)
	b.until("document.querySelector('#seen-all')")
	b.do(chromedp.Click(chromedp.CSS("#seen-all")))
	b.until("document.querySelector('.since')?.innerText.includes('Nothing has happened')")
	b.do(chromedp.Reload())
	b.until("document.querySelector('.since')?.innerText.includes('Nothing has happened')")
}

// A project that vanishes while it is open says so, and comes back when its folder does.
func TestProjectVanishes(t *testing.T) {
	b, project := real(t)
	at := b.portal()
	b.mayFail()
	if err := os.Rename(project, project+"-moved"); err != nil {
		t.Fatal(err)
	}
	b.visitPath(at)
	b.until("document.body.innerText.includes('is gone') || document.querySelector('.notice.bad')")
	b.shot("vanished")
	if err := os.Rename(project+"-moved", project); err != nil {
		t.Fatal(err)
	}
	b.visitPath(at)
	b.until("document.querySelector('.deliverables .line')")
	// A state that nobody knows is shown with what the file says.
	status, err := filepath.Glob(filepath.Join(project, "PKG-*", "1_Working", "*", "_STATUS.md"))
	if err != nil || len(status) == 0 {
		t.Fatal("no status file", err)
	}
	if err := os.WriteFile(status[0], []byte("# Status\n\n**Current State:** WITHDRAWN\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.until("[...document.querySelectorAll('.deliverables .state')].some(e => e.innerText === 'Unknown: WITHDRAWN')")
}

// The example is one click away, and opens as a project.
func TestFirstRun(t *testing.T) {
	b, _ := real(t)
	b.visitPath("/")
	b.until("document.querySelector('#try-example')")
	b.shot("first-run")
	b.do(chromedp.Click(chromedp.CSS("#try-example")))
	b.until("location.pathname.startsWith('/p/') && document.querySelector('.switcher')?.innerText.includes('belay-example') && document.querySelector('.deliverables .line')")
	// The switcher leads back, by keys.
	value[bool](b, "document.querySelector('#switch-project').focus() === undefined")
	b.do(press("Enter"))
	b.until("document.activeElement.getAttribute('aria-label') === 'Search projects'")
	b.shot("projects")
	b.do(chromedp.KeyEvent("bridge"))
	b.until("document.querySelectorAll('.project-row').length === 1")
	b.do(press("Tab"), press("Enter"))
	b.until("document.querySelector('.switcher')?.innerText.includes('bridge')")
}

// A project is made of a decomposition: a refusal says why, and the result what was made.
func TestScaffoldForm(t *testing.T) {
	t.Run("example", func(t *testing.T) {
		b, project := real(t)
		b.scaffolds(project)
	})
	t.Run("real root", func(t *testing.T) {
		b, project := corpus(t, "psb-6a")
		b.scaffolds(project)
	})
}

// scaffolds makes a project of the decomposition of another one.
func (b *tab) scaffolds(project string) {
	t := b.t
	b.mayFail()
	b.portal()
	docs, err := filepath.Glob(filepath.Join(project, "_Decomposition", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatal("no decomposition", err)
	}
	made := filepath.Join(t.TempDir(), "made")
	b.do(chromedp.Click(chromedp.CSS("#switch-project")))
	b.until("document.querySelector('dialog .project-row')")
	value[bool](b, "[...document.querySelectorAll('dialog .button')].find(e => e.innerText.includes('decomposition')).click() === undefined")
	b.until("document.activeElement.name === 'decompositionPath'")
	b.do(chromedp.KeyEvent(filepath.Join(project, "nowhere.md")), press("Tab"), chromedp.KeyEvent(made), press("Enter"))
	b.until("document.querySelector('dialog .notice.bad')")
	b.shot("refused")
	value[bool](b, "(() => { const f = document.querySelector('[name=decompositionPath]'); f.focus(); f.select(); return true; })()")
	b.do(chromedp.KeyEvent(docs[0]))
	// A dry run shows the folders and files, and makes nothing.
	b.tabTo("#scaffold-look")
	b.do(press("Enter"))
	b.until("document.querySelector('.outline-list')?.innerText.includes('INIT.md') && document.querySelector('.would-make').innerText.includes('would be made in the new folder')")
	b.shot("would-make")
	if _, err := os.Stat(made); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dry run made the folder: %v", err)
	}
	b.tabTo("#scaffold-make")
	b.do(press("Enter"))
	b.until("document.activeElement?.id === 'open-made'")
	b.shot("made")
	b.do(press("Enter"))
	b.until("document.querySelector('.switcher')?.innerText.includes('made') && document.querySelector('.deliverables .line')")
}

// A real root: every deliverable is listed, with the blockers and findings that the server
// knows, and what to do first.
func TestPortalOnARealRoot(t *testing.T) {
	b, _ := corpus(t, "proposal-6b")
	b.portal()
	b.until("document.querySelector('.commands li') && document.querySelector('.deliverables .errors')")
	b.shot("portal")
	want := value[int](b, "Number(document.querySelector('.shown-count').innerText.split(' ')[0])")
	if want != 40 {
		t.Errorf("the root has %d deliverables", want)
	}
	seen := map[string]bool{}
	for range 40 {
		for _, id := range strings.Fields(b.shown()) {
			seen[id] = true
		}
		value[bool](b, "document.querySelector('.portal').scrollBy(0, 300) === undefined")
		b.frame()
	}
	if len(seen) != want {
		t.Errorf("scrolling shows %d of %d deliverables, at last %s", len(seen), want, b.shown())
	}
	b.do(chromedp.Click(chromedp.CSS("#select-shown")))
	b.until("document.querySelector('.portal-selection b').innerText === '40'")
	b.shot("selected")
}

// By keys alone: from the matrix to the pipeline, a command of what to do first, and the example.
func TestOverviewByKeys(t *testing.T) {
	b, _ := real(t)
	at := b.portal()
	b.until("document.querySelector('.commands .copy')")
	value[bool](b, "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } }) !== undefined")
	b.tabTo(".commands .copy")
	b.do(press("Enter"))
	b.until("window.copied?.startsWith('belay ')")
	b.do(press("Shift+Tab"))
	b.tabTo(".matrix a[data-row=OPERATIVE]")
	b.do(press("Enter"))
	b.until("location.pathname === '" + at + "/pipeline'")
	b.visitPath("/")
	b.tabTo("#try-example")
	b.do(press("Enter"))
	b.until("document.querySelector('.switcher')?.innerText.includes('belay-example') && document.querySelector('.deliverables .line')")
}
