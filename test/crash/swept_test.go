//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/app"
)

// tree is the content of files, by their paths below a folder.
type tree map[string]string

func readTree(folder string) (tree, error) {
	t := tree{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		t[name] = string(data)
		return err
	})
	return t, err
}

// hidden are the beginnings of the names of what is not whole yet, or not gone yet.
var hidden = []string{".tmp-", ".new-", ".deleted-", ".import-", ".part-", ".put-", ".trash-"}

// age makes everything that belay keeps look old.
func (w *world) age() error {
	old := time.Now().Add(-48 * time.Hour)
	for _, folder := range []string{filepath.Join(w.project, ".belay"), w.state} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, old, old))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// remains are what no process uses any more: what is hidden, and with an id every
// file that speaks of it.
func (w *world) remains(id string) (map[string]bool, error) {
	found := map[string]bool{}
	for _, folder := range []string{filepath.Join(w.project, ".belay"), w.state} {
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			for _, prefix := range hidden {
				if strings.HasPrefix(e.Name(), prefix) {
					found[w.relative(path)] = true
				}
			}
			if id == "" || !e.Type().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			if strings.Contains(path, id) || strings.Contains(string(data), id) {
				found[w.relative(path)] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// tidy lets belay tidy up when everything is old.
func (w *world) tidy(d *deed, a *app.App) (map[string]bool, error) {
	if err := w.age(); err != nil {
		return nil, err
	}
	if _, err := a.GC(context.Background(), false); err != nil {
		return nil, err
	}
	id := ""
	if d.gone {
		id = w.known
	}
	return w.remains(id)
}

// whenNobodyIsKilled is what the deed and the tidying leave then.
func (w *world) whenNobodyIsKilled(d *deed) (left map[string]bool, err error) {
	a, err := w.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close(context.Background())) }()
	if _, err := d.do(w, a); err != nil {
		return nil, err
	}
	return w.tidy(d, a)
}

// isSwept checks that a killed process leaves no more for ever than one that was
// not killed.
func (w *world) isSwept(d *deed, a *app.App, clean map[string]bool) error {
	left, err := w.tidy(d, a)
	if err != nil {
		return err
	}
	for name := range left {
		if !clean[name] {
			return fmt.Errorf("%s is there for ever", name)
		}
	}
	return nil
}
