package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/tetratelabs/wazero"
)

// EngineOptions configure an [Engine]. The zero value works.
type EngineOptions struct {
	// CacheDir keeps the compiled engine, which makes every start after the
	// first about forty times faster (35 ms instead of 1.3 s). Empty: compile
	// at every start. It must be private to the user: code is loaded from it.
	CacheDir string
	// Idle is how long an unused engine is kept; 0 means 60 s.
	Idle time.Duration
	// Time is what one file gets, the wait for other files not counted; 0 means
	// 30 s.
	Time time.Duration
	// Interpreted runs the engine without compiling it: for systems that forbid
	// executable memory. It reads many times slower.
	Interpreted bool
}

// Engine reads PDFs with PDFium in WebAssembly. It is created cheaply, starts
// with its first use, reads one file at a time (others wait in line), and stops
// when it was idle, which gives its memory back. It is safe for concurrent use;
// Close it when done.
type Engine struct {
	opts EngineOptions
	turn chan struct{} // held by the user of the fields below

	pool   pdfium.Pool
	cache  wazero.CompilationCache
	arena  *arena
	closed bool

	idle   *time.Timer
	use    int // counts uses, so that a late timer knows it is late
	timers sync.WaitGroup
}

// ErrClosed says that the engine was closed.
var ErrClosed = errors.New("pdf: engine closed")

// NewEngine returns an engine that has not started yet.
func NewEngine(o EngineOptions) *Engine {
	o.Idle = cmp.Or(o.Idle, 60*time.Second)
	o.Time = cmp.Or(o.Time, 30*time.Second)
	return &Engine{opts: o, turn: make(chan struct{}, 1)}
}

// Text returns the wanted text of the PDF in data and how many pages it has. It
// fails with ErrEncrypted,
// ErrDamaged or an [ExcessError], which are about the file and final, or with
// another error, which is about this attempt: ErrTooSlow, ctx ended, or the engine
// could not start.
//
// When its time or ctx ends, the engine is stopped wherever it is; only its first
// start cannot be interrupted. Files that are plainly made to keep it busy are
// refused before it is started.
func (e *Engine) Text(ctx context.Context, data []byte, want Extent) (Extract, error) {
	if err := precheck(data); err != nil {
		return Extract{}, err
	}
	if err := e.lock(ctx); err != nil {
		return Extract{}, err
	}
	defer e.unlock()
	if e.closed {
		return Extract{}, ErrClosed
	}
	e.disarm()
	defer e.arm()
	if err := e.start(); err != nil {
		return Extract{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, e.opts.Time, ErrTooSlow)
	defer cancel()
	out, err := e.extract(limited, data, want)
	if limited.Err() != nil {
		e.stop() // a stopped module is of no further use
		return Extract{}, context.Cause(limited)
	}
	if _, ok := errors.AsType[*ExcessError](err); ok {
		e.stop() // gives back at once what the file made it take
	}
	return out, err
}

// Running reports whether the engine holds its memory now.
func (e *Engine) Running() bool {
	e.turn <- struct{}{}
	defer e.unlock()
	return e.pool != nil
}

// Close stops the engine and waits until it has.
func (e *Engine) Close() error {
	e.turn <- struct{}{}
	e.closed = true
	e.disarm()
	e.stop()
	e.unlock()
	e.timers.Wait()
	return nil
}

func (e *Engine) lock(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *Engine) unlock() { <-e.turn }

// extract reads one file in a fresh instance of the module.
func (e *Engine) extract(ctx context.Context, data []byte, want Extent) (out Extract, err error) {
	defer func() { // the library panics on some results that it did not expect
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
			e.stop()
		}
	}()
	instance, err := e.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return Extract{}, fmt.Errorf("pdf: engine instance: %w", err)
	}
	defer instance.Close()
	if err := e.confine(ctx, instance); err != nil {
		return Extract{}, err
	}
	doc, err := instance.OpenDocument(&requests.OpenDocument{File: &data})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return Extract{}, ErrEncrypted
	case trapped(err):
		return Extract{}, exhausted()
	case err != nil:
		return Extract{}, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil || count.PageCount <= 0 {
		return Extract{}, fmt.Errorf("%w: no pages", ErrDamaged)
	}
	out.Pages = count.PageCount
	w := &writer{limit: want.Bytes}
	for i := 0; i < out.Pages && !w.cut && want.Bytes > 0 && !want.beyond(i+1); i++ {
		page, err := instance.GetPageText(&requests.GetPageText{
			Page: requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document, Index: i}},
		})
		if ctx.Err() != nil {
			return Extract{}, ctx.Err()
		}
		if trapped(err) { // what was read before is all that there will be
			if w.b.Len() == 0 {
				return Extract{}, exhausted()
			}
			w.cut = true
			break
		}
		if i > 0 {
			w.add(pageBreak)
		}
		if err == nil { // one broken page does not take the others with it
			w.add(page.Text)
		}
	}
	out.Text, out.Cut = tidy(w.b.String()), w.cut
	return out, nil
}
