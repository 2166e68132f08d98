package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
)

func TestFind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	n := 0
	w := newWorld(t, func(o *Options) {
		o.NewID = func() string { n++; return fmt.Sprintf("%c%d", "ab"[n%2], 1000+n) }
	})
	for range 2*MaxFound + 2 {
		w.session()
	}
	for prefix, want := range map[string]int{
		"sess_a1": MaxFound, "sess_a1002": 1, "sess_b1001": 1, "sess_b1002": 0, "nobody": 0, "sess": MaxFound,
	} {
		found, err := w.Find(ctx, prefix)
		must(t, err)
		if len(found) != want {
			t.Errorf("%s found %d sessions, want %d", prefix, len(found), want)
		}
		for i, rec := range found {
			if !strings.HasPrefix(rec.SessionID, prefix) || i > 0 && rec.SessionID <= found[i-1].SessionID {
				t.Errorf("%s found %s at %d", prefix, rec.SessionID, i)
			}
		}
	}
	elsewhere := t.TempDir()
	last, err := w.Create(ctx, elsewhere, "WORKING_ITEMS", "direct")
	must(t, err)
	found, err := w.Catalog().FindIn(ctx, "sess", func(project string) bool { return project == last.ProjectRoot })
	if err != nil || len(found) != 1 || found[0].SessionID != last.SessionID {
		t.Errorf("in one of the projects: %v, %v", found, err)
	}
	must(t, os.RemoveAll(w.folder("sess_a1002")))
	if found, err := w.Find(ctx, "sess_a1002"); err != nil || len(found) != 0 {
		t.Errorf("a session that is gone: %v, %v", found, err)
	}
	for _, prefix := range []string{"", "ses", "../..", "sess_*", strings.Repeat("s", 81)} {
		if _, err := w.Find(ctx, prefix); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%.20q gave %v", prefix, err)
		}
	}
}

func TestOpening(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t)
	id := w.session().SessionID
	opening := func() Entry {
		t.Helper()
		e, err := w.Opening(ctx, id)
		must(t, err)
		return e
	}
	if e := opening(); e.Kind != "" {
		t.Errorf("nothing was said, and it began with %+v", e)
	}
	transcript := filepath.Join(w.folder(id), "transcript.jsonl")
	for line, want := range map[string]string{
		`{"kind":"turn","turn":"t","message":"first"}` + "\n" + `{"kind":"turn","turn":"u","message":"second"}` + "\n": "first",
		`{"kind":"turn","turn":"t","message":"half a l`:                                                                "",
		"no entry\n": "",
	} {
		must(t, os.WriteFile(transcript, []byte(line), 0o600))
		if e := opening(); e.Message != want {
			t.Errorf("%q began with %q, want %q", line, e.Message, want)
		}
	}
	if _, err := w.Opening(ctx, "nobody"); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("nobody's opening: %v", err)
	}
}
