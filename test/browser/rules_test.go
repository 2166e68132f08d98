package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"belay/internal/api/apitest"
	"belay/internal/fault"
)

// The knowledge types that the server derives from the files of deliverables are those that
// the page offers, in one order, each with the deliverables that have such a file. Without
// the marker it offers none of them, whatever the address asks for.
func TestKnowledgeTypes_15_3(t *testing.T) {
	files := []string{"Datasheet.md", "Specification.md", "Guidance.md", "Procedure.md", "Dependencies.csv", "_REFERENCES.md", "_CONTEXT.md", "_STATUS.md", "_SEMANTIC.md", "MEMORY.md"}
	labels := []string{"Datasheet", "Specification", "Guidance", "Procedure", "Dependencies", "References", "Context", "Status", "Semantic", "Memory"}
	b, project, id := piped(t, func(project string) {
		deliverables(t, project, 3)
		for _, name := range files {
			if name != "_STATUS.md" && name != "Datasheet.md" {
				put(t, project, "PKG-01_Part 1/1_Working/DEL-01-02_Member 01-02/"+name, "# A file\n")
			}
		}
		put(t, project, "_Decomposition/d.md", marked)
	})
	listing := func() (a struct {
		KnowledgeDecomposition struct {
			Enabled    bool
			MarkerFile *string
		}
		KnowledgeTypes []struct {
			ID, Label               string
			MatchingDeliverableKeys []string
		}
	}) {
		value[bool](b, "window.got = '', fetch('/api/project/deliverables?project="+id+"').then(r => r.text()).then(x => { window.got = x; }), true")
		b.until("window.got")
		if err := json.Unmarshal([]byte(value[string](b, "window.got")), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&taskScopeMode=KNOWLEDGE_TYPES")
	b.until("document.querySelectorAll('[name=knowledge-type] option').length > 1")
	a := listing()
	if !a.KnowledgeDecomposition.Enabled || a.KnowledgeDecomposition.MarkerFile == nil || !strings.HasSuffix(*a.KnowledgeDecomposition.MarkerFile, "d.md") {
		t.Errorf("the decomposition is %+v", a.KnowledgeDecomposition)
	}
	var got, offered, want []string
	for i, k := range a.KnowledgeTypes {
		got = append(got, k.Label)
		if k.ID != strings.ToLower(labels[i]) {
			t.Errorf("%s has the id %s", k.Label, k.ID)
		}
		keys := []string{"PKG-01_Part 1::DEL-01-02"}
		if k.ID == "datasheet" || k.ID == "status" {
			keys = []string{"PKG-01_Part 1::DEL-01-01", keys[0], "PKG-01_Part 1::DEL-01-03"}
		}
		if diff := cmp.Diff(keys, k.MatchingDeliverableKeys); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.ID, diff)
		}
		n := fmt.Sprintf("%d deliverables", len(keys))
		if len(keys) == 1 {
			n = "1 deliverable"
		}
		want = append(want, fmt.Sprintf("%s (%s)", k.Label, n))
	}
	if diff := cmp.Diff(labels, got); diff != "" {
		t.Errorf("the types (-want +got):\n%s", diff)
	}
	offered = strings.Split(value[string](b, "[...document.querySelectorAll('[name=knowledge-type] option')].slice(1).map(o => o.innerText).join('|')"), "|")
	if diff := cmp.Diff(want, offered); diff != "" {
		t.Errorf("the page offers (-want +got):\n%s", diff)
	}
	// A type of which there is no file is no active choice.
	if err := os.Remove(filepath.Join(project, "PKG-01_Part 1", "1_Working", "DEL-01-02_Member 01-02", "MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	b.until("[...document.querySelectorAll('[name=knowledge-type] option')].every(o => !o.innerText.startsWith('Memory') || o.disabled)")
	// Without the marker there is no such scope.
	if err := os.RemoveAll(filepath.Join(project, "_Decomposition")); err != nil {
		t.Fatal(err)
	}
	b.until("!document.querySelector('[name=knowledge-type]')")
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&taskScopeMode=KNOWLEDGE_TYPES&knowledgeType=datasheet")
	b.until("document.querySelector('[data-scope-mode=DELIVERABLES]')?.getAttribute('aria-pressed') === 'true'")
	if !value[bool](b, "document.querySelector('[data-scope-mode=KNOWLEDGE_TYPES]').disabled && !document.querySelector('[name=knowledge-type]')") {
		t.Error("knowledge types are a scope without the marker")
	}
	if a := listing(); a.KnowledgeDecomposition.Enabled || a.KnowledgeDecomposition.MarkerFile != nil {
		t.Errorf("without the marker the decomposition is %+v", a.KnowledgeDecomposition)
	}
}

// Another project has other deliverables: nothing that was chosen in the first is chosen there.
func TestProjectChangeClears_14_5(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 3) })
	other := filepath.Join(t.TempDir(), "other")
	deliverables(t, other, 3)
	value[bool](b, fmt.Sprintf(`window.added = "", fetch("/api/projects", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ path: %q }) }).then(r => r.json()).then(a => { window.added = a.project.id; }), true`, other))
	b.until("window.added")
	second := value[string](b, "window.added")
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&scopeKey=PKG-01_Part%201::DEL-01-02")
	b.until("document.querySelector('.targets-count [role=status]')?.innerText === '1 of 3'")
	b.click("#switch-project")
	b.until("document.querySelector('.project-row[href$=\"" + second + "\"]')")
	b.click(".project-row[href$='" + second + "']")
	b.until("location.pathname === '/p/" + second + "'")
	b.click(".project-tabs a[href='/p/" + second + "/pipeline']")
	b.click("[data-category=TASK]")
	b.until("document.querySelector('.targets-count [role=status]')?.innerText === 'None chosen'")
}

// The page sends paths of attachments and nothing else about them, and a message may have no
// text. What a person did not choose is not sent, so that the server's own chain decides.
func TestTurnInput_9_8(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), writeFiles(t)[:2]))
	b.until("document.querySelectorAll('#files li.ready').length === 2")
	value[bool](b, `window.held = window.fetch, window.fetch = (path, init) => { if (String(path).includes("/turn") && init?.body) window.body ??= init.body; return window.held(path, init); }, true`)
	b.do(chromedp.Click(send))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	var body map[string]any
	if err := json.Unmarshal([]byte(value[string](b, "window.body")), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"sessionId": "s1", "message": "", "attachments": []any{"/uploads/plan.png", "/uploads/levels.csv"}, "opts": map[string]any{"onQuestion": "wait"}}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("the page sends (-want +got):\n%s", diff)
	}
}

// A message that is refused comes back whole, with its files; neither it nor an empty answer
// stays in the conversation.
func TestSendFailureKeepsAll_9_8(t *testing.T) {
	b := signedIn(t, &apitest.Engine{Fail: map[string]error{"Start": fault.New(fault.AttachmentFailure, "every attachment was refused")}})
	b.mayFail()
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), writeFiles(t)[:1]))
	b.until("document.querySelectorAll('#files li.ready').length === 1")
	b.do(fill(message, "precious"), chromedp.Click(send))
	b.until("document.querySelector('.dock .notice')?.innerText.includes('every attachment was refused')")
	b.until("document.querySelector('#message').value === 'precious' && document.querySelectorAll('#files li.ready').length === 1 && document.querySelectorAll('.turn').length === 0")
}

// What the browser kept of a message is looked at before it is shown: files of a wrong form
// are left out without a word, and the others are there again.
func TestKeptFilesAreChecked_9_8(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), writeFiles(t)[:1]))
	b.until("document.querySelectorAll('#files li.ready').length === 1")
	value[bool](b, `(() => { const name = Object.keys(localStorage).find(k => k.startsWith("belay.draft.") && localStorage.getItem(k).includes("plan.png"));
		const kept = JSON.parse(localStorage.getItem(name));
		kept.files.push(null, 7, { id: "x" }, { ...kept.files[0], id: 5 }, { ...kept.files[0], path: undefined }, { ...kept.files[0], bytes: "many" });
		localStorage.setItem(name, JSON.stringify(kept)); return true; })()`)
	b.do(chromedp.Reload())
	b.until("document.querySelectorAll('#files li.ready').length === 1 && document.querySelector('#files li').innerText.includes('plan.png')")
	if n := value[int](b, "document.querySelectorAll('#files li, .notice.bad').length"); n != 1 {
		t.Errorf("%d files and notices are shown", n)
	}
}

// The page's approval of a delegation is a request: what the server's gates say counts.
func TestGovernanceIsARequest_9_8(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 1) })
	b.visitPath("/p/" + id + "/pipeline?category=TASK&type=TASK&scopeKey=PKG-01_Part%201::DEL-01-01")
	b.click("#pipeline-options")
	b.until("document.querySelector('dialog [name=approval]')")
	b.do(fill(chromedp.CSS("dialog [name=approval]"), "CR-7"), press("Escape"))
	b.until("!document.querySelector('dialog')")
	b.click("#preview")
	b.until("document.querySelector('dialog .message-text')")
	if got := value[string](b, "document.querySelector('dialog .content').innerText"); !strings.Contains(got, "Does not delegate") {
		t.Errorf("the server's gates are shut, and the preview reads:\n%s", got)
	}
}
