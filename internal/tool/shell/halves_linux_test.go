package shell

import (
	"errors"
	"strings"
	"testing"

	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
)

// Changes that are ordinary, each for itself, can make something run together. What is
// applied last is kept, and a person is asked about it as what runs by itself.
func TestHalvesOfARisk(t *testing.T) {
	t.Parallel()
	const first = `mkdir -p x/objects && echo ref: refs/heads/main >x/HEAD && printf '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = false\n' >x/config`
	for name, test := range map[string]struct {
		late, soon string // commands
		only       []string
		want       string
	}{
		"a repository":          {late: first, soon: "mkdir x x/refs", want: "makes the folder a git directory"},
		"the rest of it":        {late: "mkdir x x/refs && echo >x/refs/a", soon: first, want: "makes the folder a git directory"},
		"some of it":            {late: first + " && echo >y", soon: "mkdir x x/refs", only: []string{"x"}, want: "makes the folder a git directory"},
		"a program of git":      {late: "echo ls >tool", soon: "git init -q . && git config core.fsmonitor ./tool", want: "whose configuration names it"},
		"a folder with a name":  {late: "echo y >y", soon: "echo z >z"},
		"what runs in any case": {late: "echo ls >.envrc", soon: "git init -q . && git config core.fsmonitor ./.envrc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPlace(t, tempDir(t))
			late, err := runShell(t, shared, w, input{Command: test.late})
			must(t, err)
			soon, err := runShell(t, shared, w, input{Command: test.soon})
			must(t, err)
			if r, err := soon.Changes.Apply(t.Context(), nil); err != nil || r.Kept != "" {
				t.Fatalf("what comes first: %+v, %v", r, err)
			}
			r, err := late.Changes.Apply(t.Context(), test.only)
			must(t, err)
			if test.want == "" {
				if r.Kept != "" {
					t.Errorf("kept: %s", r.Kept)
				}
				return
			}
			if len(late.Changes.Effect().Automatic) > 0 || !strings.Contains(r.Kept, test.want) || !strings.Contains(r.Text, test.want) {
				t.Errorf("kept for %q: %s", r.Kept, r.Text)
			}
			all, err := kept.List(w.Root)
			if err != nil || len(all) != 1 || !strings.Contains(all[0].Why, test.want) {
				t.Fatalf("kept: %+v, %v", all, err)
			}
			var runs *RunsByItselfError
			if _, err := applyKeptID(t, w, all[0].ID, unrecorded); !errors.As(err, &runs) {
				t.Errorf("applied without a word: %v", err)
			}
		})
	}
}

// Each part of divided changes is reviewed again.
func TestHalvesOfParts(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	r, err := runShell(t, shared, w, input{Command: "echo ls >tool; echo ls >.envrc"})
	must(t, err)
	soon, err := runShell(t, shared, w, input{Command: "git init -q . && git config core.fsmonitor ./tool"})
	must(t, err)
	_, err = soon.Changes.Apply(t.Context(), nil)
	must(t, err)
	if !r.Changes.Split() {
		t.Fatal("the changes are of one kind")
	}
	var second tool.Changes
	if r, err = r.Changes.Apply(t.Context(), nil); err != nil || !strings.Contains(r.Kept, "whose configuration names it") || r.Changes == nil {
		t.Fatalf("the first part: %+v, %v", r, err)
	}
	if second = r.Changes; !second.Second() {
		t.Fatal("the second part is not decided on")
	}
	if r, err = second.Apply(t.Context(), nil); err != nil || !strings.Contains(r.Text, ".envrc: applied") || read(t, w, ".envrc") != "ls\n" {
		t.Errorf("the second part: %+v, %v", r, err)
	}
}
