package browser

import (
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

func options() api.Options { return api.Options{} }

// The first message makes the session, and moves into it.
func TestNewSession(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	b.visit("?root=/project")
	b.do(chromedp.WaitEnabled(message), press("Escape", "c"))
	b.until("document.activeElement.id === 'message'")
	b.do(fill(message, "start here"), press("Enter"))
	b.until("location.pathname === '/s/s2' && document.querySelector('.foot')?.innerText.includes('done')")
	if got := b.text(".words"); got != "start here" {
		t.Errorf("the message reads %q", got)
	}
}

// A message that is refused comes back whole, also the first one of a session.
func TestNewSessionRefused(t *testing.T) {
	b := open(t, &apitest.Engine{Fail: map[string]error{"Start": fault.New(fault.MissingAPIKey, "ANTHROPIC_API_KEY is not set")}}, options())
	b.visit("?root=/project")
	b.do(chromedp.WaitEnabled(message), fill(message, "precious"), press("Enter"))
	b.until("document.querySelector('.dock .notice')?.innerText.includes('The provider\\'s key is missing')")
	if draft := value[string](b, "document.querySelector('#message').value"); draft != "precious" {
		t.Errorf("the draft reads %q", draft)
	}
	if n := value[int](b, "document.querySelectorAll('.turn').length"); n != 0 {
		t.Errorf("%d turns are shown", n)
	}
}

// A draft survives a reload, with its files; what is no draft is left out.
func TestDraftSurvivesReload(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "half a thought"))
	value[bool](b, `(() => { const data = new DataTransfer(); data.items.add(new File(["one"], "pasted.txt", { type: "text/plain" }));
		document.querySelector("#message").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); return true; })()`)
	b.do(chromedp.WaitVisible(chromedp.CSS("#files li.ready")), chromedp.Reload())
	b.until("document.querySelector('#message')?.value === 'half a thought' && document.querySelector('#files li.ready')?.innerText.includes('pasted.txt')")
	b.do(chromedp.Click(chromedp.CSS("#files [aria-label^=Remove]")))
	b.until("!document.querySelector('#files')")
	value[bool](b, `localStorage.setItem("belay.draft.s1", '{"text": 7, "files": [{"name": "x"}, null]}') === undefined`)
	b.do(chromedp.Reload())
	b.until("document.querySelector('#message')?.value === '' && !document.querySelector('#files')")
}

// While a turn runs, a message goes into it or waits for its answer.
func TestSteer(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "HOLD on"), press("Enter"))
	b.until("document.querySelector('#send').innerText.includes('Steer')")
	b.do(fill(message, "leave the tests"), press("Enter"))
	b.until("document.querySelectorAll('.said.into').length === 1")
	b.do(fill(message, "then tidy up"), press("Alt+Enter"))
	b.until("document.querySelectorAll('.said.into').length === 2")
	want := []turn.SteerRequest{
		{SessionID: "s1", Message: "leave the tests", Mode: session.Steer},
		{SessionID: "s1", Message: "then tidy up", Mode: session.FollowUp},
	}
	got := apitest.Steers(b.engine)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(turn.SteerRequest{}, "Key", "BodyDigest")); diff != "" {
		t.Fatalf("said into the turn (-want +got):\n%s", diff)
	}
	if got[0].Key == "" || got[0].Key == got[1].Key { // each is said once, whatever becomes of its answer
		t.Errorf("the keys are %q and %q", got[0].Key, got[1].Key)
	}
	b.do(press("Ctrl+."))
	b.until("document.querySelector('.foot')?.innerText.includes('interrupted')")
}

// The changes of a turn are shown, and taken back; a refusal names the files.
func TestUndo(t *testing.T) {
	refused := fault.New(fault.ContentChanged, "a file was changed since").With("paths", []string{"notes.md"})
	engine := &apitest.Engine{Fail: map[string]error{"Undo": refused}}
	b := open(t, engine, api.Options{Operator: api.NewOperator(api.OperatorOptions{Token: "captain's token"})})
	link, _ := b.op.Link("")
	b.visit(strings.TrimPrefix(link, "/"))
	b.until("document.querySelector('.top nav')")
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "write"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.tabTo(".turn-actions .changes")
	b.do(press("Enter"), chromedp.WaitVisible(chromedp.CSS("dialog .diff-lines")))
	if got := b.text("dialog"); !strings.Contains(got, "notes.md") || !strings.Contains(got, "newer") {
		t.Errorf("the changes read %q", got)
	}
	b.tabTo("#undo")
	b.do(press("Enter"), chromedp.WaitVisible(chromedp.CSS("dialog .notice.bad")))
	if got := b.text("dialog .notice.bad"); !strings.Contains(got, "A file has changed since") || !strings.Contains(got, "notes.md") {
		t.Errorf("the refusal reads %q", got)
	}
	delete(engine.Fail, "Undo")
	b.tabTo("#undo")
	b.do(press("Enter"))
	b.until("!document.querySelector('dialog') && document.querySelector('.undone')?.innerText === 'Taken back: notes.md'")
}

// The page reports events that are gone, and shows what the transcript has.
func TestGapIsShown(t *testing.T) {
	b := open(t, &apitest.Engine{Forget: 3}, options())
	s, err := b.engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: "long ago, and in several pieces of text"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.engine.Wait()
	b.visit("s/s1")
	b.until("document.querySelector('.gap')?.innerText.includes('older events are no longer kept')")
}

// A failure in the middle of a turn says what it is and what to do.
func TestTurnFails(t *testing.T) {
	b := open(t, &apitest.Engine{Fail: map[string]error{"Interrupt": errors.New("not now")}}, options())
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "FAIL"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('failed')")
	if got := b.text(".turn .notice.bad"); !strings.Contains(got, "The provider failed") || !strings.Contains(got, "made to fail") {
		t.Errorf("the failure reads %q", got)
	}
	if n := value[int](b, "document.querySelectorAll('.turn .notice.bad').length"); n != 1 {
		t.Errorf("the failure is shown %d times", n)
	}
}

// Markdown is shown as such, code can be copied, and no picture is fetched.
func TestMarkdown(t *testing.T) {
	b := open(t, &apitest.Engine{}, options())
	b.visit("s/s1")
	text := "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc main() {}\n```\n\n![pixel](https://example.org/pixel.png) and [run](javascript:alert(1)) &copy; a &amp; b"
	if _, err := b.engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: text}); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.md .h1')?.innerText === 'Title' && document.querySelector('.md table') && document.querySelector('.hljs-keyword')")
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	if got := value[string](b, "[...document.querySelectorAll('.md a')].map(a => a.innerText + ' ' + a.getAttribute('href') + ' ' + a.rel).join('|')"); got != "Image: pixel https://example.org/pixel.png noopener noreferrer|run" && got != "Image: pixel https://example.org/pixel.png noopener noreferrer" {
		t.Errorf("the links are %q", got)
	}
	if got := value[string](b, "document.querySelector('.md').innerText"); !strings.Contains(got, "© a & b") {
		t.Errorf("the named characters are shown as %q", got)
	}
	if n := value[int](b, "document.querySelectorAll('.md img').length"); n != 0 {
		t.Errorf("%d pictures are shown", n)
	}
	if asked := value[string](b, "performance.getEntriesByType('resource').map(e => e.name).join(' ')"); strings.Contains(asked, "example.org") {
		t.Errorf("the page asked for %s", asked)
	}
}
