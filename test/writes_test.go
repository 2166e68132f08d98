package test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownWrites may change files without package durable: what they write is no file
// that belay keeps.
var ownWrites = []string{
	"internal/tool/shell/",           // the sandbox of commands, and what commands did to a project
	"internal/attachment/cache.go",   // a cache, whose entries carry their own hash
	"internal/attachment/download/",  // temporary files of one run
	"internal/cli/session_export.go", // a file that the person names
	"internal/app/example.go",        // a new folder for the person, made whole beside its place
	"internal/app/readiness.go",      // a file that tests a folder and goes at once
	"internal/app/doctor.go",         // files that test a folder and go at once
	"internal/workspace/access_",     // a file that tests a folder and goes at once
	"internal/model/upstream/upstreamtest/",
	"internal/api/apitest/",
}

// osWrites are the functions and methods of package os with which a package would
// write by itself.
var osWrites = []string{"Rename", "WriteFile", "Create", "CreateTemp", "Sync", "Link", "Symlink", "Truncate", "O_CREATE"}

// Every file that belay keeps is written by package durable, which knows its
// class. A package that renames a file into place or writes one by itself would
// escape the table of classes and the tests of crashes.
func TestOnlyDurableWrites(t *testing.T) {
	t.Parallel()
	exports, packages := listExports(t)
	for _, p := range packages {
		if p.ImportPath == module+"/internal/durable" || !strings.HasPrefix(p.ImportPath, module+"/internal/") {
			continue
		}
		var files []string
		for _, name := range p.GoFiles {
			files = append(files, filepath.Join(p.Dir, name))
		}
		for _, at := range writesIn(t, exports, p.ImportPath, files, nil) {
			_, name, _ := strings.Cut(at, "internal/")
			name = "internal/" + name
			if !slices.ContainsFunc(ownWrites, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				t.Errorf("%s: write through package durable", name)
			}
		}
	}
}

// The test above sees each way of writing.
func TestOnlyDurableWritesSees(t *testing.T) {
	t.Parallel()
	exports, _ := listExports(t)
	const head = "package x\nimport \"os\"\nvar (\n\troot *os.Root\n\tf *os.File\n)\nfunc g() { "
	for _, code := range []string{
		`os.Rename("a", "b")`, `root.Rename("a", "b")`, `os.WriteFile("a", nil, 0o600)`, `root.WriteFile("a", nil, 0o600)`, `os.Create("a")`,
		`os.OpenFile("a", os.O_WRONLY|os.O_CREATE, 0o600)`, `f.Sync()`, `root.Link("a", "b")`, `_ = root.Rename`,
	} {
		if len(writesIn(t, exports, "x", []string{"internal/x.go"}, []byte(head+code+" }"))) != 1 {
			t.Errorf("not seen: %s", code)
		}
	}
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listExports returns where the compiled packages lie, and this module's.
func listExports(t *testing.T) (exports map[string]string, ours []listed) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	exports = map[string]string{}
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module+"/") {
			ours = append(ours, p)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return exports, ours
}

// writesIn type-checks a package and returns where it uses what writes files.
func writesIn(t *testing.T, exports map[string]string, path string, names []string, source any) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{
		Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
		Error:    func(error) {}, // a package that does not compile fails elsewhere
	}
	if _, err := config.Check(path, set, files, &info); err != nil {
		t.Logf("%s: %v", path, err)
	}
	for id, object := range info.Uses {
		if object.Pkg() != nil && object.Pkg().Path() == "os" && slices.Contains(osWrites, object.Name()) {
			found = append(found, set.Position(id.Pos()).String()+" uses os's "+object.Name())
		}
	}
	slices.Sort(found)
	return found
}
