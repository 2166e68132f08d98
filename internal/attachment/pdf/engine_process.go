package pdf

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// arm makes the engine stop after its idle time.
func (e *Engine) arm() {
	if e.pool == nil {
		return
	}
	use := e.use
	e.timers.Add(1)
	e.idle = time.AfterFunc(e.opts.Idle, func() { e.expire(use) })
}

// disarm takes back arm; a timer that has fired already is made late.
func (e *Engine) disarm() {
	e.use++
	if e.idle != nil && e.idle.Stop() {
		e.timers.Done()
	}
	e.idle = nil
}

// expire stops the engine unless it was used since. It runs in the timer's
// goroutine.
func (e *Engine) expire(use int) {
	defer e.timers.Done()
	e.turn <- struct{}{}
	defer e.unlock()
	if e.use != use {
		return
	}
	e.idle = nil
	e.stop()
	debug.FreeOSMemory() // a hundred megabytes that are not needed soon
}

func (e *Engine) start() error {
	if e.pool != nil {
		return nil
	}
	cfg := wazero.NewRuntimeConfig()
	if e.opts.Interpreted {
		cfg = wazero.NewRuntimeConfigInterpreter()
	}
	cfg = cfg.WithCloseOnContextDone(true).WithMemoryLimitPages(memoryBytes / wasmPage)
	if e.opts.CacheDir != "" && !e.opts.Interpreted {
		cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(e.opts.CacheDir, "pdfium"))
		if err != nil {
			return fmt.Errorf("pdf: engine cache: %w", err)
		}
		e.cache = cache
		cfg = cfg.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1,
		FSConfig:      wazero.NewFSConfig(), // the default would mount the root
		RuntimeConfig: cfg,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		e.stop()
		return fmt.Errorf("pdf: engine start: %w", err)
	}
	e.pool = pool
	if e.arena, err = newArena(memoryBytes); err != nil {
		e.stop()
	}
	return err
}

// stop frees what start made. Closing cannot fail in a way that anyone could act
// on.
func (e *Engine) stop() {
	if e.pool != nil {
		_ = e.pool.Close()
		e.pool = nil
		e.arena.free()
		e.arena = nil
	}
	if e.cache != nil {
		_ = e.cache.Close(context.Background())
		e.cache = nil
	}
}
