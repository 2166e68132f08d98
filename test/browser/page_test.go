package browser

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

const (
	message = chromedp.CSS("#message")
	send    = chromedp.CSS("#send")
)

// hostile is a message that would run, were it ever taken for markup.
const hostile = `HOLD <img src=x onerror="document.title='owned'"> & <b>bold</b>`

func TestConversation(t *testing.T) {
	b := open(t, &apitest.Engine{Pace: time.Millisecond}, api.Options{})
	b.visit("")
	b.do(fill(chromedp.CSS("#root"), "/project"), press("Enter"),
		chromedp.WaitVisible(chromedp.CSS("#sessions a")),
		chromedp.Click(chromedp.CSS("#sessions a")),
		chromedp.WaitEnabled(message), fill(message, hostile), chromedp.Click(send))
	b.until("document.querySelector('#interrupt') && document.querySelector('.words')?.innerText")
	b.shot("running")
	b.engine.Release("s1")
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.shot("done")
	if got := b.text(".answer"); got != hostile {
		t.Errorf("the answer reads %q", got)
	}
	if got := b.text(".words"); got != hostile {
		t.Errorf("the message reads %q", got)
	}
	if n := value[int](b, "document.querySelectorAll('.turn img, .turn b').length"); n != 0 {
		t.Errorf("%d elements were made from text", n)
	}
	if title := value[string](b, "document.title"); title != "belay" {
		t.Errorf("a text ran: the title is %q", title)
	}
	if foot := b.text(".foot"); !strings.Contains(foot, "12 tokens in · 34 out") || !strings.Contains(foot, "fake-1") {
		t.Errorf("the foot reads %q", foot)
	}
}

func TestKeyboardAlone(t *testing.T) {
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	b.until("document.activeElement.id === 'message'")
	b.do(chromedp.KeyEvent("WARN by keys"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	if got := b.text(".notice.warn"); !strings.Contains(got, "SAMPLE") {
		t.Errorf("the warning reads %q", got)
	}
	if focus := value[string](b, "document.activeElement.id"); focus != "message" {
		t.Errorf("the focus went to %q", focus)
	}
}

func TestInterrupt(t *testing.T) {
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "HOLD it"), chromedp.Click(send),
		chromedp.WaitEnabled(chromedp.CSS("#interrupt")), chromedp.Click(chromedp.CSS("#interrupt")))
	b.until("document.querySelector('.foot')?.innerText.includes('interrupted')")
	if got := b.text(".answer"); got != "HOLD it" {
		t.Errorf("what was said before is gone: %q", got)
	}
}

// A call that waits for a person is shown with the way to answer it, however long it
// waits; the end of the turn counts what was not permitted.
func TestQuestionOnThePage(t *testing.T) {
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "ASK AUTOMATIC and HOLD"), chromedp.Click(send))
	b.until("document.querySelector('.question h3')?.innerText === 'The agent wants to use write'")
	if got := b.text(".question"); !strings.Contains(got, "it changes project files") || !strings.Contains(got, "Other programs run these by themselves\n.envrc is run by the shell") {
		t.Errorf("the question reads %q", got)
	}
	// Without the operator's link nothing can be answered, and the page says what to do.
	b.do(chromedp.Click(chromedp.CSS(".answers .primary")), chromedp.WaitVisible(chromedp.CSS(".question .notice.bad[role=alert]")))
	if got := b.text(".question .notice[role=alert]"); !strings.Contains(got, "Not allowed") || !strings.Contains(got, "belay open") {
		t.Errorf("the refusal reads %q", got)
	}
	if opts := b.engine.Requests()[0].Opts; opts.OnQuestion != turn.OnQuestionWait {
		t.Errorf("the page's turn says %q", opts.OnQuestion)
	}
	b.engine.Release("s1")
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	if got := b.text(".turn"); !strings.Contains(got, "Denied by ana") || strings.Contains(got, "Allow") ||
		!strings.Contains(got, "Calls that were not permitted: 2 refused, 1 not answered in time") {
		t.Errorf("the turn reads %q", got)
	}
}

// What is taken back elsewhere is told below its turn.
func TestUndoElsewhere(t *testing.T) {
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "write"), chromedp.Click(send))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	if _, err := b.engine.Undo(t.Context(), changes.UndoRequest{SessionID: "s1", TurnID: "t1"}); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.turn .undone')?.innerText === 'Taken back: notes.md'")
}

func TestUpload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.txt")
	if err := os.WriteFile(file, []byte("one two"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), chromedp.SetUploadFiles(chromedp.CSS("#pick"), []string{file}),
		chromedp.WaitVisible(chromedp.CSS("#files li.ready")), chromedp.Click(send))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	requests := b.engine.Requests()
	if diff := cmp.Diff([]string{"/uploads/plan.txt"}, requests[0].Attachments); diff != "" {
		t.Errorf("attachments of the turn (-want +got):\n%s", diff)
	}
	if chip := b.text(".said .chips"); !strings.Contains(chip, "plan.txt · 7 B") {
		t.Errorf("the chip reads %q", chip)
	}
}

func TestReconnectLosesNothing(t *testing.T) {
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	text := "HOLD " + strings.Repeat("0123456789", 10)
	b.do(chromedp.WaitEnabled(message), fill(message, text), chromedp.Click(send))
	b.until("document.querySelector('.answer')?.innerText")
	// It may be back before anybody looks.
	value[bool](b, `new MutationObserver(() => { window.wasLost ||= document.querySelector("#link-state").innerText.includes("lost"); })
		.observe(document.querySelector("#link-state"), { childList: true, characterData: true, subtree: true }) === undefined`)
	b.srv.CloseClientConnections()
	b.until("window.wasLost")
	b.engine.Release("s1")
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	if got := b.text(".answer"); got != text {
		t.Errorf("the answer reads %q", got)
	}
	if n := value[int](b, "document.querySelectorAll('.turn').length"); n != 1 {
		t.Errorf("%d turns are shown", n)
	}
}

func TestTurnOfSomeoneElseIsLive(t *testing.T) {
	b := open(t, &apitest.Engine{}, api.Options{})
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message))
	s, err := b.engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: "from a terminal"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.until("document.querySelector('.words')?.innerText === 'from a terminal'")
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
}

func TestFailureKeepsTheDraft(t *testing.T) {
	engine := &apitest.Engine{Fail: map[string]error{"Start": fault.New(fault.AttachmentFailure, "every attachment was refused").
		With("attachmentErrors", []map[string]string{{"path": "/a.exe", "code": "EXTENSION_NOT_ALLOWED", "reason": "no such kind"}})}}
	b := open(t, engine, api.Options{})
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), fill(message, "precious"), chromedp.Click(send),
		chromedp.WaitVisible(chromedp.CSS(".dock .notice")))
	if notice := b.text(".dock .notice"); !strings.Contains(notice, "every attachment was refused") || !strings.Contains(notice, "/a.exe: EXTENSION_NOT_ALLOWED") {
		t.Errorf("the notice reads %q", notice)
	}
	if draft := value[string](b, "document.querySelector('#message').value"); draft != "precious" {
		t.Errorf("the draft reads %q", draft)
	}
	b.shot("failed-send")
}

func TestOneTimeLink(t *testing.T) {
	op := api.NewOperator(api.OperatorOptions{Token: "captain's token"})
	b := open(t, &apitest.Engine{}, api.Options{Token: "members only", Operator: op})
	for _, width := range []int64{360, 1200} { // also where no project is known: nobody is asked to choose one
		b.do(chromedp.EmulateViewport(width, 800))
		b.visit("")
		b.until("[...document.querySelectorAll('.notice')].filter(e => e.offsetParent && e.innerText.includes('belay open')).length === 1")
		if got := b.text("body"); strings.Contains(got, "Choose a project") {
			t.Errorf("without a link, %d pixels wide, the page says: %s", width, got)
		}
	}
	b.visit("?root=/project")
	b.do(chromedp.WaitVisible(chromedp.CSS(".notice")))
	if notice := b.text(".notice"); !strings.Contains(notice, "belay open") {
		t.Errorf("without a link the notice reads %q", notice)
	}
	link, _ := op.Link("")
	b.visit(strings.TrimPrefix(link, "/"))
	b.do(chromedp.WaitVisible(chromedp.CSS("#sessions a")))
	if place := value[string](b, "location.href + document.cookie"); strings.Contains(place, "code=") || strings.Contains(place, "belay_operator") {
		t.Errorf("the code or the cookie can be seen: %s", place)
	}
	b.visit(strings.TrimPrefix(link, "/"))
	b.do(chromedp.WaitVisible(chromedp.CSS(".banner .notice")))
	if notice := b.text(".banner .notice"); !strings.Contains(notice, "used already") {
		t.Errorf("the second time the notice reads %q", notice)
	}
	// A tab that is open takes a link that is pasted into it: only the fragment changes then.
	b.until("location.hash === ''")
	link, _ = op.Link("")
	value[string](b, "location.href = "+strconv.Quote(link))
	b.until("!document.querySelector('.banner') && document.querySelector('#sessions a') && location.hash === ''")
}
