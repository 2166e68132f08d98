package test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whoever reads the copy of a module must be able to trust that it is one. The script
// that makes a copy lists the sum that every file has in the module itself; what was
// changed on purpose is listed apart, under the reason.
func TestCopiedModulesAreWhatTheirListsSay(t *testing.T) {
	t.Parallel()
	const copies = "../third_party"
	module, err := os.ReadFile("../go.mod")
	must(t, err)
	folders, err := os.ReadDir(copies)
	must(t, err)
	replaced := 0
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		list, err := os.ReadFile(filepath.Join(copies, f.Name(), "SHA256SUMS"))
		must(t, err)
		first, rest, _ := strings.Cut(string(list), "\n")
		// What is replaced is what was copied.
		name := strings.TrimPrefix(first, "# ")
		path, _, _ := strings.Cut(name, " ")
		if !strings.Contains(string(module), "\t"+name+"\n") || !strings.Contains(string(module), fmt.Sprintf("replace %s => ./third_party/%s\n", path, f.Name())) {
			t.Errorf("%s is a copy of %q, which go.mod does not replace in this version", f.Name(), name)
		}
		replaced++
		for _, fault := range compare(t, os.DirFS(filepath.Join(copies, f.Name())), rest) {
			t.Errorf("%s: %s", f.Name(), fault)
		}
	}
	if n := strings.Count(string(module), "\nreplace "); n != replaced || n == 0 {
		t.Errorf("go.mod replaces %d modules, third_party has %d", n, replaced)
	}
}

// Each kind of deviation is told.
func TestDeviationsFromAListAreTold(t *testing.T) {
	t.Parallel()
	sum := func(text string) string { s := sha256.Sum256([]byte(text)); return hex.EncodeToString(s[:]) }
	dir := t.TempDir()
	for name, text := range map[string]string{"same.go": "a", "other.go": "b", "new.go": "c", "README.md": "d"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got := compare(t, os.DirFS(dir), sum("a")+"  same.go\n"+sum("x")+"  other.go\n# a reason\n"+sum("y")+"  gone.go\n#\n"+sum("b")+"  same.go\nwhat\n")
	want := []string{"gone.go is listed and not there", "line 6 gives no reason", "line 7 lists same.go again", "line 8 is no sum", "new.go is not listed", "other.go is not the file that is listed"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// compare holds the files of a folder against the lines behind the first of its list.
// Only what tells of the copy, and the list itself, stands in none.
func compare(t *testing.T, folder fs.FS, list string) (faults []string) {
	t.Helper()
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	sums := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(list, "\n"), "\n") {
		if reason, ok := strings.CutPrefix(line, "#"); ok {
			if strings.TrimSpace(reason) == "" {
				fault("line %d gives no reason", i+2)
			}
			continue
		}
		sum, name, ok := strings.Cut(line, "  ")
		switch {
		case !ok || len(sum) != 2*sha256.Size:
			fault("line %d is no sum", i+2)
		case sums[name] != "":
			fault("line %d lists %s again", i+2, name)
		default:
			sums[name] = sum
		}
	}
	must(t, fs.WalkDir(folder, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || slices.Contains([]string{"README.md", "copy.sh", "SHA256SUMS"}, path) {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		if listed, err := hex.DecodeString(sums[path]); sums[path] == "" {
			fault("%s is not listed", path)
		} else if err != nil || !bytes.Equal(listed, sum[:]) {
			fault("%s is not the file that is listed", path)
		}
		delete(sums, path)
		return nil
	}))
	for name := range sums {
		fault("%s is listed and not there", name)
	}
	return faults
}
