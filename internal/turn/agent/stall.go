package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/quantity"
)

// The causes for which the context of a turn ends whose provider gives nothing.
var (
	errStalled   = errors.New("the provider stalled")
	errNoContent = errors.New("the provider sent nothing but keep-alives")
)

// keepAlivePatience is how many times the stall limit a provider may send nothing but
// keep-alives. A slow model sends them for minutes before its first word. A service
// that hangs may send them for ever.
const keepAlivePatience = 10

// providerWatch ends the turn of a provider that gives nothing: no bytes within the
// stall limit, or only keep-alives within [keepAlivePatience] times that. A provider that
// takes more of the request gives something, too: large files take minutes on a slow line.
type providerWatch struct {
	end   func(cause error)
	limit time.Duration
	// mu guards bytes, which has a second writer while the request is sent.
	mu             sync.Mutex
	due            time.Time // when bytes is
	bytes, content *time.Timer
}

func watchProvider(limit time.Duration, stop context.CancelCauseFunc) *providerWatch {
	return &providerWatch{
		end:     stop,
		limit:   limit,
		due:     time.Now().Add(limit),
		bytes:   time.AfterFunc(limit, func() { stop(errStalled) }),
		content: time.AfterFunc(keepAlivePatience*limit, func() { stop(errNoContent) }),
	}
}

// saw notes a chunk. It fails when the time is up; the timer that saw it first may not
// have ended the turn yet.
func (w *providerWatch) saw(chunk model.Chunk) error {
	var own time.Duration
	keepAlive := false
	switch c := chunk.(type) {
	case model.Retry:
		own = c.After // a silence of our own
	case model.Alive:
		keepAlive = !c.Content
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = time.Now().Add(w.limit + own)
	switch {
	case !w.bytes.Reset(w.limit + own):
		w.end(errStalled)
		return errStalled
	case !keepAlive && !w.content.Reset(keepAlivePatience*w.limit+own):
		w.end(errNoContent)
		return errNoContent
	}
	return nil
}

// sent notes that the provider took a part of the request. It may be called by any
// goroutine, also after stop.
func (w *providerWatch) sent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	due := time.Now().Add(w.limit)
	if !due.After(w.due) {
		return // a wait of our own is longer
	}
	if w.bytes.Stop() { // otherwise its time is up, or the call is over
		w.due = due
		w.bytes.Reset(w.limit)
	}
}

func (w *providerWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes.Stop()
	w.content.Stop()
}

// StallFailure is the failure of a turn whose context ended for that cause; nil where its
// provider was not silent.
func (s *Settings) StallFailure(cause error) *fault.Error {
	var f *fault.Error
	switch {
	case errors.Is(cause, errStalled):
		f = fault.New(fault.SDKFailure, "the provider sent nothing for %s (turn.stall_timeout)", quantity.Duration(s.Stall))
	case errors.Is(cause, errNoContent):
		f = fault.New(fault.SDKFailure, "the provider sent nothing of an answer for %s (%d times turn.stall_timeout)", quantity.Duration(keepAlivePatience*s.Stall), keepAlivePatience)
	default:
		return nil
	}
	return f.WithStatus(504).With("category", "REQUEST_TIMEOUT").With("provider", s.Provider.Name()).
		WithHint("send the turn again, or raise turn.stall_timeout")
}
