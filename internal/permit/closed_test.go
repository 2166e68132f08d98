package permit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
)

// An answered question says what was asked, whoever asks for it later.
func TestClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openRequests(t, dir)
	now := time.Now()
	for i, id := range []string{"dec_1", "dec_2", "dec_3"} {
		post(t, d, Request{ID: id, SessionID: []string{"s1", "s2", "s1"}[i], TurnID: "t1", ToolCallID: "c1", ProjectRoot: "/bridge",
			Effect: Effect{Tool: "bash", Summary: "run " + strings.Repeat("ä", 400)}, Reason: "it asks"})
		q, err := d.Question(id)
		if err != nil || q.Open == nil || q.Closed != nil || q.Open.ID != id {
			t.Fatalf("open: %+v, %v", q, err)
		}
		_, err = d.Decide(soon(t), "", id, VerdictAllow, "ana", "note "+id)
		must(t, err)
		must(t, os.Chtimes(filepath.Join(dir, verdictFile(id)), now, now.Add(time.Duration(i)*time.Second)))
	}
	other := openRequests(t, dir) // another process
	all, err := other.Closed(soon(t), "", 2)
	must(t, err)
	if len(all) != 2 || all[0].DecisionID != "dec_3" || all[1].DecisionID != "dec_2" {
		t.Fatalf("%+v", all)
	}
	if c := all[0]; c.By != "ana" || c.Note != "note dec_3" || c.ProjectRoot != "/bridge" || c.Tool != "bash" || c.SessionID != "s1" ||
		!strings.HasPrefix(c.Summary, "run ä") || len(c.Summary) > maxSummary+len("…") {
		t.Errorf("%+v", c)
	}
	if all, err = other.Closed(soon(t), "s2", 10); err != nil || len(all) != 1 || all[0].DecisionID != "dec_2" {
		t.Errorf("%+v, %v", all, err)
	}
	if q, err := other.Question("dec_1"); err != nil || q.Open != nil || q.Closed == nil || q.Closed.Verdict != VerdictAllow {
		t.Errorf("%+v, %v", q, err)
	}
	for _, id := range []string{"dec_9", "", "../dec_1"} {
		if _, err := other.Question(id); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	// An answer of an older version does not say what was asked.
	must(t, os.WriteFile(filepath.Join(dir, verdictFile("dec_0")), []byte(`{"sessionId":"s1","decision":{"decisionId":"dec_0","verdict":"deny","by":"bo","time":"2026-01-02T03:04:05Z"}}`), 0o600))
	if q, err := other.Question("dec_0"); err != nil || q.Closed == nil || q.Closed.SessionID != "s1" || q.Closed.By != "bo" {
		t.Errorf("%+v, %v", q, err)
	}
}

// A question whose time is over is closed, before anybody has noticed.
func TestExpiredIsClosed(t *testing.T) {
	t.Parallel()
	late := false
	d := openRequests(t, t.TempDir(), func(o *RequestsOptions) {
		o.Timeout = time.Hour
		o.Clock = func() time.Time {
			if late {
				return time.Now().Add(2 * time.Hour)
			}
			return time.Now()
		}
	})
	post(t, d, Request{ID: "dec_1", SessionID: "s1", Effect: Effect{Tool: "bash"}})
	late = true
	if q, err := d.Question("dec_1"); err != nil || q.Closed == nil || !q.Closed.Timeout {
		t.Errorf("%+v, %v", q, err)
	}
}
