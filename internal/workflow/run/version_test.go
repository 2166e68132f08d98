package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// kept puts the run that a program of a format's version made into a project. The
// golden files are what it wrote, in the project /tmp/example/project.
func kept(t *testing.T, version int) (*bench, string) {
	t.Helper()
	b := newBench(t, "", echo)
	golden := filepath.Join("testdata", "format", fmt.Sprintf("v%d", version))
	data, err := os.ReadFile(filepath.Join(golden, "run", "run.json"))
	if err != nil {
		t.Fatalf("there are no golden files of version %d: %v", version, err)
	}
	var r struct{ ID string }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	put := func(from, to string) {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, bytes.ReplaceAll(data, []byte("/tmp/example/project"), []byte(b.project)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"run.json", "workflow", "events.jsonl", "tasks/first.json", "tasks/each.json", "tasks/each.0.say.json", "tasks/each.1.say.json", "tasks/last.json"} {
		put(filepath.Join(golden, "run", name), filepath.Join(b.project, ".belay", "runs", r.ID, name))
	}
	put(filepath.Join(golden, "grant.json"), filepath.Join(b.state, "runs", r.ID+".json"))
	return b, r.ID
}

// Runs of every version are read, and taken up.
func TestEveryFormatIsRead(t *testing.T) {
	t.Parallel()
	for version := range run.FormatForTest + 1 {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			b, id := kept(t, version)
			r, err := b.r.Show(t.Context(), b.project, id)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != run.Failed || r.Workflow != "golden" || r.Error.Type != fault.SDKFailure || r.Usage == nil || len(r.Tasks) != 5 || r.EndedAt == nil {
				t.Errorf("%+v", r)
			}
			if one := task(t, r, "each/1/say"); one.Status != run.Success || one.Prompt != "say two" || one.Item != "two" || len(one.Attempts) != 1 || one.Usage == nil {
				t.Errorf("%+v", one)
			}
			if first := task(t, r, "first"); cmp.Diff(map[string]any{"response": "hello <&>"}, first.Output) != "" {
				t.Errorf("%+v", first)
			}
			if all := b.events(id); len(all) != 16 || all[0].Type != run.RunStart || all[15].Type != run.RunEnd || all[15].Seq != 16 {
				t.Errorf("%d events: %+v", len(all), all)
			}
			if rules, err := b.r.Allowed(t.Context(), b.project, id); err != nil || cmp.Diff([]string{"read"}, rules) != "" {
				t.Errorf("allowed %q, %v", rules, err)
			}
			if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
				t.Fatal(err)
			}
			if r := b.ended(id); r.Status != run.Success || len(b.e.asked()) != 1 {
				t.Errorf("taken up: %s %+v, asked %q", r.Status, r.Error, b.e.asked())
			}
			var last int64 // nobody knows how the log ended, so the numbers go on in a new block
			for i, e := range b.events(id) {
				if e.Seq <= last || i < 16 && e.Seq != int64(i+1) {
					t.Fatalf("event %d has the number %d", i+1, e.Seq)
				}
				last = e.Seq
			}
			for _, name := range []string{"run.json", "tasks/last.json"} {
				if data := contents(t, b.project)["runs/"+id+"/"+name]; !strings.HasPrefix(data, fmt.Sprintf("{\n  \"v\": %d,\n", run.FormatForTest)) {
					t.Errorf("%s begins with %.30q", name, data)
				}
			}
		})
	}
}

// contents are the files of a project's .belay folder.
func contents(t *testing.T, project string) map[string]string {
	t.Helper()
	all, base := map[string]string{}, filepath.Join(project, ".belay")
	err := filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(base, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A file of a version to come is named and left alone, whatever else it holds.
func TestNewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	newer := run.FormatForTest + 1
	for name, spoil := range map[string]func(b *bench, id string) string{
		"run.json": func(b *bench, id string) string { return filepath.Join(b.project, ".belay", "runs", id, "run.json") },
		"tasks/each.json": func(b *bench, id string) string {
			return filepath.Join(b.project, ".belay", "runs", id, "tasks", "each.json")
		},
		"events.jsonl": func(b *bench, id string) string {
			return filepath.Join(b.project, ".belay", "runs", id, "events.jsonl")
		},
		"its grant": func(b *bench, id string) string { return filepath.Join(b.state, "runs", id+".json") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := kept(t, run.FormatForTest)
			path := spoil(b, id)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// The last version of the file becomes a newer one; what follows may be of any form.
			v := fmt.Appendf(nil, `"v":%d,"seq":{},`, newer)
			if at := bytes.LastIndex(data, []byte(`"v":`)); at >= 0 {
				data = append(data[:at:at], append(v, data[at+bytes.IndexByte(data[at:], ',')+1:]...)...)
			}
			data = append(data, `{"half a line`...)
			if name != "events.jsonl" {
				data = data[:len(data)-len(`{"half a line`)]
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			before := contents(t, b.project)
			refused := func(what string, err error) {
				t.Helper()
				f := fault.From(err)
				want := fmt.Sprintf("has format version %d, and this belay reads versions up to %d", newer, run.FormatForTest)
				if err == nil || !strings.Contains(f.Message, want) || !strings.Contains(f.Message, id) || f.Hint != "use the newer belay that wrote it" {
					t.Errorf("%s: %v, hint %q", what, err, f.Hint)
				}
			}
			_, err = b.r.Resume(t.Context(), b.project, id, "")
			refused("resume", err)
			if name == "run.json" || name == "tasks/each.json" {
				_, err = b.r.Show(t.Context(), b.project, id)
				refused("show", err)
			}
			if name == "tasks/each.json" {
				_, err = b.r.Task(t.Context(), b.project, id, "each")
				refused("task", err)
			}
			if name == "events.jsonl" {
				refused("follow", following(t.Context(), b, id))
			}
			all, _, err := b.r.List(t.Context(), b.project, 0)
			if err != nil || len(all) != 1 || name == "run.json" && !strings.Contains(all[0].Error.Message, "newer belay") {
				t.Errorf("list: %+v, %v", all, err)
			}
			if name == "run.json" {
				if got, err := b.r.GC(t.Context(), b.project, time.Nanosecond, false); err != nil || got.Runs != 0 {
					t.Errorf("gc: %+v, %v", got, err)
				}
			}
			if diff := cmp.Diff(before, contents(t, b.project)); diff != "" {
				t.Errorf("the files changed:\n%s", diff)
			}
			if n := len(b.e.asked()); n != 0 {
				t.Errorf("%d turns ran", n)
			}
		})
	}
}

// following reads all events of a run, and returns why that failed.
func following(ctx context.Context, b *bench, id string) error {
	s, err := b.r.Follow(ctx, b.project, id, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	for err == nil {
		_, err = s.Next(ctx)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
