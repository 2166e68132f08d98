package session

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment"
)

// TestImportForgetsTheEarlierSession: what was recorded for an earlier session of the id, such as
// what people allowed in it, does not hold for what comes in an archive.
func TestImportForgetsTheEarlierSession(t *testing.T) {
	t.Parallel()
	var forgotten []string
	w := newWorld(t, func(o *Options) {
		o.Forget = func(id string) error {
			forgotten = append(forgotten, id)
			return nil
		}
	})
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 1)
	var file bytes.Buffer
	export(t, w.Store, id, &file)
	inputs := filepath.Join(w.o.StateDir, dirInputs, id)
	must(t, os.RemoveAll(w.folder(id)))
	must(t, os.MkdirAll(inputs, 0o700))
	got, err := w.Archive.Import(t.Context(), &file, w.project)
	must(t, err)
	if _, err := os.Stat(inputs); got.SessionID != id || !slices.Equal(forgotten, []string{id}) || err == nil {
		t.Errorf("imported as %s, forgotten %q, inputs %v", got.SessionID, forgotten, err)
	}
}

// TestImportLeavesAnAbsentSessionItsID: a session whose project cannot be reached now keeps its id
// for when it can be again.
func TestImportLeavesAnAbsentSessionItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 1)
	var file bytes.Buffer
	export(t, w.Store, id, &file)
	away := w.project + ".away"
	must(t, os.Rename(w.project, away))
	got, err := w.Archive.Import(t.Context(), &file, t.TempDir())
	must(t, err)
	must(t, os.Rename(away, w.project))
	back, err := w.Get(t.Context(), id)
	must(t, err)
	if got.SessionID == id || got.From != id || back.ProjectRoot != w.project || back.ReadOnly {
		t.Errorf("imported as %+v, and back is %+v", got, back)
	}
}

// TestTranscriptOfAnotherSession: a folder whose transcript names another session stays the
// session that it is.
func TestTranscriptOfAnotherSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own, other := w.recorded(), w.recorded()
	line, err := sessionLine{Time: Time{time.Now().UTC()}, Record: &other, BootID: "b"}.encode()
	must(t, err)
	f, err := os.OpenFile(filepath.Join(w.folder(own.SessionID), fileTranscript), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	must(t, err)
	_, err = f.Write(line)
	must(t, err)
	must(t, f.Close())
	l := acquire(t, w.store(), own.SessionID) // as another process
	if l.ID() != own.SessionID || l.Record().SessionID != own.SessionID {
		t.Errorf("it runs as %s", l.Record().SessionID)
	}
	d, err := w.Catalog().Digest(Row{ID: own.SessionID, ProjectRoot: w.project}, nil)
	must(t, err)
	if d.Record == nil || d.Record.SessionID != own.SessionID {
		t.Errorf("it is listed as %+v", d.Record)
	}
	must(t, l.Release())
}

// TestExportLeavesDamagedBlobsOut: a session with a damaged attachment can be exported, and
// imported again.
func TestExportLeavesDamagedBlobsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	blobs, err := w.Blobs(w.project)
	must(t, err)
	l := acquire(t, w.Store, id)
	var shas []string
	for _, text := range []string{"one", "two"} {
		sha, _, err := blobs.Put(t.Context(), bytes.NewReader([]byte(text)), 10)
		must(t, err)
		shas = append(shas, sha)
		must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t" + text, Message: sha}))
	}
	must(t, l.Release())
	must(t, os.WriteFile(filepath.Join(w.project, ".belay", "blobs", shas[0]), []byte("other"), 0o600))
	l = acquire(t, w.Store, id)
	gone := strings.Repeat("0", 64) // before all others
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "tgone", Attachments: []attachment.Item{{SHA256: gone}, {SHA256: shas[1]}}}))
	must(t, l.Release())
	var file bytes.Buffer
	leftOut, err := w.store().Archive.Export(t.Context(), id, &file)
	must(t, err)
	if want := []string{gone, shas[0]}; !slices.Equal(leftOut, want) {
		t.Errorf("left out: %q, want %q", leftOut, want)
	}
	elsewhere := newWorld(t)
	_, err = elsewhere.Archive.Import(t.Context(), &file, elsewhere.project)
	must(t, err)
}
