//go:build unix

package validate

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"belay/internal/workspace/scan"
)

// Files and folders that change while they are looked at make a report of what was
// there at one time or another: every finding is whole, and when all is quiet there
// is none.
func TestWhileFilesChange(t *testing.T) {
	t.Parallel()
	files := sound()
	root := write(t, files)
	const rounds = 40
	var all sync.WaitGroup
	done := make(chan struct{})
	all.Go(func() {
		defer close(done)
		for range rounds {
			if err := upset(root, files); err != nil {
				t.Error(err)
				return
			}
		}
	})
	looked := 0
	for quiet := false; !quiet; looked++ {
		select {
		case <-done:
			quiet = true
		default:
		}
		found, err := scan.Scan(t.Context(), root, scan.Options{Visited: true})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Project(t.Context(), root, found, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Code == "" || f.Message == "" || f.Fix == "" || strings.Contains(f.Message, root) {
				t.Errorf("half a finding: %+v", f)
			}
		}
		if quiet && len(report.Findings) > 0 {
			t.Errorf("in the end %d findings are left: %v", len(report.Findings), told(report.Findings))
		}
	}
	all.Wait()
	if looked < 2 {
		t.Errorf("it was looked at %d times only", looked)
	}
}

// upset does to each file what can happen to it, and puts it back; then it takes the
// deliverable away and brings it back.
func upset(root string, files map[string]string) error {
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "/") {
			continue
		}
		file, text := at(name), []byte(files[name])
		if err := errors.Join(
			os.WriteFile(file, text[:len(text)/2], 0o600),
			os.WriteFile(file, slices.Concat(text, text, []byte("\xff\x00")), 0o600),
			os.Remove(file),
			os.Mkdir(file, 0o700),
			os.Remove(file),
			os.Symlink(at("INIT.md"), file),
			os.Remove(file),
			os.WriteFile(file, text, 0o600),
		); err != nil {
			return err
		}
	}
	return errors.Join(os.Rename(at(del), at("gone")), os.Rename(at("gone"), at(del)))
}
