package coordination

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
)

// project is one whose record has a text; "-" is none.
func project(t *testing.T, text string) (root, file string) {
	t.Helper()
	root = t.TempDir()
	file = filepath.Join(root, filepath.FromSlash(layout.CoordinationFile))
	if text == "-" {
		return root, file
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return root, file
}

func changes(t *testing.T) changeset.Writer {
	return changeset.Writer{LockDir: t.TempDir(), Journal: journal.New(t.TempDir(), nil)}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		want    Mode
		problem string
	}{
		{"# Coordination Record\n\n**Representation:** Schedule-first\n", ScheduleFirst, ""},
		{"- **Coordination Mode**: `DEPENDENCY_TRACKED`\r\n", DependencyTracked, ""},
		{"**Representation:** hybrid", Hybrid, ""},
		{"**Representation:** agile\n", "", "none of"},
		{"**Representation:**\n", "", "no field"},
		{"\x00\xff", "", "no field"},
		{"-", "", "has no _Coordination"},
	} {
		root, _ := project(t, c.text)
		r, err := Read(root)
		if err != nil || r.Mode != c.want || !strings.Contains(r.Problem, c.problem) || (c.problem == "") != (r.Problem == "") || r.Exists != (c.text != "-") {
			t.Errorf("%q: %+v, %v", c.text, r, err)
		}
	}
}

// Only the value changes, and only if the file is what the caller saw.
func TestSet(t *testing.T) {
	t.Parallel()
	var log []string
	w := &Writer{Writer: changes(t), Record: func(_ context.Context, c Change, _ error) error {
		log = append(log, string(c.From)+">"+string(c.To)+" by "+c.By)
		return nil
	}}
	for _, c := range []struct{ text, want string }{
		{"# R\r\n\r\n- **Representation:** Schedule-first \r\nrest", "# R\r\n\r\n- **Representation:** Hybrid \r\nrest"},
		{"# R\n\ntext\n", "# R\n\n**Representation:** Hybrid\n\ntext\n"},
		{"**Representation:**\n", "**Representation:** Hybrid\n"},
		{"-", "# Coordination Record\n\n**Representation:** Hybrid\n"},
	} {
		root, file := project(t, c.text)
		r, err := w.Set(t.Context(), root, Hybrid, "ada", nil)
		got, _ := os.ReadFile(file)
		if err != nil || r.Mode != Hybrid || string(got) != c.want {
			t.Errorf("%q: %+v, %v\n%q", c.text, r, err, got)
		}
		if again, err := w.Set(t.Context(), root, ScheduleFirst, "ada", only(`"other"`)); !fault.Is(err, fault.ContentChanged) {
			t.Errorf("another content: %+v, %v", again, err)
		}
		if _, err := w.Set(t.Context(), root, ScheduleFirst, "ada", only(r.ETag())); err != nil {
			t.Errorf("the content that was seen: %v", err)
		}
	}
	if want := "SCHEDULE_FIRST>HYBRID by ada"; len(log) != 8 || log[0] != want {
		t.Errorf("on record: %q", log)
	}
}

// only takes the content with an entity tag.
func only(quoted string) func(tag string) bool {
	return func(tag string) bool { return `"`+tag+`"` == quoted }
}

func TestSetIsRefused(t *testing.T) {
	t.Parallel()
	root, file := project(t, "**Representation:** Hybrid\n")
	w := &Writer{Writer: changes(t), Record: func(context.Context, Change, error) error { return errors.New("full") }}
	if _, err := w.Set(t.Context(), root, ScheduleFirst, "ada", nil); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("a change that is not on record: %v", err)
	}
	outside, _ := project(t, "**Representation:** Hybrid\n")
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(outside, "_Coordination"), filepath.Join(linked, "_Coordination")); err == nil {
		if _, err := (&Writer{Writer: changes(t)}).Set(t.Context(), linked, ScheduleFirst, "ada", nil); err == nil {
			t.Error("a folder that is a link was written through")
		}
		if _, err := Read(linked); !fault.Is(err, fault.WorkspaceFileReadFailed) {
			t.Errorf("read through a link: %v", err)
		}
	}
	if data, _ := os.ReadFile(file); string(data) != "**Representation:** Hybrid\n" {
		t.Errorf("the file is %q", data)
	}
}
