package shell

import (
	"testing"

	"belay/internal/journal"
	"belay/internal/session"
)

// No command renames: a record that says so came with the project, and its second path
// would be looked at by nobody.
func TestRenamesAreForbidden(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	for _, c := range []journal.Change{
		{Op: journal.Rename, Path: "tools/x", To: ".git/hooks/pre-commit"},
		{Op: journal.Create, Path: "x", To: ".git/hooks/pre-commit"},
	} {
		if why, err := forbidden(w, &c); why == nil || err != nil {
			t.Errorf("%+v: %v, %v", c, why, err)
		}
	}
}

// A content that is left out of a pack is nowhere in it.
func TestContentsLeftOutOfAPack(t *testing.T) {
	t.Parallel()
	n := session.Change{Path: "f", After: "a", AfterBytes: 1}
	p := packer{data: []byte("another")}
	if err := p.add(toKeep{&n, &journal.Change{Op: journal.Create, Path: "f", After: journal.State{Type: journal.File}}, false}); err != nil {
		t.Fatal(err)
	}
	if n.AfterAt >= 0 || string(p.data) != "another" {
		t.Errorf("%+v, %q", n, p.data)
	}
}
