package discord

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// A panic about a message is on the log, and the next message is dealt with.
func TestGuarded(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	done := false
	for _, f := range []func(){func() { panic("burst") }, func() { done = true }} {
		if ended := guarded(slog.New(slog.NewTextHandler(&log, nil)), f); ended != done {
			t.Errorf("it came to its end: %t", ended)
		}
	}
	if !done || strings.Count(log.String(), "panic: burst") != 1 {
		t.Errorf("the log is %q", log.String())
	}
}
