package test

import (
	"slices"
	"strings"
	"testing"

	testprogram "belay/test/program"
)

// ownWrites may change files without package durable: what they write is no file
// that belay keeps.
var ownWrites = []string{
	"internal/tool/shell/",           // the sandbox of commands, and what commands did to a project
	"internal/attachment/cache.go",   // a cache, whose entries carry their own hash
	"internal/attachment/download/",  // temporary files of one run
	"internal/cli/session_export.go", // a file that the person names
	"internal/chat/clipboard.go",     // a temporary file that the next message sends
	"internal/chat/compose.go",       // a temporary file for the person's editor
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
	all, err := sources()
	must(t, err)
	for _, p := range all {
		if p.Path() == module+"/internal/durable" || !strings.HasPrefix(p.Path(), module+"/internal/") {
			continue
		}
		for _, at := range p.writes() {
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
	out, err := testprogram.Go(t.Context(), "list", "-export", "-f", "{{.Export}}", "os").Output()
	must(t, err)
	c := newChecker()
	c.exports["os"] = strings.TrimSpace(string(out))
	const head = "package x\nimport \"os\"\nvar (\n\troot *os.Root\n\tf *os.File\n)\nfunc g() { "
	for _, code := range []string{
		`os.Rename("a", "b")`, `root.Rename("a", "b")`, `os.WriteFile("a", nil, 0o600)`, `root.WriteFile("a", nil, 0o600)`, `os.Create("a")`,
		`os.OpenFile("a", os.O_WRONLY|os.O_CREATE, 0o600)`, `f.Sync()`, `root.Link("a", "b")`, `_ = root.Rename`,
	} {
		p, err := c.check("x", []string{"internal/x.go"}, head+code+" }")
		must(t, err)
		if len(p.writes()) != 1 {
			t.Errorf("not seen: %s", code)
		}
	}
}

// writes are the places where a package uses what writes files.
func (p source) writes() (found []string) {
	for id, object := range p.uses {
		if object.Pkg() != nil && object.Pkg().Path() == "os" && slices.Contains(osWrites, object.Name()) {
			found = append(found, p.set.Position(id.Pos()).String()+" uses os's "+object.Name())
		}
	}
	slices.Sort(found)
	return found
}
