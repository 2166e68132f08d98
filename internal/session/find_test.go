package session

import (
	"context"
	"fmt"
	"os"
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
