package browser

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	_ "belay/internal/cli" // results of tests are kept: another program is to be tested anew
	testprogram "belay/test/program"
)

// deck is a file that the example's agent changes.
const deck = "PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels/deck.csv"

// program is the program itself as a server. It keeps its address when it starts again.
type program struct {
	path, home, project, settings, addr string
	cmd                                 *exec.Cmd
	drained                             chan struct{}
}

// built is the program, made once for all tests. TestMain removes its folder.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "belay-program-")
	if err != nil {
		return "", err
	}
	path, err := testprogram.Build(context.Background(), dir)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return path, nil
})

// used says that a test needs the program, so that built has made it.
var used atomic.Bool

// start starts the server and returns the link that it prints.
func (p *program) start(t *testing.T) string {
	t.Helper()
	p.cmd = exec.Command(p.path, "serve", "--addr", p.addr, "--config", p.settings, "--project", p.project)
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "NO_COLOR=1", "BELAY_SCRIPTED_PACE=1ms",
		"XDG_STATE_HOME=" + filepath.Join(p.home, "state"), "XDG_CACHE_HOME=" + filepath.Join(p.home, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(p.home, "config")}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	link, said := "", ""
	lines := bufio.NewScanner(out)
	for link == "" && lines.Scan() {
		said += lines.Text() + "\n"
		link = regexp.MustCompile(`http://\S+/#code=\w+`).FindString(lines.Text())
	}
	ended := lines.Err()
	p.drained = make(chan struct{})
	go func(drained chan struct{}) {
		defer close(drained)
		for lines.Scan() {
			_ = lines.Text()
		}
	}(p.drained)
	if link == "" {
		t.Fatalf("belay serve printed no link: %v\n%s", ended, said)
	}
	origin, _, _ := strings.Cut(link, "/#")
	p.addr = strings.TrimPrefix(origin, "http://")
	return link
}

// stop asks the server to stop, and waits for it.
func (p *program) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.drained
	_ = p.cmd.Wait()
}

// real is a tab whose server is the program itself, with the example's agent and a
// copy of its project.
func real(t *testing.T) (b *tab, project string) {
	t.Helper()
	return realOn(t, "../../examples/project", "bridge")
}

// realOn is real with a copy of another project, which gets that name.
func realOn(t *testing.T, source, name string) (b *tab, project string) {
	t.Helper()
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that stops the program")
	}
	browserContext := shared(t)
	dir := t.TempDir()
	used.Store(true)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{path: path, home: dir, project: filepath.Join(dir, name), addr: "127.0.0.1:0"}
	if err := os.CopyFS(p.project, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(p.project, ".belay")); err != nil { // of who tried it there
		t.Fatal(err)
	}
	if p.settings, err = filepath.Abs("../../examples/agent/config.yaml"); err != nil {
		t.Fatal(err)
	}
	link := p.start(t)
	ctx, cancel := chromedp.NewContext(browserContext, chromedp.WithNewBrowserContext())
	t.Cleanup(func() {
		cancel()
		p.stop()
	})
	b = &tab{t: t, ctx: ctx, program: p}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	b.quiet()
	b.do(chromedp.Navigate(link))
	b.until("document.querySelector('#page')?.firstElementChild") // the link's code is traded for the cookie before
	return b, p.project
}

// mayFail lets requests fail from now on. The browser complains about each that does.
func (b *tab) mayFail() { b.failing.Store(true) }

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
			if b.failing.Load() && strings.Contains(m.String(), "Failed to load resource") {
				continue
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
	b.do(chromedp.WaitEnabled(message), fill(message, "Please bring the deck's levels in line with the brief."), press("Enter"))
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.question h3')?.innerText === 'ENGINEER wants to change deck.csv'")
	b.until("document.title === '(1) belay'")
	b.shot("asks")
	b.do(chromedp.EmulateViewport(390, 844))
	b.shot("asks-phone")
	b.do(chromedp.EmulateViewport(1200, 800))
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
	b.until("document.querySelector('.said-before')?.innerText.includes('I raise the deck by 0.05 m')")
	for _, scheme := range []string{"light", "dark"} {
		b.do(colours(scheme))
		b.shot("inbox-" + scheme)
	}
	b.answer("a")
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
	b.shot("done")
	b.do(chromedp.Click(chromedp.CSS(".turn-actions .changes")), chromedp.WaitVisible(chromedp.CSS("#undo")))
	b.shot("changes")
	b.do(chromedp.Click(chromedp.CSS("#undo")))
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
