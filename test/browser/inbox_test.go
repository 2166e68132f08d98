package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/permit"
	"belay/internal/turn"
)

// asking has two questions: about a file that a call would write, and about what a
// command has changed.
func asking(t *testing.T) *tab {
	engine := &apitest.Engine{}
	b := open(t, engine, api.Options{Operator: api.NewOperator(api.OperatorOptions{Token: "captain's token"})})
	engine.Ask(permit.Request{ID: "dec_1", SessionID: "s1", Persona: "ENGINEER", Reason: "it changes project files", Session: true, Effect: permit.Effect{
		Tool: "edit", Kind: permit.Write, Paths: []string{"notes.md"},
		Diff: "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n # Notes\n-old words\n+new words\n",
	}})
	engine.Ask(permit.Request{ID: "dec_2", SessionID: "s1", Persona: "ENGINEER", Reason: "the command has changed files", Effect: permit.Effect{
		Tool: "bash", Kind: permit.Execute, Command: "make all", Paths: []string{".envrc", "a.txt", "sub/b.txt"},
		Diff:      "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+one\n--- /dev/null\n+++ b/sub/b.txt\n@@ -0,0 +1,1 @@\n+two\n",
		Automatic: []string{".envrc is run by direnv"}, Hosts: []string{"example.org"},
		Done: &permit.Done{Files: 1207, Output: "made all\nexit code 0\n", Ignored: []permit.Ignored{{Path: "build", Files: 1204}}},
	}})
	link, _ := b.op.Link("")
	b.visit(strings.TrimPrefix(link, "/"))
	b.until("document.querySelector('.top nav')")
	return b
}

// The inbox shows what a question is about, and every file of it.
func TestInbox(t *testing.T) {
	b := asking(t)
	b.until("document.title === '(2) belay'")
	b.do(press("g"), press("i"), chromedp.WaitVisible(chromedp.CSS(".question")))
	b.until("document.title === '(2) Inbox · belay'")
	if got := b.text(".question h2"); got != "ENGINEER wants to change notes.md" {
		t.Errorf("the first question is %q", got)
	}
	if got := value[string](b, "[...document.querySelectorAll('.diff-lines tr')].map(r => r.className + ' ' + r.querySelector('.t').textContent).join('|')"); got != "same # Notes|del removed: old words|add added: new words" {
		t.Errorf("the diff reads %q", got)
	}
	b.do(press("j"))
	b.until("location.pathname === '/q/dec_1'")
	b.do(press("j"))
	b.until("location.pathname === '/q/dec_2'")
	for _, want := range []string{"ENGINEER ran a command that changed 1,207 files", "make all", "host example.org", "Other programs run these by themselves",
		".envrc is run by direnv", "1,204 ignored files"} {
		if got := b.text(".question"); !strings.Contains(got, want) {
			t.Errorf("the question lacks %q: %q", want, got)
		}
	}
	b.shot("question")
	b.do(press("k"))
	b.until("location.pathname === '/q/dec_1'")
	b.do(press("o"))
	b.until("location.pathname === '/s/s1'")
}

// answer presses a key that answers the question on screen, once it has been there long enough
// to be read.
func (b *tab) answer(key string) {
	b.t.Helper()
	b.until("document.querySelector('.readable .question')")
	b.do(press(key))
}

// A question that was answered elsewhere stays until the person goes on: a key that is meant for
// it does not answer the next one.
func TestKeysAnswerWhatIsShown(t *testing.T) {
	b := asking(t)
	b.visit("inbox")
	b.until("document.querySelector('.readable .question')")
	if _, err := b.engine.Decide(t.Context(), turn.DecisionRequest{SessionID: "s1", DecisionID: "dec_1", Verdict: permit.VerdictAllow, By: "ana"}); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelectorAll('.rows .row').length === 1 && !document.querySelector('.question .danger')")
	b.do(press("d"))
	b.do(press("j"))
	b.until("location.pathname === '/q/dec_2'")
	if got := len(apitest.Answers(b.engine)); got != 1 {
		t.Errorf("%d answers, and only that from elsewhere was meant", got)
	}
	b.answer("d")
	b.until("document.querySelector('.empty-main')?.innerText.includes('All clear')")
}

// Keys answer, and the note goes with the answer.
func TestAnswerByKeys(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_1")
	b.do(chromedp.WaitVisible(chromedp.CSS(".question")), press("n"))
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(chromedp.KeyEvent("add a source"), press("Escape"))
	// Letters in a note are no answer. Once it is left it stays on the screen, and goes with the answer.
	b.until("document.activeElement === document.body && document.querySelector('.note-field textarea').value === 'add a source'")
	b.answer("d")
	b.until("location.pathname === '/q/dec_2' && document.title.startsWith('(1)')")
	// An empty one is put away.
	b.answer("n")
	b.until("document.activeElement.tagName === 'TEXTAREA'")
	b.do(press("Escape"))
	b.until("!document.querySelector('.note-field')")
	b.answer("a")
	b.until("document.querySelector('.empty-main')?.innerText.includes('All clear')")
	want := []turn.DecisionRequest{
		{SessionID: "s1", DecisionID: "dec_1", Verdict: permit.VerdictDeny, By: "operator", Note: "add a source"},
		{SessionID: "s1", DecisionID: "dec_2", Verdict: permit.VerdictAllow, By: "operator"},
	}
	if diff := cmp.Diff(want, apitest.Answers(b.engine)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if got := b.text("#announce"); !strings.Contains(got, "Applied") {
		t.Errorf("a screen reader hears %q", got)
	}
}

// Files whose ticks are taken away are not applied.
func TestApplySomeFiles(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_2")
	b.do(chromedp.WaitVisible(chromedp.CSS(".question .pick")))
	if n := value[int](b, "document.querySelectorAll('.question .pick input:checked').length"); n != 4 {
		t.Errorf("%d files are ticked at first", n)
	}
	for _, path := range []string{".envrc", "a.txt", "build"} {
		value[bool](b, fmt.Sprintf("[...document.querySelectorAll('.pick')].find(l => l.innerText.trim() === 'Apply %s').querySelector('input').click() === undefined", path))
	}
	b.until("document.querySelector('.answers .primary').innerText.includes('Apply 1 of 1,207 files')")
	b.do(chromedp.Click(chromedp.CSS(".answers .primary")))
	b.until("location.pathname === '/q/dec_1'")
	answers := apitest.Answers(b.engine)
	if len(answers) != 1 || cmp.Diff([]string{"sub/b.txt"}, answers[0].Only) != "" {
		t.Errorf("the answers are %+v", answers)
	}
}

// A question that somebody else has answered goes away, and its link says so.
func TestAnsweredElsewhere(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_1")
	b.do(chromedp.WaitVisible(chromedp.CSS(".question")))
	if _, err := b.engine.Decide(t.Context(), turn.DecisionRequest{SessionID: "s1", DecisionID: "dec_1", Verdict: permit.VerdictDeny}); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.empty-main')?.innerText.includes('This question is closed')")
	b.until("document.title.startsWith('(1)')")
}
