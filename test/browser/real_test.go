package browser

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// deck is a file that the example's agent changes.
const deck = "PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels/deck.csv"

// real is a tab whose server is the program itself, with the example's agent and a
// copy of its project.
func real(t *testing.T) (b *tab, project string) {
	t.Helper()
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program is told to stop with a signal")
	}
	browserContext := shared(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "belay")
	if out, err := exec.Command("go", "build", "-o", program, "belay/cmd/belay").CombinedOutput(); err != nil {
		t.Fatalf("build belay: %v\n%s", err, out)
	}
	project = filepath.Join(dir, "bridge")
	if err := os.CopyFS(project, os.DirFS("../../examples/project")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(project, ".belay")); err != nil { // of who tried it there
		t.Fatal(err)
	}
	settings, err := filepath.Abs("../../examples/agent/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--config", settings, "--project", project)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "NO_COLOR=1", "BELAY_SCRIPTED_PACE=1ms",
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config")}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	link, said := "", ""
	lines := bufio.NewScanner(out)
	for link == "" && lines.Scan() {
		said += lines.Text() + "\n"
		link = regexp.MustCompile(`http://\S+/#code=\w+`).FindString(lines.Text())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() {
			_ = lines.Text()
		}
	}()
	ctx, cancel := chromedp.NewContext(browserContext, chromedp.WithNewBrowserContext())
	t.Cleanup(func() {
		cancel()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-drained
		_ = cmd.Wait()
	})
	if link == "" {
		t.Fatalf("belay serve printed no link:\n%s", said)
	}
	b = &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	b.quiet()
	b.do(chromedp.Navigate(link))
	return b, project
}

// quiet fails the test at anything that the browser complains about.
func (b *tab) quiet() {
	ctx, cancel := context.WithCancel(b.ctx)
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" || m.Type == "warn" {
				b.t.Errorf("the browser says: %s", m)
			}
		}
	}()
	b.t.Cleanup(func() { cancel(); <-done })
}

func levels(t *testing.T, project string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(project, deck))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A person does a whole job on the page: the agent asks, is answered in the
// conversation and in the inbox, changes files, and the change is taken back.
func TestWholeJob(t *testing.T) {
	b, project := real(t)
	before := levels(t, project)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.do(chromedp.WaitEnabled(message), chromedp.SendKeys(message, "Please bring the deck's levels in line with the brief."), press("Enter"))
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.question h3')?.innerText === 'ENGINEER wants to change deck.csv'")
	b.until("document.title === '(1) belay'")
	b.shot("asks")
	if got := levels(t, project); got != before {
		t.Fatalf("the file changed before anybody allowed it:\n%s", got)
	}
	if got := value[string](b, "[...document.querySelectorAll('.question .del mark, .question .add mark')].map(m => m.innerText).join(' ')"); got != "0 2 58 2 0 5 7 63 7 5" {
		t.Errorf("what differs in the lines is %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS(".question .primary")))
	b.until("document.querySelector('.question h3')?.innerText === 'ENGINEER wants to change Datasheet.md'")
	if got := levels(t, project); !strings.Contains(got, "D0,0.0,3.45") {
		t.Fatalf("the file did not change after the answer:\n%s", got)
	}
	session := value[string](b, "location.pathname")
	b.do(chromedp.Click(chromedp.CSS("a[href='/inbox']")))
	b.until("document.querySelector('.question h2')?.innerText === 'ENGINEER wants to change Datasheet.md'")
	b.do(press("a"))
	b.until("document.querySelector('.empty-main')?.innerText.includes('All clear')")
	b.do(chromedp.NavigateBack())
	if got := value[string](b, "location.pathname"); got != session {
		b.visitPath(session)
	}
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.until("[...document.querySelectorAll('.answer')].at(-1)?.innerText.includes('the check passes')")
	if got := value[string](b, "[...document.querySelectorAll('.tools > .tool > summary .tool-name')].map(n => n.innerText).join(' ')"); got != "read read read edit edit agent.CHECKER bash" {
		t.Errorf("the calls are %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS(".turn-actions .changes")), chromedp.WaitVisible(chromedp.CSS("#undo")), chromedp.Click(chromedp.CSS("#undo")))
	b.until("document.querySelector('.undone')?.innerText.includes('deck.csv')")
	if got := levels(t, project); got != before {
		t.Errorf("after the undo the file reads:\n%s", got)
	}
	b.do(chromedp.Click(chromedp.CSS("[aria-label='Rename the session']")))
	b.until("document.activeElement.name === 'title'")
	b.do(chromedp.KeyEvent("Deck levels raised to the brief"), press("Enter"))
	b.until("document.querySelector('.session-head h2')?.innerText === 'Deck levels raised to the brief'")
	// The list knows the session by its first words, and finds it.
	b.do(press("Escape", "/"))
	b.until("document.activeElement.id === 'search'")
	b.do(chromedp.KeyEvent("levels brief"))
	b.until("document.querySelector('#sessions .row-title')?.innerText === 'Deck levels raised to the brief'")
	b.do(chromedp.KeyEvent("zzz"))
	b.until("document.querySelectorAll('#sessions .row').length === 0")
}

func (b *tab) visitPath(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(value[string](b, "location.origin") + path))
}
