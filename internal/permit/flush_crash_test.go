//go:build crashtest

package permit

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
)

// When a flush fails after an answer took effect, the error says that the answer counts.
// The hook is global to the process, so the test does not run in parallel.
func TestUnflushed(t *testing.T) {
	defer durable.SetHook(nil)
	dir := t.TempDir()
	audit, err := OpenAudit(filepath.Join(dir, "log", "audit.jsonl"), nil)
	must(t, err)
	d := openRequests(t, filepath.Join(dir, "desk"), func(o *RequestsOptions) { o.Audit = audit })
	must(t, audit.Append(soon(t), Entry{Kind: "refusal"}))
	p := post(t, d, question("dec_1"))

	durable.RefuseFolders(dirVerdicts)
	_, err = d.Decide(soon(t), "sess_1", "dec_1", VerdictAllow, "me", "")
	faulty(t, "an answer", err, fault.StorageFailure)
	if !errors.Is(err, durable.ErrUnflushed) || !strings.Contains(err.Error(), "the decision counts") {
		t.Errorf("an answer: %v", err)
	}
	durable.SetHook(nil)
	if got, err := p.Wait(soon(t)); err != nil || got.Verdict != VerdictAllow {
		t.Errorf("it waited for %+v, %v", got, err)
	}

	// The line of the log is on disk before the head is.
	durable.RefuseFolders(filepath.Join(dir, "log"))
	if err := audit.Append(soon(t), Entry{Kind: "refusal"}); err != nil {
		t.Errorf("the log: %v", err)
	}
}
