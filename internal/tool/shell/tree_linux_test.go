package shell

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
)

// installs makes more ignored files than this test lists, beside a file of the project.
const installs = `echo text >a.txt; mkdir -p node_modules/.bin node_modules/p/lib node_modules/q/.belay
for i in $(seq 200); do echo "$i" >node_modules/p/lib/$i; done
echo new >node_modules/_DEPENDENCIES.md; echo '#!/bin/sh' >node_modules/.bin/tool; chmod 4755 node_modules/.bin/tool
ln -s ../p node_modules/q/p; ln -s /etc/passwd node_modules/q/out; mkfifo node_modules/q/pipe; echo x >node_modules/q/.belay/f
chmod 0 node_modules/p/lib`

func installed(t *testing.T) (*tool.Environment, *Shell, tool.Result) {
	t.Helper()
	base := tempDir(t)
	w, s := newPlace(t, base), newShell(t, base, Options{})
	s.mostChanges = 50
	put(t, w.Project, ".gitignore", "/node_modules\n")
	c, err := s.Prepare(t.Context(), w, []byte(`{"command": `+quoted(t, installs)+`}`))
	must(t, err)
	r, err := c.Run(tool.WithOrigin(t.Context(), tool.Origin{CallID: "call", ChangeID: keptID}))
	must(t, err)
	if r.Changes == nil {
		t.Fatalf("%+v", r)
	}
	return w, s, r
}

func checkInstalled(t *testing.T, w *tool.Environment) {
	t.Helper()
	if read(t, w, "a.txt") != "text\n" || read(t, w, "node_modules/p/lib/200") != "200\n" || read(t, w, "node_modules/q/p/lib/7") != "7\n" {
		t.Error("something is missing")
	}
	info, err := os.Stat(filepath.Join(w.Project, "node_modules/.bin/tool"))
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("the program is %v, %v", info, err)
	}
	if left, err := os.ReadDir(filepath.Join(w.Project, "node_modules/q")); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// New folders that git ignores are applied as a whole where there is more than can be listed.
// The content of them is reviewed all the same, and nothing that can never be applied comes.
func TestManyIgnoredFiles(t *testing.T) {
	t.Parallel()
	w, s, r := installed(t)
	e := r.Changes.Effect()
	if !slices.Equal(e.Whole, []string{"node_modules"}) {
		t.Errorf("whole are %q", e.Whole)
	}
	if r.Changes.Split() {
		t.Error("it is divided, and cannot be applied in parts")
	}
	if want := []permit.Ignored{{Path: "node_modules", Files: 203}}; !slices.Equal(e.Done.Ignored, want) || e.Done.Files != 204 {
		t.Errorf("%d files, %+v", e.Done.Files, e.Done.Ignored)
	}
	if !slices.ContainsFunc(e.Automatic, func(s string) bool { return strings.Contains(s, "node_modules/.bin/tool") }) || len(e.OnRequest) == 0 || strings.Contains(e.Diff, "lib") {
		t.Errorf("%q by themselves, %q, %s", e.Automatic, e.OnRequest, e.Diff)
	}
	for _, want := range []string{
		"node_modules/q/out was left out", "node_modules/q/pipe is neither", "node_modules/q/.belay was left out", "node_modules/.bin/tool got its permissions without",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the result does not say %q: %s", want, r.Text)
		}
	}
	r, err := r.Changes.Apply(t.Context(), nil)
	if err != nil || r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	checkInstalled(t, w)
	if noted := w.Ledger.Take(); len(noted) != 2 || noted[1].Path != "a.txt" && noted[0].Path != "a.txt" {
		t.Errorf("%+v", noted)
	}
	checkLeft(t, w.Project)

	// What is added to a folder that is there comes in its new folders. Files that git does
	// not ignore are still too many.
	r, err = callShell(t, s, w, input{Command: "mkdir node_modules/r; for i in $(seq 200); do echo >node_modules/r/$i; done"})
	if err != nil || r.Failed || read(t, w, "node_modules/r/200") != "\n" {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = callShell(t, s, w, input{Command: "mkdir src; for i in $(seq 200); do echo >src/$i; done"})
	if err != nil || !strings.Contains(r.Text, "that git does not ignore") {
		t.Errorf("%+v, %v", r, err)
	}
}

// Such a folder is kept until a person decides, and reviewed anew then: the kept change may
// have come with the project. It cannot be applied without the rest.
func TestManyIgnoredFilesAreKept(t *testing.T) {
	t.Parallel()
	w, _, r := installed(t)
	_, err := r.Changes.Keep(t.Context(), "nobody answered")
	must(t, err)
	c, err := kept.Open(w.Root, keptID)
	must(t, err)
	shown, err := ShowKept(t.Context(), w, c)
	if err != nil || shown.Refused != "" || !slices.Equal(shown.Effect.Paths, []string{"a.txt", "node_modules"}) || len(shown.Effect.Automatic) == 0 {
		t.Errorf("%+v, %v", shown, err)
	}
	apply := func(choice KeptChoice) error {
		_, err := ApplyKept(t.Context(), w, c, choice, journal.Owner{What: Name, By: "ana"}, unrecorded)
		return err
	}
	var alone *RunsByItselfError
	if err := apply(KeptChoice{}); !errors.As(err, &alone) {
		t.Errorf("%v", err)
	}
	var tree *journal.TreeError
	if err := apply(KeptChoice{Only: []string{"node_modules"}, RunsByItself: true}); !errors.As(err, &tree) {
		t.Errorf("%v", err)
	}
	planted := filepath.Join(w.Project, ".belay/changes", keptID, "files/node_modules/planted")
	must(t, os.Symlink("/etc/passwd", planted))
	var never *NotAdmittedError
	if err := apply(KeptChoice{RunsByItself: true}); !errors.As(err, &never) || never.Path != "node_modules/planted" {
		t.Errorf("%v", err)
	}
	must(t, os.Remove(planted))
	must(t, os.WriteFile(planted, nil, 0o600))
	var damaged *journal.ContentError
	if err := apply(KeptChoice{RunsByItself: true}); !errors.As(err, &damaged) {
		t.Errorf("%v", err)
	}
	must(t, os.Remove(planted))
	var noted []session.Change
	_, err = ApplyKept(t.Context(), w, c, KeptChoice{RunsByItself: true}, journal.Owner{What: Name, By: "ana"}, func(all []session.Change) error {
		noted = all
		return nil
	})
	must(t, err)
	must(t, c.Close())
	if len(noted) != 2 {
		t.Errorf("%+v", noted)
	}
	checkInstalled(t, w)
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	must(t, err)
	return string(data)
}
