package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience bounds every wait for a page.
const patience = time.Minute

// browser is one process of Chromium for the whole run.
type browser struct {
	ctx     context.Context
	version string
	stop    func()
}

// startBrowser starts Chromium with a profile in dir.
func startBrowser(dir string) (*browser, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errors.New("neither Chromium nor Chrome is in PATH; install one of them")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &browser{ctx: ctx, stop: func() { cancel(); end() }}
	if err := chromedp.Do(ctx); err != nil { // the first run owns the browser and must have no deadline
		b.stop()
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	agent, err := chromedp.Run(ctx, chromedp.Evaluate[string]("navigator.userAgent"))
	if err != nil {
		b.stop()
		return nil, err
	}
	_, version, _ := strings.Cut(agent, "Chrome/")
	b.version, _, _ = strings.Cut(version, ".")
	return b, nil
}

// tab is a page with cookies and a cache of its own.
type tab struct {
	ctx   context.Context
	close func()
}

// open opens a tab that is as large as a laptop's.
func (b *browser) open() (*tab, error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)); err != nil { // the first run owns the tab and must have no deadline
		cancel()
		return nil, err
	}
	return &tab{ctx, cancel}, nil
}

func (t *tab) do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// value is what a JavaScript expression gives, a promise's value where it is one.
func value[T any](t *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("evaluate %.60s: %w", expression, err)
	}
	return v, nil
}

// until waits for a condition.
func (t *tab) until(condition string) error {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ok, err := value[bool](t, "Boolean("+condition+")")
		if err != nil || ok {
			return err
		}
		if time.Now().After(end) {
			text, _ := value[string](t, "document.body.innerText.slice(0, 500)") // only to say more
			return fmt.Errorf("waited in vain for %s; the page says: %s", condition, text)
		}
	}
}

// before has a script run in each document before the page's own.
func (t *tab) before(script string) error {
	return t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// clearCache has the browser forget what it has loaded.
func (t *tab) clearCache() error {
	return t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.ClearBrowserCache, cdp.Empty{})
		return err
	}))
}
