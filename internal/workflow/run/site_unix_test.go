//go:build unix

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

const attaches = agents + `tasks:
  - {id: one, agent: a, prompt: "the first", attachments: [{type: file, paths: ["*.txt"]}], on_success: {next: two}}
  - {id: two, agent: a, prompt: "the second", attachments: [{type: file, paths: ["*.txt"]}], final: true}
`

// newSwap is a project with a workflow in its folder wf, and a folder outside of it
// with another one under the same name.
func newSwap(t *testing.T, answer func(turn.Request) reply) (b *bench, inside, outside string) {
	t.Helper()
	b = newBench(t, attaches, answer)
	inside, outside = filepath.Join(b.project, "wf"), t.TempDir()
	b.file("wf/flow.yaml", attaches)
	b.file("wf/note.txt", "ours")
	evil := strings.Replace(attaches, "id: flow", "id: evil", 1)
	for name, text := range map[string]string{"flow.yaml": evil, "secret.txt": "theirs"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b, inside, outside
}

// swap changes what is at a path for a link, and back, until stop is called.
func swap(t *testing.T, path, target string) (stop func()) {
	t.Helper()
	aside, link := path+".aside", path+".link"
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			err := errors.Join(os.Rename(path, aside), os.Rename(link, path))
			err = errors.Join(err, os.Rename(path, link), os.Rename(aside, path))
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	return func() { close(done); work.Wait() }
}

// A folder of the project is that, and no file of it a link, whatever takes their
// places while they are opened.
func TestSwappedWhileOpened(t *testing.T) {
	t.Parallel()
	b, inside, outside := newSwap(t, echo)
	b.file("wf/other.yaml", strings.Replace(attaches, "id: flow", "id: evil", 1))
	file := filepath.Join(inside, "flow.yaml")
	for _, s := range []struct{ path, target string }{
		{inside, outside}, {file, filepath.Join(outside, "flow.yaml")}, {file, "other.yaml"},
	} {
		path := s.path
		stop := swap(t, path, s.target)
		for opened, tries := 0, 0; opened < 1000 && tries < 30_000; tries++ {
			data, err := run.ReadWithinForTest(b.project, inside, "flow.yaml")
			if err != nil {
				continue
			}
			if opened++; strings.Contains(string(data), "evil") {
				t.Errorf("%s: what was read is that of a link to %s, after %d times", path, s.target, opened)
				break
			}
		}
		stop()
		if err := os.Remove(path + ".link"); err != nil {
			t.Fatal(err)
		}
		if _, err := run.ReadWithinForTest(b.project, inside, "flow.yaml"); err != nil {
			t.Errorf("at rest: %v", err)
		}
	}
	q := run.Request{Project: b.project, File: filepath.Join(outside, "flow.yaml"), Within: b.project}
	if _, err := b.r.Plan(t.Context(), q); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("a folder that never was of the project: %v", err)
	}
	q.File = filepath.Join(b.project, "none", "flow.yaml")
	if _, err := b.r.Plan(t.Context(), q); !fault.Is(err, fault.NotFound) {
		t.Errorf("no folder at all: %v", err)
	}
	q.File = filepath.Join(inside, "flow.yaml")
	plan, err := b.r.Plan(t.Context(), q)
	if err != nil || plan.Workflow != "flow" || len(plan.Tasks[0].Attachments) != 1 {
		t.Errorf("at rest: %+v, %v", plan, err)
	}
}

// A run goes on in the folder that it began in, and is not taken up in another one.
func TestSwappedWhileRunning(t *testing.T) {
	t.Parallel()
	var b *bench
	var inside, outside string
	b, inside, outside = newSwap(t, func(r turn.Request) reply {
		if strings.Contains(r.Message, "second") {
			return reply{fails: "no"}
		}
		if err := errors.Join(os.Rename(inside, inside+".aside"), os.Symlink(outside, inside)); err != nil {
			t.Error(err)
		}
		return echo(r)
	})
	s, err := b.r.Start(t.Context(), run.Request{Project: b.project, File: filepath.Join(inside, "flow.yaml"), Within: b.project})
	if err != nil {
		t.Fatal(err)
	}
	r := b.ended(s.ID)
	if two := task(t, r, "two"); len(two.Attachments) != 1 || two.Attachments[0].Origin != "note.txt" {
		t.Errorf("the second task was shown %+v", two.Attachments)
	}
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, ""); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("taken up in a folder outside of the project: %v", err)
	}
	if err := errors.Join(os.Remove(inside), os.Rename(inside+".aside", inside)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, ""); err != nil {
		t.Fatal(err)
	}
	b.ended(s.ID)
}
