package turn

import (
	"context"
	"iter"
	"slices"
	"sync"
	"testing"

	"belay/internal/model"
)

// play is how a fake provider answers.
type play = func(ctx context.Context, r model.Request, yield func(model.Chunk, error) bool)

// fake is a provider that plays what a test says and keeps what it was asked.
type fake struct {
	play   play
	ready  error
	limits func(string) model.Limits

	mu       sync.Mutex
	requests []model.Request
}

func (f *fake) Name() string { return "fake" }
func (f *fake) Ready() error { return f.ready }

func (f *fake) Limits(name string) model.Limits {
	if f.limits != nil {
		return f.limits(name)
	}
	return catalog.Limits(name)
}

var catalog = model.Anthropic()

func (f *fake) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	play := f.play
	f.mu.Unlock()
	return func(yield func(model.Chunk, error) bool) { play(ctx, r, yield) }
}

// does changes the answer from the next call on.
func (f *fake) does(p play) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.play = p
}

func (f *fake) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests)
}

func (f *fake) last(t testing.TB) model.Request {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) == 0 {
		t.Fatal("the provider was not called")
	}
	return f.requests[len(f.requests)-1]
}

// asked are all requests.
func (f *fake) asked() []model.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// says is a provider's whole answer.
func says(text string) play {
	return func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		_ = yield(model.TextDelta{Text: text}, nil) &&
			yield(model.Block{Content: model.Text{Text: text}}, nil) &&
			yield(model.Usage{InputTokens: 10, OutputTokens: 5}, nil) &&
			yield(model.Stop{Reason: model.StopEndTurn}, nil)
	}
}

// blocks answers nothing until the turn is stopped; started is closed when the
// model was called.
func blocks(started chan struct{}) play {
	var once sync.Once
	return func(ctx context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		if !yield(model.TextDelta{Text: "begun"}, nil) {
			return
		}
		once.Do(func() { close(started) })
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}
