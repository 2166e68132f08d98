package snapshot

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listener is a gate that hears everything.
type listener struct {
	t    *testing.T
	root string
	told []string
	fail string // what it does not take
	left int
}

func (l *listener) enter(context.Context, string) (Pass, error) { return l, nil }
func (l *listener) Leave() error                                { l.left++; return nil }

func (l *listener) Tell(_ context.Context, made []Made) error {
	for _, m := range made {
		if l.left > 0 {
			l.t.Errorf("%s is told of behind the gate", m.Path)
		}
		if l.fail != "" && strings.Contains(m.Path, l.fail) {
			return errors.New("the disk is full")
		}
		if was, err := os.ReadFile(filepath.Join(l.root, m.Path)); err == nil && hexSum(string(was)) == m.SHA256 {
			l.t.Errorf("%s is there before it is told of", m.Path)
		}
		if m.Mode.IsDir() {
			l.told = append(l.told, m.Path+"/")
			continue
		}
		f, err := m.Open()
		must(l.t, err)
		content, err := io.ReadAll(f)
		must(l.t, errors.Join(err, f.Close()))
		if hexSum(string(content)) != m.SHA256 || int64(len(content)) != m.Bytes {
			l.t.Errorf("%s: what is told is not what it holds", m.Path)
		}
		l.told = append(l.told, m.Path)
	}
	return nil
}

// Whoever looks after commands is told of everything before it is there, and of
// nothing else.
func TestGate(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a.csv": "1\n", "parts/b.csv": "2\n"}), options(t)
	target.ToolRoot = "_Reconciliation/Coverage"
	l := &listener{t: t, root: target.Root}
	o.Gate = l.enter
	s := publish(t, target, o, filepath.Join(target.Root, "_Estimates"))
	at := target.ToolRoot + "/" + s.Name
	want := []string{"_Reconciliation/", "_Reconciliation/Coverage/", target.ToolRoot + "/_LATEST.md", at + "/", at + "/SHA256SUMS", at + "/a.csv", at + "/parts/", at + "/parts/b.csv"}
	slices.Sort(l.told)
	slices.Sort(want)
	if diff := cmp.Diff(want, l.told); diff != "" || l.left != 1 {
		t.Errorf("left %d times, told (-want +got)\n%s", l.left, diff)
	}
}

func TestGateThatIsClosed(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a.csv": "1\n"}), options(t)
	target.ToolRoot = "_Reconciliation"
	closed := errors.New("the gate is closed")
	o.Gate = func(context.Context, string) (Pass, error) { return nil, closed }
	from := Copy(t.Context(), target, o, filepath.Join(target.Root, "_Estimates"))
	if _, err := Publish(t.Context(), target, o, from); !errors.Is(err, closed) {
		t.Errorf("got %v", err)
	}
	if got := names(t, target.Root); !cmp.Equal(got, []string{"_Estimates"}) {
		t.Errorf("there are %q", got)
	}
	// What cannot be told of is not made either.
	l := &listener{t: t, root: target.Root, fail: "a.csv"}
	o.Gate = l.enter
	if _, err := Publish(t.Context(), target, o, from); err == nil || l.left != 1 {
		t.Errorf("left %d times: %v", l.left, err)
	}
	if got := names(t, filepath.Join(target.Root, "_Reconciliation")); len(got) > 0 {
		t.Errorf("there are %q", got)
	}
}
