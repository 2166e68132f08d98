package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"belay/internal/api/apitest"
	"belay/internal/permit"
	"belay/internal/turn"
)

// The whole job by keys alone: write, answer two questions in the conversation, look at what
// changed, take it back, and name the session.
func TestWholeJobByKeys(t *testing.T) {
	b, project := real(t)
	before := levels(t, project)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.tabTo("#message")
	b.do(chromedp.KeyEvent("Please bring the deck's levels in line with the brief."), press("Enter"))
	for _, file := range []string{"deck.csv", "Datasheet.md"} {
		b.until("document.querySelector('.question h3')?.innerText === 'ENGINEER wants to change " + file + "'")
		b.tabTo(".question .answers .primary")
		b.do(press("Enter"))
	}
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	if got := levels(t, project); got == before {
		t.Error("the file did not change")
	}
	b.tabTo(".tool[data-tool=edit] > summary")
	b.do(press("Enter"))
	b.until("document.querySelector('.tool[data-tool=edit][open] .diff-lines')")
	b.tabTo(".turn-actions .changes")
	b.do(press("Enter"))
	b.until("document.querySelector('dialog #undo')")
	b.tabTo("#undo")
	b.do(press("Enter"))
	b.until("document.querySelector('.undone')?.innerText.includes('deck.csv')")
	if got := levels(t, project); got != before {
		t.Errorf("after the undo the file reads:\n%s", got)
	}
	b.tabTo("[aria-label='Rename the session']")
	b.do(press("Enter"))
	b.until("document.activeElement.name === 'title'")
	b.do(chromedp.KeyEvent("Levels"), press("Enter"))
	b.until("document.querySelector('.session-head h2')?.innerText === 'Levels'")
	// A new session, and from the list back to the first.
	session := value[string](b, "location.pathname")
	b.do(press("Escape", "c"))
	b.until("location.search.startsWith('?new=1&root=') && document.activeElement.id === 'message'")
	b.tabTo("#sessions a")
	b.do(press("Enter"))
	b.until("location.pathname === " + quote(session) + " && document.querySelector('.session-head h2')?.innerText === 'Levels'")
}

// With keys alone a file of this computer is attached, mode and model are chosen, and all of it
// goes with the message. The dialog that chooses the file is the system's.
func TestComposerByKeys(t *testing.T) {
	engine := &apitest.Engine{}
	b := signedIn(t, engine)
	value[bool](b, "(document.querySelector('#pick').click = () => { window.choosing = true; }) !== null")
	b.tabTo("#attach")
	b.do(press("Enter"))
	b.until("document.activeElement.getAttribute('role') === 'menuitem'")
	b.do(press("Enter"))
	b.until("window.choosing")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), writeFiles(t)[:1]))
	b.until("document.querySelectorAll('#files li.ready').length === 1")
	b.tabTo("#mode")
	b.do(press("ArrowDown", "ArrowDown"))
	b.until("document.querySelector('#mode').value === 'plan'")
	b.tabTo("#model")
	b.do(chromedp.KeyEvent("fake-1"))
	b.tabTo("#message")
	b.do(chromedp.KeyEvent("Look at it."), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	r := engine.Requests()[0]
	if r.Opts.Mode != "plan" || r.Opts.Model != "fake-1" || len(r.Attachments) != 1 {
		t.Errorf("the turn is %+v with %v", r.Opts, r.Attachments)
	}
}

// With keys alone this browser forgets what it keeps: drafts, presets, widths.
func TestForgetByKeys(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.do(fill(message, "half a thought"))
	b.until("localStorage.getItem('belay.draft.s1')")
	b.do(press("Escape", "Ctrl+k"))
	b.until("document.activeElement.getAttribute('role') === 'combobox'")
	b.do(chromedp.KeyEvent("settings"), press("Enter"))
	b.until("document.querySelector('#forget')")
	b.tabTo("#forget")
	b.do(press("Enter"))
	b.until("document.body.innerText.includes('Forgotten') && !Object.keys(localStorage).some(k => k.startsWith('belay.draft'))")
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message))
	b.until("document.querySelector('#message').value === ''")
}

// A key allows what is asked for the rest of the session, and o opens that.
func TestAllowForTheSessionByKeys(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_1")
	b.answer("s")
	b.until("location.pathname === '/q/dec_2'")
	want := []turn.DecisionRequest{{SessionID: "s1", DecisionID: "dec_1", Verdict: permit.VerdictAllowSession, By: "operator"}}
	if diff := cmp.Diff(want, apitest.Answers(b.engine)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	// What a command has done cannot be allowed for the session: the key does nothing.
	b.answer("s")
	b.do(press("o"))
	b.until("location.pathname === '/s/s1'")
	if got := len(apitest.Answers(b.engine)); got != 1 {
		t.Errorf("%d answers", got)
	}
}

// On a phone every answer lies in the lower half of the screen, whatever the question has.
func TestAnswersLieInTheLowerHalf(t *testing.T) {
	b := asking(t)
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	for _, place := range []string{"q/dec_1", "q/dec_2"} {
		b.visit(place)
		b.until("document.querySelector('.question .answers .button')")
		high := value[string](b, "[...document.querySelectorAll('.answers .button')].filter(e => e.getBoundingClientRect().top < innerHeight / 2 || e.getBoundingClientRect().bottom > innerHeight).map(e => e.innerText).join(', ')")
		if high != "" {
			t.Errorf("%s: not in the lower half: %s", place, high)
		}
	}
}

// With keys alone the colours are switched, and nothing moves for those who asked for that.
func TestColoursByKeys(t *testing.T) {
	b := asking(t)
	b.do(colours("light"))
	b.visit("inbox")
	b.until("document.querySelector('.pane .row')")
	b.tabTo("#theme")
	b.do(press("Enter", "Enter"))
	b.until("document.documentElement.dataset.theme === 'dark'")
	b.do(motion("reduce"))
	b.until("getComputedStyle(document.querySelector('.resizer'), '::after').transitionDuration === '1e-05s'")
	b.do(motion("no-preference"))
	b.until("getComputedStyle(document.querySelector('.resizer'), '::after').transitionDuration === '0.1s'")
}

// While a command runs its output is on the page, until a person interrupts it. A file that the
// agent sends is there with a look at it and a download. The code of an answer is copied. By
// keys alone.
func TestLiveOutputAndSentFiles(t *testing.T) {
	b, _, _ := piped(t, func(project string) {
		put(t, project, "out/plan.csv", "point,level\nD0,3.45\n")
		put(t, filepath.Dir(project), "settings.yaml", "provider: scripted\nscripted: {script: "+filepath.Join(filepath.Dir(project), "script.yaml")+"}\n")
		put(t, filepath.Dir(project), "script.yaml", `turns:
  - when: Run it
    steps:
      - call: {name: bash, input: {command: "echo first line; sleep 300"}}
  - when: Send it
    steps:
      - call: {name: attachment.add, input: {paths: [out/plan.csv]}}
      - say: "Here:\n\n`+"```sh\\nbelay serve\\n```"+`"
`)
	})
	b.until("document.querySelectorAll('#persona option').length === 8")
	b.tabTo("#persona")
	b.do(press("ArrowDown"))
	b.until("document.querySelector('#persona').value === 'AGGREGATION'")
	b.do(press("ArrowUp"))
	b.until("document.querySelector('#persona').value === 'WORKING_ITEMS'")
	b.tabTo("#message")
	b.do(chromedp.KeyEvent("Run it."), press("Enter"))
	b.until("document.querySelector('.tool[data-tool=bash].running')")
	b.tabTo(".tool[data-tool=bash] > summary")
	b.do(press("Enter"))
	b.until("document.querySelector('.live-output pre')?.innerText.includes('first line')")
	b.do(press("Ctrl+."))
	b.until("document.querySelector('.foot')?.innerText.includes('interrupted')")
	b.tabTo("#message")
	b.do(chromedp.KeyEvent("Send it."), press("Enter"))
	b.until("document.querySelectorAll('.foot')[1]?.innerText.includes('done')")
	b.tabTo(".sent-file .preset")
	b.do(press("Enter"))
	b.until("document.querySelector('dialog td')?.innerText === 'D0'")
	b.do(press("Escape"))
	b.until("!document.querySelector('dialog')")
	value[bool](b, "window.sent = '', fetch(document.querySelector('.sent-file a[download]').href).then(r => r.text()).then(x => { window.sent = x; }), true")
	b.until("window.sent.includes('D0,3.45')")
	value[bool](b, "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } }) !== undefined")
	b.tabTo(".md .copy")
	b.do(press("Enter"))
	b.until("window.copied?.trim() === 'belay serve' && document.querySelector('.md .copy').innerText.includes('Copied')")
}

// A browser whose clock is a year off shows times without nonsense, and works.
func TestWrongClock(t *testing.T) {
	for name, off := range map[string]string{"ahead": "31536e6", "behind": "-31536e6"} {
		t.Run(name, func(t *testing.T) {
			b := asking(t)
			b.do(onNewDocument(`{ const Right = Date; globalThis.Date = class extends Right {
				constructor(...a) { if (a.length) super(...a); else super(Right.now() + ` + off + `); }
				static now() { return Right.now() + ` + off + `; } }; }`))
			b.visit("s/s1")
			b.do(chromedp.WaitEnabled(message), fill(message, "what time is it"), press("Enter"))
			b.until("document.querySelector('.foot')?.innerText.includes('done')")
			for _, place := range []string{"s/s1", "inbox", "q/dec_1", "settings?show=devices"} {
				b.visit(place)
				b.until("document.querySelector('.top nav') && document.querySelector('.row, .device')")
				if got := b.text("body"); strings.Contains(got, "NaN") || strings.Contains(got, "Invalid") || strings.Contains(got, "-1 ") {
					t.Errorf("%s reads %q", place, got)
				}
			}
			b.visit("q/dec_1")
			b.answer("a")
			b.until("location.pathname === '/q/dec_2'")
		})
	}
}
