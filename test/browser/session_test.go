package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"belay/internal/api"
	"belay/internal/api/apitest"
)

// signedIn is a tab of the operator that looks at session s1.
func signedIn(t *testing.T, engine *apitest.Engine) *tab {
	t.Helper()
	b := open(t, engine, api.Options{Operator: api.NewOperator(api.OperatorOptions{Token: "captain's token"})})
	link, _ := b.op.Link("")
	b.visit(strings.TrimPrefix(link, "/"))
	b.until("document.querySelector('.top nav')")
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message))
	return b
}

// say sends a message and waits for the end of its turn.
func (b *tab) say(text string) {
	b.t.Helper()
	turns := value[int](b, "document.querySelectorAll('.foot .state.good').length")
	b.do(fill(message, text), press("Enter"))
	b.until("document.querySelectorAll('.foot .state.good').length > " + string(rune('0'+turns)))
}

// A session is renamed, continued in another one, exported and deleted, by keys alone.
func TestSessionMenu(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.say("the first words")
	choose := func(item string) {
		b.t.Helper()
		b.tabTo("#session-menu")
		b.do(press("Enter"))
		b.until("document.activeElement.getAttribute('role') === 'menuitem'")
		for range 5 {
			if strings.HasPrefix(value[string](b, "document.activeElement.innerText"), item) {
				b.do(press("Enter"))
				return
			}
			b.do(press("ArrowDown"))
		}
		t.Fatalf("the menu has no %q", item)
	}
	b.do(press("Escape"))
	choose("Rename")
	b.until("document.activeElement.name === 'title'")
	b.do(chromedp.KeyEvent("Another name"), press("Enter"))
	b.until("document.querySelector('.session-head h2')?.innerText === 'Another name'")

	b.tabTo("#session-menu")
	b.do(press("Enter"))
	b.until("document.querySelector('[role=menu]')")
	export := value[string](b, "document.querySelector('[role=menu] a[download]').getAttribute('href')")
	if got := value[string](b, "(async () => { window.exported = await (await fetch("+quoted(export)+")).text(); })() && ''"); got != "" {
		t.Error(got)
	}
	b.until("window.exported === 'archive of s1'")
	b.do(press("Escape"))
	b.until("document.activeElement.id === 'session-menu'")

	choose("Continue in a new session")
	b.until("location.pathname === '/s/s2' && document.querySelector('#session-menu')")
	choose("Delete")
	b.until("document.querySelector('dialog[open]')")
	b.shot("delete")
	b.tabTo("#delete")
	b.do(press("Enter"))
	b.until("location.pathname === '/' && document.querySelectorAll('#sessions .row').length === 1")
}

func quoted(s string) string { return "'" + s + "'" }

// An exported session is brought in; what is none is refused, and the page says so.
func TestImport(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	dir := t.TempDir()
	for name, content := range map[string]string{"good.tar.gz": "archive of s9", "bad.tar.gz": "no archive"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.until("document.querySelector('.project select')?.title === '/project'")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#import"), []string{filepath.Join(dir, "bad.tar.gz")}))
	b.until("document.querySelector('.toast .notice')?.innerText.includes('it is no export')")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#import"), []string{filepath.Join(dir, "good.tar.gz")}))
	b.until("location.pathname === '/s/s2'")
}

// What waits in a running turn is seen, and taken back into the message.
func TestQueue(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.do(fill(message, "HOLD on"), press("Enter"))
	b.until("document.querySelector('#send').innerText.includes('Steer')")
	b.do(fill(message, "then tidy up"), press("Alt+Enter"))
	b.until("document.querySelector('.queue-list li')?.innerText.includes('then tidy up')")
	if got := b.text(".queue-list .chip"); got != "after the answer" {
		t.Errorf("it waits for %q", got)
	}
	b.shot("queue")
	b.do(press("Shift+Tab"))
	b.tabTo(".queue-list button")
	b.do(press("Enter"))
	b.until("document.querySelector('#message').value === 'then tidy up' && document.activeElement.id === 'message'")
	b.until("!document.querySelector('.queue-list li')")
}

// What the model saw is shown in words, not as a document of the interface.
func TestManifest(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.say("hello")
	b.tabTo(".saw")
	b.do(press("Enter"))
	b.until("document.querySelector('.manifest')")
	if got := b.text(".manifest"); !strings.Contains(got, "fake-1") || !strings.Contains(got, "WORKING_ITEMS") {
		t.Errorf("the manifest reads %q", got)
	}
	b.shot("manifest")
	b.do(press("Escape"))
	b.until("!document.querySelector('dialog') && document.activeElement.classList.contains('saw')")
}

// Limits, tools and the approval of a delegation go with the turn, by keys alone. They are kept under a
// name, and what is not valid of what a browser keeps is left out.
func TestTurnOptions(t *testing.T) {
	engine := &apitest.Engine{}
	b := signedIn(t, engine)
	b.tabTo("#more-options")
	b.do(press("Enter"))
	b.until("document.querySelector('dialog [name=maxTurns]')")
	for _, field := range []struct{ name, text string }{{"maxTurns", "7"}, {"maxCostUsd", "0.5"}, {"maxTokens", "900"}, {"minutes", "2"}} {
		b.tabTo("dialog [name=" + field.name + "]")
		b.do(chromedp.KeyEvent(field.text))
	}
	b.tabTo("dialog [name=approval]")
	b.do(chromedp.KeyEvent("TICKET-1"))
	b.tabTo("dialog [name=which-tools]")
	b.do(press("ArrowDown"))
	b.until("document.querySelectorAll('.tool-choice input').length === 2")
	b.tabTo(".tool-choice input")
	for value[bool](b, "document.activeElement.closest('label').innerText.trim() !== 'write'") {
		b.do(press("Tab"))
	}
	b.do(press("Space"))
	b.shot("options")
	b.tabTo("dialog [name=preset]")
	b.do(chromedp.KeyEvent("careful"), press("Enter"))
	b.until("document.querySelector('.presets .preset')?.innerText === 'careful'")
	b.do(press("Escape"))
	b.until("!document.querySelector('dialog') && document.querySelector('#more-options .n')?.innerText === '6'")
	b.say("go")
	opts := engine.Requests()[0].Opts
	if opts.MaxTurns == nil || *opts.MaxTurns != 7 || opts.MaxCostUSD == nil || *opts.MaxCostUSD != 0.5 || opts.MaxTokens == nil || *opts.MaxTokens != 900 ||
		opts.TimeoutMS == nil || *opts.TimeoutMS != 120_000 || opts.Tools == nil || !cmp.Equal(*opts.Tools, []string{"read"}) || !strings.Contains(string(opts.SubagentGovernance), `"approvalRef":"TICKET-1"`) {
		t.Errorf("the turn's options are %+v", opts)
	}
	// A preset of an older form is not one.
	value[bool](b, `localStorage.setItem("belay.presets", '{"v":0,"is":[{"name":"old"}]}') === undefined`)
	b.do(chromedp.Reload(), chromedp.WaitEnabled(message))
	b.do(chromedp.Click(chromedp.CSS("#more-options")))
	b.until("document.querySelector('dialog .presets') && !document.querySelector('.presets .preset')")
}
