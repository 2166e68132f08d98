package supervisor

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// early are the packages that a Go program readies among its first, with all that
// they import. One that is added here must be one of those: GODEBUG=inittrace=1
// shows the order.
var early = []string{"errors", "fmt", "io", "os", "runtime", "strconv", "syscall", "time", "unsafe"}

// A supervisor is at work before the rest of the program is ready.
func TestOnlyWhatIsReadyEarlyIsImported(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if seen++; err != nil || !slices.Contains(early, path) {
				t.Errorf("%s imports %s (%v)", file, path, err)
			}
		}
	}
	if seen == 0 {
		t.Error("no import was seen")
	}
}
