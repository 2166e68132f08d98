// Package browser tests the page in a real browser, against the real HTTP surface
// and an engine in memory.
//
// The tests need Chromium or Chrome in PATH. Without one they are skipped, and
// say so; where CI is set that is a failure. With BELAY_SHOTS set to a folder
// they leave screenshots there.
package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/page"
	"belay/internal/turn"
)

// patience bounds every wait for the page.
const patience = 5 * time.Minute

// tab is a browser's tab with the page of a server of its own.
type tab struct {
	t      *testing.T
	ctx    context.Context
	engine *apitest.Engine
	op     *api.Operator
	srv    *httptest.Server
	// program is the server of a tab from real.
	program *program
	failing atomic.Bool
}

// open starts a server, a browser and a session s1 in /project.
func open(t *testing.T, engine *apitest.Engine, o api.Options) *tab {
	t.Helper()
	t.Parallel()
	o.Engine, o.Page = engine, page.New()
	h := api.New(o)
	srv := httptest.NewServer(h)
	t.Cleanup(func() { h.EndStreams(); srv.Close() })
	if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(shared(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, engine: engine, op: o.Operator, srv: srv}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	b.listen()
	return b
}

// listen fails the test when the page's script fails or its policy is broken.
// What the network does is the tests' own business.
func (b *tab) listen() {
	ctx, cancel := context.WithCancel(b.ctx)
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return
			}
			if said := fmt.Sprint(m); strings.Contains(said, "Content Security Policy") || strings.Contains(said, "Uncaught") {
				b.t.Errorf("the browser says: %s", said)
			}
		}
	}()
	b.t.Cleanup(func() { cancel(); <-done })
}

// browser is one process for all tests; each has a tab and cookies of its own.
var browser struct {
	sync.Mutex
	ctx  context.Context
	stop func()
}

// shared returns the running browser's context, starting it for the first test.
func shared(t *testing.T) context.Context {
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx != nil {
		return browser.ctx
	}
	path := findBrowser(t)
	profile, err := os.MkdirTemp("", "belay-browser-")
	if err != nil {
		t.Fatal(err)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.stop = func() { cancel(); stop(); _ = os.RemoveAll(profile) }
	// The first run owns the browser and must have no deadline.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	browser.ctx = ctx
	return ctx
}

func TestMain(m *testing.M) {
	code := m.Run()
	if used.Load() {
		if path, _ := built(); path != "" {
			_ = os.RemoveAll(filepath.Dir(path))
		}
	}
	if browser.stop != nil {
		browser.stop()
	}
	os.Exit(code)
}

func findBrowser(t *testing.T) string {
	// The shell has no windows to draw: the tests take half of the time.
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("CI must test the page, and neither Chromium nor Chrome is in PATH")
	}
	t.Skip("skipped: the page is tested in a browser, and neither Chromium nor Chrome is in PATH")
	return ""
}

// do runs steps within the patience.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.shot("failed")
		b.t.Fatalf("%v\nthe page says: %s", err, b.text("body"))
	}
}

// notYet is in the errors of a condition that cannot be evaluated now: the tab is about to show
// another page, or what is looked at is not there.
var notYet = []string{"navigated or closed", "context was destroyed", "TypeError"}

// until waits for a JavaScript condition.
func (b *tab) until(condition string) {
	b.t.Helper()
	deadline := time.After(patience)
	for tick := time.Tick(20 * time.Millisecond); ; {
		holds, err := evaluate[bool](b, "Boolean("+condition+")")
		if err != nil && !slices.ContainsFunc(notYet, func(s string) bool { return strings.Contains(err.Error(), s) }) {
			b.t.Fatalf("evaluate %s: %v", condition, err)
		}
		if holds {
			return
		}
		select {
		case <-tick:
		case <-deadline:
			b.shot("failed")
			b.t.Fatalf("waited in vain for %s (%v)\nthe page says: %s", condition, err, b.text("body"))
		}
	}
}

// value evaluates an expression.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := evaluate[T](b, expression)
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

func evaluate[T any](b *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

func (b *tab) text(selector string) string {
	return value[string](b, "document.querySelector('"+selector+"').innerText")
}

// visit opens the page at a place.
func (b *tab) visit(place string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.srv.URL+"/"+place))
}

// shot leaves a screenshot where a person asked for them.
func (b *tab) shot(name string) {
	dir := os.Getenv("BELAY_SHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(b.t.Name(), "/", "-")+"-"+name+".png"), data, 0o644)
	}
	if err != nil {
		b.t.Logf("screenshot: %v", err)
	}
}
