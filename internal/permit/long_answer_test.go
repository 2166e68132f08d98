package permit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
)

// An answer that is as long as it may be is kept and found, whatever its characters are.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 130 {
		paths = append(paths, fmt.Sprintf("src/%03d/%s", i, strings.Repeat("x", 55)))
	}
	for name, c := range map[string]struct {
		paths, only []string
		note        string
	}{
		"paths and a note":         {paths, paths, strings.Repeat("😀", maxNote)},
		"a note that is escaped":   {paths, nil, strings.Repeat("\n\"", maxNote/2-1)},
		"a path that is escaped":   {[]string{"a"}, []string{strings.Repeat("\x01", maxOnlyBytes)}, ""},
		"a project with long name": {[]string{"a"}, nil, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			audit, err := OpenAudit(filepath.Join(dir, "audit.jsonl"), nil)
			if err != nil {
				t.Fatal(err)
			}
			d := openRequests(t, filepath.Join(dir, "desk"), func(o *RequestsOptions) { o.Audit = audit })
			q := question("dec_1")
			q.ProjectRoot = "/" + strings.Repeat("\u2028", 4000/3)
			q.Effect = Effect{Tool: "bash", Kind: Execute, Command: "x", Deferred: true, Paths: c.paths, Done: &Done{Files: 300}}
			p := post(t, d, q)
			if _, err := d.Decide(t.Context(), "", "dec_1", VerdictAllow, strings.Repeat("é", maxBy), c.note, c.only...); err != nil {
				t.Fatal(err)
			}
			got, err := p.Wait(t.Context())
			if err != nil || got.Verdict != VerdictAllow || len(got.Only) != len(c.only) {
				t.Errorf("%v, %v", got.Verdict, err)
			}
		})
	}
}

// A record that is larger than any answer is damaged: nobody waits for it.
func TestAnAnswerThatIsTooLarge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openRequests(t, dir)
	p := post(t, d, question("dec_1"))
	if err := os.WriteFile(filepath.Join(dir, verdictFile("dec_1")), make([]byte, maxVerdictBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got, err := p.Wait(ctx); err != nil || got.Verdict != VerdictDeny {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is no file where the answer should be does not let a turn wait for ever.
func TestAnAnswerThatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openRequests(t, dir)
	p := post(t, d, question("dec_1"))
	if err := os.Mkdir(filepath.Join(dir, verdictFile("dec_1")), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got, err := p.Wait(ctx); err != nil || got.Verdict != VerdictDeny {
		t.Errorf("%+v, %v", got, err)
	}
}

// The log has no decision for a whole session that did not count.
func TestGrantsThatDoNotFit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "audit.jsonl")
	audit, err := OpenAudit(log, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := openRequests(t, filepath.Join(dir, "desk"), func(o *RequestsOptions) { o.Audit = audit })
	q := question("dec_1")
	post(t, d, q)
	if err := os.WriteFile(filepath.Join(dir, "desk", grantFile(q.SessionID)), append(make([]byte, maxGrantBytes), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decide(t.Context(), "", "dec_1", VerdictAllowSession, "ann", ""); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("it ended with %v", err)
	}
	if text, err := os.ReadFile(log); strings.Contains(string(text), string(VerdictAllowSession)) {
		t.Errorf("the log says %s, %v", text, err)
	}
	if _, err := d.Decide(t.Context(), "", "dec_1", VerdictAllow, "ann", ""); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
