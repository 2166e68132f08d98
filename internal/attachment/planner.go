package attachment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"belay/internal/attachment/pdf"
	"belay/internal/durable"
	"belay/internal/fault"
)

// PlannerOptions configure a [Planner]. The zero value works.
type PlannerOptions struct {
	// CacheDir holds renditions and the compiled PDF engine. It must be private
	// to the user. Empty means a temporary folder that Close removes.
	CacheDir string
	// CacheBytes is what the renditions may take; 0 means 512 MiB. What was used
	// in the last ten minutes is never evicted, so a burst may exceed it.
	CacheBytes int64
	// MaxPixels is the largest image that is decoded; 0 means 100 million.
	// Larger ones reach the model as a note if they must be changed to fit.
	MaxPixels int64
	// WorkTime bounds the making of one rendition; 0 means 30 s. A PDF may wait ten
	// times as long for others: the engine reads one file at a time.
	WorkTime time.Duration
	// PDFIdle is how long the PDF engine is kept when unused; 0 means 60 s.
	PDFIdle time.Duration
	// PDFInterpreted runs the PDF engine without executable memory.
	PDFInterpreted bool
	// PDFTextChars caps the text of one PDF, TextBytes one text document; 0 is no
	// limit beside the model's.
	PDFTextChars int
	TextBytes    int64
	// Clock is the time for the cache's eviction; nil means time.Now.
	Clock func() time.Time
	// Logger gets a warning where the cache cannot be written to; nil drops it.
	Logger *slog.Logger
}

const (
	// pixelBudget bounds the pixels being decoded at once, roughly 8 bytes of memory
	// each. An image above it is decoded alone.
	pixelBudget = 50_000_000
	// maxPDFText caps the text taken from one PDF, in bytes, whatever the model's own limit.
	maxPDFText = 8 << 20
)

func (o PlannerOptions) withDefaults() PlannerOptions {
	o.CacheBytes = cmp.Or(o.CacheBytes, 512<<20)
	o.MaxPixels = cmp.Or(o.MaxPixels, 100_000_000)
	o.WorkTime = cmp.Or(o.WorkTime, 30*time.Second)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Planner decides how items reach models and makes the renditions that this
// takes. It is safe for concurrent use: equal plans asked for at the same time
// do the work once. Close it when done.
type Planner struct {
	opts  PlannerOptions
	cache *cache
	// unstored is set while the cache cannot be written to: that is said once.
	unstored atomic.Bool
	pixels   *semaphore.Weighted
	// counts and wholePDFs bound the PDFs whose pages are counted at one time, and those that
	// the engine has in memory. The others wait on disk.
	counts, wholePDFs *semaphore.Weighted
	engine            *pdf.Engine
	flight            singleflight.Group
	slow              slowList

	// Work outlives the caller that asked for it, because others may wait for
	// the same; ctx ends it when the planner is closed.
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex // guards closed against work.Add
	closed bool
	work   sync.WaitGroup
	temp   *durable.Temp // the folder of the cache, if it is a temporary one
}

// NewPlanner opens the rendition cache, evicting what is over its limit. A cache that cannot be
// opened is no error.
func NewPlanner(o PlannerOptions) (*Planner, error) {
	o = o.withDefaults()
	p := &Planner{
		opts: o, pixels: semaphore.NewWeighted(pixelBudget),
		counts:    semaphore.NewWeighted(2 * int64(runtime.GOMAXPROCS(0))), // while one waits for the disk, another works
		wholePDFs: semaphore.NewWeighted(1),
	}
	dir := o.CacheDir
	if dir == "" {
		temp, err := durable.TempDir(os.TempDir(), "belay-renditions-")
		if err != nil {
			return nil, fmt.Errorf("rendition cache: %w", err)
		}
		dir, p.temp = temp.Path, temp
	}
	p.cache = newCache(dir, o.CacheBytes, o.Clock)
	if err := p.cache.open(); err != nil {
		p.uncached(err)
	}
	p.engine = pdf.NewEngine(pdf.EngineOptions{
		CacheDir: dir, Idle: o.PDFIdle, Time: o.WorkTime, Interpreted: o.PDFInterpreted,
	})
	p.slow.now = o.Clock
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Close ends all work, waits for it and stops the PDF engine.
func (p *Planner) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	p.work.Wait()
	err := p.engine.Close()
	if p.temp != nil {
		err = errors.Join(err, p.temp.Close())
	}
	return err
}

// errPlannerClosed is what a closed planner answers.
var errPlannerClosed = fault.New(fault.Overloaded, "the server is shutting down")

// unfit is a reason that lies in the content and will be the same next time: it
// is cached, and becomes a note.
type unfit string

func (u unfit) Error() string { return string(u) }

// errNotNow is a failure of neither the content nor the store; the next plan may
// succeed.
var errNotNow = errors.New("not available now")

// builder makes one rendition.
type builder func(context.Context) (made, error)

// rendition returns the rendition under key, making it with build, within the limit, if it is not
// cached. The result is the same for every caller; failures that lie in the
// content are renditions with a Note.
func (p *Planner) rendition(ctx context.Context, key string, limit time.Duration, build builder) (rendition, error) {
	if r, ok := p.cache.get(key); ok {
		return r, nil
	}
	if p.slow.has(key) {
		return p.tooSlow(), nil
	}
	results := p.flight.DoChan(key, func() (any, error) {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return rendition{}, errPlannerClosed
		}
		p.work.Add(1)
		p.mu.Unlock()
		defer p.work.Done()
		if r, ok := p.cache.get(key); ok { // made while we came here
			return r, nil
		}
		ctx, cancel := context.WithTimeout(p.ctx, limit)
		defer cancel()
		return p.build(ctx, key, build)
	})
	select {
	case res := <-results:
		return res.Val.(rendition), res.Err
	case <-ctx.Done():
		return rendition{}, ctx.Err()
	}
}

// build runs one builder and sorts its failures: those of the content are kept,
// those of the moment are a note this time only, those of the store are errors. A cache that
// cannot be written to is none: the rendition is then made again the next time.
func (p *Planner) build(ctx context.Context, key string, build builder) (rendition, error) {
	m, err := guard(ctx, build)
	var content unfit
	switch {
	case err == nil:
	case p.ctx.Err() != nil:
		return rendition{}, errPlannerClosed
	case errors.Is(err, errTooSlow):
		p.slow.add(key)
		return p.tooSlow(), nil
	case ctx.Err() != nil:
		return p.tooSlow(), nil
	case errors.Is(err, errNotNow):
		return rendition{Note: "what would prepare it is not available"}, nil
	case errors.Is(err, fs.ErrNotExist):
		return rendition{Note: "its stored bytes are missing"}, nil
	case errors.As(err, &content):
		m = made{rendition: rendition{Note: string(content)}}
	default:
		return rendition{}, storageFault(err)
	}
	r, err := p.cache.put(key, m)
	if err != nil {
		p.uncached(err)
	} else {
		p.unstored.Store(false)
	}
	return r, nil
}

// uncached warns of a cache that cannot be used, once until it can.
func (p *Planner) uncached(err error) {
	if p.unstored.CompareAndSwap(false, true) {
		p.opts.Logger.Warn("the cache of prepared attachments cannot be used as it should; turns may prepare them again", "folder", p.cache.dir, "error", err)
	}
}

// guard turns a builder's panic into a fault of the content: decoders read hostile
// bytes and some of them panic.
func guard(ctx context.Context, build builder) (m made, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = unfit("it is damaged")
		}
	}()
	return build(ctx)
}
