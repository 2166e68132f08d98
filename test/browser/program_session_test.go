package browser

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	devtools "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// With the program itself a person steers a running turn, says what comes after it, takes a
// waiting message back, and interrupts an answer, which keeps what was said.
func TestProgramSteersAndQueues(t *testing.T) {
	b, project, _ := pipedWith(t, "", `turns:
  - when: Write the plan
    steps:
      - call: {name: write, input: {path: plan.md, content: "plan\n"}}
      - say: I go on in metres.
  - when: Then tidy up
    steps: [{say: "I have tidied up."}]
  - when: Tell a story
    steps: [{say: "The first half."}, {wait: 10m}, {say: "The second half."}]
`, func(string) {})
	b.tell("Write the plan.")
	b.asks("WORKING_ITEMS wants to write plan.md")
	b.tell("In metres.")
	b.until("document.querySelectorAll('.queue-list li').length === 1")
	put(t, project, "story.txt", "Once upon a time.\n")
	for n, text := range []string{"Then tidy up.", "Tell a story."} {
		if n == 1 {
			b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), []string{filepath.Join(project, "story.txt")}))
			b.until("document.querySelectorAll('#files li.ready').length === 1")
		}
		b.do(fill(message, text))
		b.click("#interrupt + .button")
		b.until("document.querySelectorAll('.queue-list li')[" + strconv.Itoa(n+1) + "]?.innerText.includes(" + quote(text) + ")")
	}
	if got := value[string](b, "[...document.querySelectorAll('.queue-list .chip')].map(c => c.innerText).join('|')"); got != "next|after the answer|after the answer" {
		t.Errorf("they wait for %q", got)
	}
	b.click(".queue-list li:last-child button")
	b.until("document.querySelectorAll('.queue-list li').length === 2 && document.querySelector('#message').value === 'Tell a story.'")
	b.until("document.querySelector('#files li.ready')?.innerText.includes('story.txt')") // with its file
	if queue := b.get("/api/harness/session/" + b.session() + "/queue"); strings.Contains(queue, "Tell a story") || !strings.Contains(queue, "In metres.") || !strings.Contains(queue, "Then tidy up.") {
		t.Errorf("the queue is %s", queue)
	}
	b.click(".answers .primary")
	b.ends(1, "done")
	if got := read(t, project, "plan.md"); got != "plan\n" {
		t.Errorf("the file reads %q", got)
	}
	if got := value[string](b, "[...document.querySelectorAll('.answer, .said.into .words')].map(e => e.innerText).join('|')"); got != "In metres.|I go on in metres.|Then tidy up.|I have tidied up." {
		t.Errorf("after the question the conversation reads %q", got)
	}

	// What the agent got with the result of its call.
	said := b.transcript()
	result, rest, _ := strings.Cut(said, `"kind":"input"`)
	if !strings.Contains(result, "wrote plan.md") || strings.Contains(result, "I go on") || !strings.Contains(rest, `"message":"In metres.","mode":"steer"`) || strings.Contains(said, "Tell a story") {
		t.Errorf("the transcript is %s", said)
	}

	b.click("#send") // what was taken back
	b.until("[...document.querySelectorAll('.answer')].at(-1)?.innerText === 'The first half.'")
	if said := b.transcript(); !strings.Contains(said, `"message":"Tell a story.","attachments":[{`) {
		t.Errorf("the file is not sent with the message: %s", said)
	}
	b.click("#interrupt")
	b.ends(2, "interrupted")
	b.do(chromedp.Reload())
	b.ends(2, "interrupted")
	if got := value[string](b, "[...document.querySelectorAll('.answer')].at(-1).innerText"); got != "The first half." {
		t.Errorf("the interrupted answer reads %q", got)
	}
	if said := b.transcript(); !strings.Contains(said, "The first half.") || strings.Contains(said, "The second half.") {
		t.Errorf("the transcript is %s", said)
	}
}

// download follows a link with the pointer and is the file that the browser writes.
func (b *tab) download(link string) string {
	b.t.Helper()
	dir := b.t.TempDir()
	b.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		info, err := cdp.Call(ctx, tab, target.GetTargetInfo, target.GetTargetInfoParams{})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, tab, devtools.SetDownloadBehavior, devtools.SetDownloadBehaviorParams{
			Behavior: devtools.SetDownloadBehaviorBehaviorAllow, BrowserContextID: info.TargetInfo.BrowserContextID, DownloadPath: dir,
		})
		return err
	}))
	b.click(link)
	deadline := time.After(patience)
	for tick := time.Tick(20 * time.Millisecond); ; {
		if files, _ := filepath.Glob(filepath.Join(dir, "*.tar.gz")); len(files) == 1 { // it has another name until it is whole
			return files[0]
		}
		select {
		case <-tick:
		case <-deadline:
			b.t.Fatalf("%s downloads nothing", link)
		}
	}
}

// With the program itself the menu of a session renames, exports, forks and deletes it, and
// the export is brought in again.
func TestProgramSessions(t *testing.T) {
	b, _, id := pipedWith(t, "", "turns: [{when: Note it, steps: [{say: It is noted.}]}]\n", func(string) {})
	b.tell("Note it.")
	b.ends(1, "done")
	first := b.session()
	b.click("#session-menu")
	b.click("[role=menu] [data-item=rename]")
	b.until("document.activeElement.name === 'title'")
	b.do(chromedp.KeyEvent("Levels of the deck"))
	b.click(".rename [type=submit]")
	b.until("document.querySelector('.session-head h2')?.innerText === 'Levels of the deck'")

	b.click("#session-menu")
	archive := b.download("[role=menu] a[download]")

	b.click("#session-menu")
	b.click("[role=menu] [data-item=fork]")
	b.until("location.pathname.startsWith('/s/') && location.pathname !== " + quote("/s/"+first))
	b.ends(1, "done")
	if said := b.transcript(); !strings.Contains(said, "It is noted.") {
		t.Errorf("the fork's transcript is %s", said)
	}
	fork := b.session()
	b.click("#session-menu")
	b.click("[role=menu] [data-item=delete]")
	b.click("#delete")
	b.until("location.pathname === '/'")
	ids := func() string { return b.get("/api/harness/sessions?project=" + id) }
	if got := ids(); strings.Contains(got, fork) || !strings.Contains(got, first) {
		t.Errorf("after the deletion the sessions are %s", got)
	}

	b.do(chromedp.SetUploadFiles(chromedp.CSS("#import"), []string{archive})) // the dialog is the system's
	b.until("location.pathname.startsWith('/s/') && location.pathname !== " + quote("/s/"+first))
	b.ends(1, "done")
	if got, said := ids(), b.transcript(); strings.Count(got, `"Levels of the deck"`) != 2 || !strings.Contains(said, "It is noted.") {
		t.Errorf("the imported session: %s\n%s", got, said)
	}
}

// With the program itself options hold for the turn that is sent with them, as a preset does
// after a reload: a tool without its tick is not there, and a limit cuts the turn off.
func TestProgramTurnOptions(t *testing.T) {
	b, project, _ := pipedWith(t, "", `turns:
  - when: Read it
    steps:
      - call: {name: read, input: {path: notes.md}}
      - say: It is read.
  - when: Write it
    steps:
      - call: {name: write, input: {path: new.md, content: written}}
      - say: That was all.
`, func(project string) { put(t, project, "notes.md", "# Notes\n") })
	b.choose("acceptEdits")
	b.click("#more-options")
	b.click("dialog .radio + .radio input")
	const writes = "[...document.querySelectorAll('.tool-choice label')].findIndex(l => l.innerText.trim() === 'write')"
	b.until(writes + " >= 0")
	n := value[int](b, writes)
	b.click(".tool-choice label:nth-child(" + strconv.Itoa(n+1) + ") input")
	b.do(fill(chromedp.CSS("dialog [name=preset]"), "careful"))
	b.click(".presets [type=submit]")
	b.until("document.querySelector('.presets .preset')?.innerText === 'careful'")
	b.click("#reset-options")
	b.click("dialog .primary")
	b.until("!document.querySelector('dialog') && !document.querySelector('#more-options .n')")
	b.tell("Write it.")
	b.ends(1, "done")
	if got := read(t, project, "new.md"); got != "written" {
		t.Errorf("without options the file reads %q", got)
	}
	if err := os.Remove(filepath.Join(project, "new.md")); err != nil {
		t.Fatal(err)
	}

	b.do(chromedp.Reload(), chromedp.WaitEnabled(message))
	b.click("#more-options")
	b.click(".presets .preset")
	b.click("dialog .primary")
	b.until("document.querySelector('#more-options .n')?.innerText === '1'")
	b.tell("Write it.")
	b.ends(2, "done")
	absent(t, project, "new.md")
	if got := b.told(); !strings.Contains(got, "there is no tool named write (the tools are: ") || !strings.Contains(got, "edit") {
		t.Errorf("the model reads %q", got)
	}

	b.click("#more-options")
	for field, text := range map[string]string{"maxTurns": "1", "maxCostUsd": "0.5", "minutes": "2", "approval": "TICKET-1"} {
		b.do(fill(chromedp.CSS("dialog [name="+field+"]"), text))
	}
	b.click("dialog .primary")
	b.until("document.querySelector('#more-options .n')?.innerText === '5'")
	b.tell("Read it.")
	b.ends(3, "cut off: max_turns")
	_, turn, _ := strings.Cut(b.transcript(), `"message":"Read it."`)
	for _, want := range []string{`"maxTurns":1,"maxCostUsd":0.5,"timeoutMs":120000`, `"approvalRef":"TICKET-1"`, `"mode":"acceptEdits"`, `"stopReason":"max_turns"`} {
		if !strings.Contains(turn, want) {
			t.Errorf("the turn has no %s: %s", want, turn)
		}
	}
	if strings.Contains(turn, `"write"`) || strings.Contains(turn, "It is read.") {
		t.Errorf("the turn is %s", turn)
	}
}

// The context of the model is freed from the menu of a session, by pointer and with keys alone:
// the model is sent a summary, and every turn stays.
func TestContextIsFreed(t *testing.T) {
	b, _, _ := pipedWith(t, "", "turns: [{when: Note it, steps: [{say: It is noted.}]}]\n", func(string) {})
	b.tell("Note it.")
	b.ends(1, "done")
	b.click("#session-menu")
	b.click("[role=menu] [data-item=compact]")
	b.until("document.activeElement.name === 'keep'")
	b.do(chromedp.KeyEvent("the levels of the deck"))
	b.shot("compact")
	b.click("#compact")
	b.ends(2, "done")
	b.until("!document.querySelector('dialog') && [...document.querySelectorAll('.turn')].at(-1).innerText.includes('The person said: Note it.')")
	if got := value[string](b, "document.querySelectorAll('.turn .said')[1].innerText"); !strings.Contains(got, "the levels of the deck") {
		t.Errorf("the second turn was asked %q", got)
	}

	b.tell("Note it. Again.")
	b.ends(3, "done")
	b.tabTo("#session-menu")
	b.do(press("Enter"))
	b.until("document.activeElement.getAttribute('role') === 'menuitem'")
	// The menu itself has the keys for a moment where its items change.
	for value[string](b, "document.activeElement.dataset.item ?? ''") != "compact" {
		b.do(press("ArrowDown"))
	}
	b.do(press("Enter"))
	b.until("document.activeElement.name === 'keep'")
	b.do(press("Enter")) // what is needed to go on
	b.ends(4, "done")
	said := b.transcript()
	if n := strings.Count(said, `"kind":"summary"`); n != 2 || !strings.Contains(said, "It is noted.") || !strings.Contains(said, "Keep what is needed to go on.") {
		t.Errorf("%d summaries are in the transcript %s", n, said)
	}
}
