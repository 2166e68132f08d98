package session

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"belay/internal/fault"
)

// What follows an archive may be refused by its reader, and then no session is made.
func TestImportReadsToTheEnd(t *testing.T) {
	t.Parallel()
	from, w := newWorld(t), newWorld(t)
	id := from.session().SessionID
	turn(t, from.Store, id, "t1", 2)
	var file bytes.Buffer
	export(t, from.Store, id, &file)
	goesOn := fault.New(fault.InvalidRequest, "something follows")
	got, err := w.Archive.Import(t.Context(), io.MultiReader(&file, iotest.ErrReader(goesOn)), w.project)
	if !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("imported as %+v, %v", got, err)
	}
	if all, err := w.List(t.Context(), w.project); err != nil || len(all) > 0 {
		t.Errorf("there are %v, %v", all, err)
	}
}
