//go:build crashtest

package statusfile

import (
	"errors"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/lifecycle"
)

// A transition whose last flush fails is not said to be undone. The hook is one for
// the process: the test does not run in parallel.
func TestUnflushedIsToldAsMade(t *testing.T) {
	defer durable.SetHook(nil)
	d := deliverable(t, openFile)
	w := writer(t)
	durable.RefuseFolders(d.Path)
	_, _, err := w.Change(t.Context(), d, Change{Request: lifecycle.Request{To: "INITIALIZED", Actor: "4_DOCUMENTS"}})
	if !fault.Is(err, fault.StorageFailure) || !errors.Is(err, durable.ErrUnflushed) || !strings.Contains(err.Error(), "the transition is made") {
		t.Errorf("the transition ended with %v", err)
	}
	if !strings.Contains(content(t, d), "INITIALIZED") {
		t.Errorf("the file is\n%s", content(t, d))
	}
}
