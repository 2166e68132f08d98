//go:build !windows

package confine

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Covers: turn-api REQ-04
func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := Environment([]string{
		"PATH=.:/usr/bin::bin:/bin", "HOME=/home/me", "TMPDIR=/t", "TERM=xterm", "LANG=C.UTF-8", "LC_ALL=C", "TZ=UTC",
		"ANTHROPIC_API_KEY=key", "LD_PRELOAD=/x.so", "BASH_ENV=/x", "GOFLAGS=-mod=mod", "LCX=1", "=C:=x", "novalue",
	}, []string{"GOFLAGS", "HOME"})
	slices.Sort(got)
	want := []string{"GIT_OPTIONAL_LOCKS=0", "GOFLAGS=-mod=mod", "LANG=C.UTF-8", "LC_ALL=C", "PATH=/usr/bin:/bin", "TERM=dumb", "TZ=UTC"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Environment(nil, nil); !slices.Contains(got, "PATH="+fallbackPath) {
		t.Error(got)
	}
}
