package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// large writes that many deliverables, a hundred in a package. Each tenth needs the one before
// it; the state of the last one is a word that nobody knows.
func large(t *testing.T, root string, n int) {
	t.Helper()
	const header = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness,RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n"
	id := func(i int) string { return fmt.Sprintf("DEL-%03d-%02d", 1+i/100, i%100) }
	for i := range n {
		pkg := fmt.Sprintf("PKG-%03d", 1+i/100)
		dir := filepath.Join(root, pkg+"_Part", "1_Working", id(i)+"_Item")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		state := "OPEN"
		if i == n-1 {
			state = "WITHDRAWN"
		}
		put(t, dir, "_STATUS.md", "# Status\n\n**Current State:** "+state+"\n**Last Updated:** 2026-01-02\n")
		if i%10 == 9 {
			put(t, dir, "Dependencies.csv", header+"v3.1,DEP-"+id(i)[4:]+"-001,"+pkg+","+id(i)+",Item,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE,"+pkg+","+id(i-1)+",,Item,,It needs it.,_STATUS.md,1,quote,EXPLICIT,,,PENDING,HIGH,EXTRACTED,2026-01-01,2026-01-01,ACTIVE,\n")
		}
	}
}

// Ten thousand deliverables: the overview lists and filters all of them and draws those on the
// screen; the pipeline offers all of them and says how many a start takes; the graph is drawn by
// package and says so, and its list has all of them.
func TestTenThousandDeliverables(t *testing.T) {
	b, _, id := piped(t, func(project string) { large(t, project, 10_000) })
	at := "/p/" + id
	b.visitPath(at)
	b.until("document.querySelector('.shown-count')?.innerText === '10,000 deliverables' && document.querySelector('.deliverables .line')")
	if n := value[int](b, "document.querySelectorAll('.deliverables .line').length"); n > 200 {
		t.Errorf("%d lines are drawn", n)
	}
	b.do(chromedp.Click(chromedp.CSS("#search")), chromedp.KeyEvent("DEL-100-99"))
	b.until("document.querySelector('.shown-count').innerText === '1 of 10,000' && document.querySelector('.deliverables .state')?.innerText === 'Unknown: WITHDRAWN'")
	b.shot("overview")

	b.click(".project-tabs a[href$='/pipeline']")
	b.click("[data-category=TASK]")
	b.until("document.querySelector('.targets-count')?.innerText.includes('All 10,000 shown') && document.querySelector('.target')")
	if n := value[int](b, "document.querySelectorAll('.target').length"); n > 400 {
		t.Errorf("%d targets are drawn", n)
	}
	b.click("#all-targets")
	b.until("document.querySelector('.targets-count [role=status]').innerText === '10,000 of 10,000'")
	b.shows("A start takes at most 200 deliverables.")
	b.until("document.querySelector('#preview').disabled && document.querySelector('.pipeline-needs').innerText === 'Choose fewer deliverables.'")
	b.shot("pipeline")
	b.click("#all-targets")
	b.until("document.querySelector('.targets-count [role=status]').innerText === 'None chosen'")

	b.visitPath(at + "/graph?view=drawing")
	b.until("document.querySelector('.graph-canvas')?.dataset.nodes === '100' && document.querySelector('.graph-note')?.innerText.includes('10,000 deliverables are too many')")
	b.until("document.querySelector('.graph-node.package')")
	b.do(chromedp.Click(chromedp.CSS(".react-flow__node[data-id='PKG-003_Part']")))
	b.until("document.querySelector('.graph-canvas')?.dataset.nodes === '199'")
	b.shot("package")
	b.visitPath(at + "/graph?view=list")
	b.until("document.querySelector('.graph-row')")
	value[bool](b, "document.querySelector('.graph-body > .scroll').scrollTo(0, 1e7) === undefined")
	b.until("document.querySelector('.graph-list').innerText.includes('DEL-100-99')")
	if n := value[int](b, "document.querySelectorAll('.graph-row').length"); n > 1000 {
		t.Errorf("%d rows of the list are drawn", n)
	}
	// A phone has the list unless it is asked for the drawing.
	b.do(chromedp.EmulateViewport(360, 740))
	value[bool](b, "localStorage.removeItem('belay.graph') === undefined")
	b.visitPath(at + "/graph")
	b.until("document.querySelector('.graph-row') && document.querySelector('#graph-list[aria-pressed=true]')")
}

// memory is what the server occupies, in MB; 0 where the system does not say.
func (b *tab) memory() int {
	if runtime.GOOS != "linux" {
		return 0
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.program.cmd.Process.Pid))
	if err != nil {
		b.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.t.Fatal(err)
	}
	return kb / 1000
}

// hollow makes a file of some size with a beginning and an end, and nothing on the disk between.
func hollow(t *testing.T, path string, size int64, begin, end []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	for at, data := range map[int64][]byte{0: begin, size - int64(len(end)): end} {
		if _, err := f.WriteAt(data, at); err != nil {
			t.Fatal(err)
		}
	}
}

// numbered are lines of a text.
func numbered(from, to int) []byte {
	var b bytes.Buffer
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "This is line %d of the text.\n", i)
	}
	return b.Bytes()
}

// A text of 2 GB opens by its parts: the beginning, the end at one click or with one key, and
// neither the server nor the page holds the file.
func TestTextOfTwoGigabytes(t *testing.T) {
	b, project := real(t)
	hollow(t, filepath.Join(project, "huge.txt"), 2_000_000_000, numbered(1, 30_000), numbered(1, 30_000))
	home := b.home()
	b.visitPath(home + "/files?path=huge.txt")
	b.until("document.querySelector('.text-line[data-line=\"1\"]')?.innerText.includes('This is line 1 of the text.')")
	b.until("document.querySelector('#part-place').innerText === '0 B – 512 KiB of 1.9 GiB'")
	before := b.memory()
	last := "(() => { const v = document.querySelector('.text-view'); if (v) v.scrollTop = 1e9; return v?.innerText.includes('This is line 30000 of the text.'); })()"
	atEnd := "document.querySelector('#part-place').innerText.endsWith('– 1.9 GiB of 1.9 GiB') && document.querySelector('#part-end').disabled"
	b.click("#part-end")
	b.until(atEnd)
	b.until(last)
	b.shot("end")
	b.click("[aria-label=Beginning]")
	b.until("document.querySelector('.text-line[data-line=\"1\"]')")
	b.tabTo("[aria-label='Place in the file']")
	b.do(press("End"))
	b.until(atEnd)
	if after := b.memory(); after > before+200 {
		t.Errorf("the server occupies %d MB, before %d MB", after, before)
	}
	if heap := value[float64](b, "performance.memory.usedJSHeapSize / 1e6"); heap > 200 {
		t.Errorf("the page occupies %.0f MB", heap)
	}
}

// pdfOf is the beginning and the end of a PDF of some pages that is so large: an object that no
// page uses lies between.
func pdfOf(pages int, size int64) (begin, end []byte) {
	var b bytes.Buffer
	var offsets []int64
	object := func(text string) {
		offsets = append(offsets, int64(b.Len()))
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), text)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 3+2*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] /MediaBox [0 0 200 100] >>", pages, kids))
	for i := range pages {
		content := fmt.Sprintf("0.2 0.4 0.8 rg 10 10 %d 80 re f", 20+10*i)
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", 4+2*i))
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	offsets = append(offsets, int64(b.Len()))
	const room = 4096 // more than the end takes
	filled := size - int64(b.Len()) - room
	fmt.Fprintf(&b, "%d 0 obj\n<< /Length %d >>\nstream\n", len(offsets), filled)
	begin = bytes.Clone(b.Bytes())
	at := int64(len(begin)) + filled
	var e bytes.Buffer
	e.WriteString("\nendstream\nendobj\n")
	table := at + int64(e.Len())
	fmt.Fprintf(&e, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&e, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&e, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return begin, append(e.Bytes(), bytes.Repeat([]byte{'\n'}, int(size-at)-e.Len())...)
}

// A PDF of 40 MB shows its pages; one that is larger than what the page reads says so and is
// offered as a download.
func TestPDFOf40MB(t *testing.T) {
	b, project := real(t)
	begin, end := pdfOf(12, 40_000_000)
	hollow(t, filepath.Join(project, "large.pdf"), 40_000_000, begin, end)
	begin, end = pdfOf(1, 300_000_000)
	hollow(t, filepath.Join(project, "too-large.pdf"), 300_000_000, begin, end)
	home := b.home()
	b.visitPath(home + "/files?path=large.pdf")
	b.until("document.querySelector('.pages')?.dataset.pages === '12' && document.querySelectorAll('.pages canvas[data-drawn]').length === 10")
	b.shot("pages")
	value[bool](b, "document.querySelector('.pages > .button').click() === undefined")
	b.until("document.querySelectorAll('.pages canvas[data-drawn]').length === 12")
	b.visitPath(home + "/files?path=too-large.pdf")
	b.shows("Too large to be shown")
	b.until("document.querySelector('.file-actions a[download]')")
}

// A project that vanishes while it is shown: each view says so, what was chosen in it is not
// chosen any more, and everything is there again when the folder is.
func TestProjectVanishesWhileShown_14_5(t *testing.T) {
	b, project, id := piped(t, func(project string) { deliverables(t, project, 3) })
	at := "/p/" + id
	b.visitPath(at + "/pipeline?category=TASK&type=TASK&scopeKey=PKG-01_Part%201::DEL-01-02")
	b.until("document.querySelector('.targets-count [role=status]')?.innerText === '1 of 3'")
	b.mayFail()
	gone := func() {
		if err := os.Rename(project, project+"-moved"); err != nil {
			t.Fatal(err)
		}
	}
	back := func() {
		if err := os.Rename(project+"-moved", project); err != nil {
			t.Fatal(err)
		}
	}
	gone()
	b.until("document.querySelector('.pipeline, .view')?.innerText.includes('gone') || document.querySelector('.notice.bad') && document.querySelector('.targets-count [role=status]')?.innerText === 'None chosen'")
	b.shot("pipeline")
	back()
	b.visitPath(at)
	b.until("document.querySelectorAll('.deliverables .line').length === 4")
	gone()
	b.until("document.body.innerText.includes('folder is gone') || document.querySelector('.notice.bad')")
	b.shot("overview")
	// The folder is a file now: the project cannot be read at all.
	if err := os.WriteFile(project, []byte("not a folder\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{"", "/pipeline", "/graph", "/files", "/history"} {
		b.visitPath(at + view)
		b.until("document.body.innerText.includes('folder is gone') || document.querySelector('.notice.bad')")
		b.shot("unreadable" + strings.ReplaceAll(view, "/", "-"))
	}
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	back()
	b.visitPath(at)
	b.until("document.querySelectorAll('.deliverables .line').length === 4")
}
