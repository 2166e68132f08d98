//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/app"
	"belay/internal/journal"
	"belay/internal/journal/journaltest"
)

// journalScenario needs all that the journal flushes by itself: no session and no
// blob makes anything durable beside it.
var journalScenario = scenario{
	name:  "journal",
	setup: func(w *world, _ *app.App) { emptyFiles(w) },
	work:  direct,
	onDisk: func(w *world) error {
		old, err := w.oldOrNew()
		maps.DeleteFunc(old, func(name, _ string) bool { return !w.intends(name) })
		return errors.Join(err, w.recoverable(old))
	},
	always: allOrNone,
}

// direct is a transaction in a project that has nothing of belay's.
func direct(w *world, _ *app.App) {
	w.typed()
	ctx := context.Background()
	root, err := os.OpenRoot(w.project)
	must(w.t, err)
	defer func() { must(w.t, root.Close()) }()
	p, err := journal.New(filepath.Join(w.state, "journal"), nil).Open(ctx, w.project, root)
	w.try(err)
	defer func() { must(w.t, p.Close()) }()
	var changes []journal.Change
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		is := changed[name]
		if is.before == "" {
			continue
		}
		changes = append(changes, journal.Change{
			Op: journal.Replace, Path: journal.Name(name),
			Before:  journal.State{Type: journal.File, SHA256: digest([]byte(is.before))},
			After:   journal.State{Type: journal.File, SHA256: digest([]byte(is.after))},
			Content: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(is.after)), nil },
		})
	}
	tx, err := p.Begin(journal.Plan{Owner: journal.Owner{What: "test"}, Changes: changes})
	w.try(err)
	w.try(tx.Prepare())
	w.try(tx.Apply(ctx))
	for _, c := range changes {
		w.unchanged("the transaction", filepath.Join(w.project, string(c.Path)))
	}
	tx.Done()
}

// allOrNone checks that the journal completes what it finds.
func allOrNone(w *world, _ *app.App) error {
	root, err := os.OpenRoot(w.project)
	must(w.t, err)
	defer func() { must(w.t, root.Close()) }()
	p, err := journal.New(filepath.Join(w.state, "journal"), nil).Open(context.Background(), w.project, root)
	if err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	count := map[bool]int{}
	for name, is := range changed {
		if data, err := os.ReadFile(filepath.Join(w.project, name)); err == nil {
			count[string(data) == is.after]++
		}
	}
	if count[true] > 0 && count[false] > 0 {
		return fmt.Errorf("%d files are new and %d are not", count[true], count[false])
	}
	for _, s := range p.Settled {
		if s.Result != journal.Completed || count[false] > 0 {
			return fmt.Errorf("it is said to be %s %+v, and %d files are not new", s.Result, s.Conflicts, count[false])
		}
	}
	left, err := journaltest.Left(filepath.Join(w.state, "journal"), w.project)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("there is still %v", left)
	}
	return err
}

// filesAreOldOrNew checks the files before belay sees them: each is as it was or as
// it is to be, and the bytes that it had are somewhere in the project.
func filesAreOldOrNew(w *world) error {
	old, err := w.oldOrNew()
	return errors.Join(err, w.recoverable(old))
}

// oldOrNew checks that each file is as it was or as it is to be, and returns the old
// ones. What a person has never flushed is belay's to keep from the moment on in
// which it intends to replace it.
func (w *world) oldOrNew() (journaltest.Tree, error) {
	old := journaltest.Tree{}
	for name, is := range changed {
		data, err := os.ReadFile(filepath.Join(w.project, name))
		there := err == nil
		switch {
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return nil, err
		case is.before == "" && !there, there && string(data) == is.after:
		case there && string(data) == is.before:
		case !w.intends(name):
			continue
		default:
			return nil, fmt.Errorf("%s is there: %v, with %q", name, there, data)
		}
		if is.before != "" {
			old[name] = "- " + is.before
		}
	}
	return old, nil
}

// recoverable checks that the bytes of old files are in the project.
func (w *world) recoverable(old journaltest.Tree) error {
	lost, err := journaltest.Lost(w.project, old)
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("nobody has the old content of %v", lost)
	}
	return err
}

// intends reports whether the journal has a whole record that names the file, of a
// transaction that is not done.
func (w *world) intends(name string) bool {
	records, err := filepath.Glob(filepath.Join(w.state, "journal", "*", "*.json"))
	must(w.t, err)
	return slices.ContainsFunc(records, func(record string) bool {
		contents := filepath.Join(w.project, ".belay", "journal", strings.TrimSuffix(filepath.Base(record), ".json"))
		if _, err := os.Lstat(contents); err != nil {
			return false
		}
		data, err := os.ReadFile(record)
		must(w.t, err)
		line, sum, _ := strings.Cut(string(data), "\n")
		return digest([]byte(line))+"\n" == sum && strings.Contains(line, `"`+name+`"`)
	})
}
