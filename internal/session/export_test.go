package session

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/event"
	"belay/internal/fault"
)

// A session goes out and comes in, elsewhere or beside itself, with the same
// transcript, events and attachments.
func TestExportImportRoundTrip(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, func(o *Options) { o.SegmentBytes = 1000 })
	elsewhere := newWorld(t)
	blobs, err := w.Blobs(w.project)
	must(t, err)
	rapid.Check(t, func(r *rapid.T) {
		rec, err := w.Create(ctx, w.project, "P", "direct")
		must(t, err)
		id := rec.SessionID
		l := acquire(t, w.Store, id)
		var shas []string
		for n := range rapid.IntRange(0, 6).Draw(r, "turns") {
			name := fmt.Sprint("t", n)
			content := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(r, "attached")
			sha, _, err := blobs.Put(ctx, bytes.NewReader(content), 1000)
			must(t, err)
			shas = append(shas, sha)
			must(t, l.Append(Entry{Kind: EntryTurn, Turn: name, Message: rapid.String().Draw(r, "message") + sha}))
			emit(t, l, name, event.ChatDelta, event.Text{Text: rapid.String().Draw(r, "text")})
		}
		must(t, l.Release())
		var file bytes.Buffer
		export(t, w.Store, id, &file)
		for _, to := range []*world{w, elsewhere} {
			got, err := to.Archive.Import(ctx, bytes.NewReader(file.Bytes()), to.project)
			must(t, err)
			if (got.SessionID == id) == (to == w) || got.From != id || got.ProjectRoot != to.project || !got.CreatedAt.Equal(rec.CreatedAt.Time) {
				r.Fatalf("imported as %+v", got)
			}
			compare(t, w.folder(id), to.folder(got.SessionID))
			b, err := to.Blobs(to.project)
			must(t, err)
			for _, sha := range shas {
				if _, err := b.Content(sha); err != nil {
					r.Error(err)
				}
			}
			turn(t, to.Store, got.SessionID, "after", 1)
		}
	})
}

// compare checks that two session folders say the same.
func compare(t *testing.T, a, b string) {
	t.Helper()
	for _, pattern := range []string{"transcript.jsonl", "log/*.jsonl"} {
		names, err := filepath.Glob(filepath.Join(a, pattern))
		must(t, err)
		for _, name := range names {
			rel, err := filepath.Rel(a, name)
			must(t, err)
			if diff := cmp.Diff(said(read(t, name)), said(read(t, filepath.Join(b, rel)))); diff != "" {
				t.Errorf("%s: %s", rel, diff)
			}
		}
	}
}

// said is a file without the lines about the session itself, which an import
// extends.
func said(file []byte) (lines []string) {
	for line := range bytes.Lines(file) {
		if _, ok := parseSessionLine(line); !ok {
			lines = append(lines, string(line))
		}
	}
	return lines
}

type tarFile struct {
	name, content string
	kind          byte
}

// pack makes an archive; sums is "good", "none", "bad" or "short".
func pack(t *testing.T, sums string, files ...tarFile) []byte {
	t.Helper()
	var b, list bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	write := func(f tarFile) {
		kind := f.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		h := &tar.Header{Name: f.name, Typeflag: kind, Mode: 0o600}
		if kind == tar.TypeReg {
			h.Size = int64(len(f.content))
		} else {
			h.Linkname = f.content
		}
		must(t, w.WriteHeader(h))
		if kind == tar.TypeReg {
			_, err := io.WriteString(w, f.content)
			must(t, err)
		}
		sum := sha256.Sum256([]byte(f.content))
		if sums == "bad" {
			sum[0]++
		}
		fmt.Fprintf(&list, "%s  %s\n", hex.EncodeToString(sum[:]), f.name)
	}
	for _, f := range files {
		write(f)
	}
	if sums == "short" {
		list.Reset()
	}
	if sums == "missing file" {
		fmt.Fprintf(&list, "%064d  log/0002.jsonl\n", 0)
	}
	if sums != "none" {
		content := list.String()
		must(t, w.WriteHeader(&tar.Header{Name: fileSums, Size: int64(len(content)), Mode: 0o600, Typeflag: tar.TypeReg}))
		_, err := io.WriteString(w, content)
		must(t, err)
	}
	must(t, w.Close())
	must(t, z.Close())
	return b.Bytes()
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	record := tarFile{name: "session.json", content: `{"sessionId":"sess_1","projectRoot":"/x","persona":"P","mode":"direct"}`}
	some := pack(t, "good", record)
	for name, test := range map[string]struct {
		archive []byte
		want    fault.Type
		says    string
	}{
		"good":             {some, "", ""},
		"good with folder": {pack(t, "good", record, tarFile{name: "log/", kind: tar.TypeDir})[:0], fault.InvalidRequest, "gzip"},
		"empty":            {nil, fault.InvalidRequest, "gzip"},
		"not gzip":         {[]byte("hello, this is no archive"), fault.InvalidRequest, "gzip"},
		"cut":              {some[:len(some)-30], fault.InvalidRequest, "EOF"},
		"no sums":          {pack(t, "none", record), fault.InvalidRequest, "incomplete"},
		"wrong sums":       {pack(t, "bad", record), fault.InvalidRequest, "session.json does not have the hash"},
		"short sums":       {pack(t, "short", record), fault.InvalidRequest, "does not have the hash"},
		"file missing":     {pack(t, "missing file", record), fault.InvalidRequest, "is missing"},
		"no record":        {pack(t, "good", tarFile{name: "transcript.jsonl"}), fault.InvalidRequest, "there is no session.json"},
		"no JSON":          {pack(t, "good", tarFile{name: "session.json", content: "{"}), fault.InvalidRequest, "not a session record"},
		"bad id":           {pack(t, "good", tarFile{name: "session.json", content: `{"sessionId":"../x"}`}), fault.InvalidRequest, "not well-formed"},
		"twice":            {pack(t, "good", record, record), fault.InvalidRequest, "twice"},
		"way out":          {pack(t, "good", record, tarFile{name: "../../evil"}), fault.InvalidRequest, "not a file of a session"},
		"absolute":         {pack(t, "good", record, tarFile{name: "/etc/evil"}), fault.InvalidRequest, "not a file of a session"},
		"odd segment":      {pack(t, "good", record, tarFile{name: "log/00001.jsonl"}), fault.InvalidRequest, "not a file of a session"},
		"link":             {pack(t, "good", record, tarFile{name: "transcript.jsonl", content: "/etc/passwd", kind: tar.TypeSymlink}), fault.InvalidRequest, "not a regular file"},
		"false blob":       {pack(t, "good", record, tarFile{name: "blobs/" + strings.Repeat("a", 64), content: "x"}), fault.InvalidRequest, "other content"},
		"huge record":      {pack(t, "good", tarFile{name: "session.json", content: strings.Repeat(" ", maxRecord+1)}), fault.RequestTooLarge, "session.json"},
		"bomb":             {pack(t, "good", record, tarFile{name: "transcript.jsonl", content: strings.Repeat("0", 5<<20)}), fault.RequestTooLarge, "transcript.jsonl"},
		"too many":         {pack(t, "good", record, tarFile{name: "log/0001.jsonl"}, tarFile{name: "log/0002.jsonl"}, tarFile{name: "log/0003.jsonl"}, tarFile{name: "log/0004.jsonl"}), fault.RequestTooLarge, "more than 4 files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *Options) { o.ImportBytes, o.ImportFiles = 2<<20, 4 })
			_, err := w.Archive.Import(context.Background(), bytes.NewReader(test.archive), w.project)
			if test.want == "" {
				must(t, err)
				return
			}
			if !fault.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %s saying %q", err, test.want, test.says)
			}
			if recs, err := w.List(context.Background(), w.project); err != nil || len(recs) > 0 {
				t.Errorf("a session was made: %v, %v", recs, err)
			}
			entries, err := os.ReadDir(filepath.Join(w.project, ".belay", "sessions"))
			if err == nil && len(entries) > 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

// Importing what was deleted brings it back under its id, and what was recorded
// of the old files does not make the new ones look changed.
func TestImportAfterDelete(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 3)
	var file bytes.Buffer
	export(t, w.Store, id, &file)
	turn(t, w.Store, id, "t2", 3)
	must(t, os.RemoveAll(w.folder(id))) // by hand: the lock's note stays
	rec, err := w.Archive.Import(ctx, &file, w.project)
	must(t, err)
	if rec.SessionID != id {
		t.Errorf("it came back as %s", rec.SessionID)
	}
	l := acquire(t, w.Store, id)
	if l.LastSeq() != 5 || len(l.Tampered()) > 0 {
		t.Errorf("%d events, %q", l.LastSeq(), l.Tampered())
	}
	must(t, l.Release())
}

// FuzzImport feeds anything to the importer: it makes a session or a typed
// refusal, and never a file outside its folder.
func FuzzImport(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, archive []byte) {
		w := newWorld(t, func(o *Options) { o.ImportBytes = 1 << 20 })
		var z bytes.Buffer
		gz := gzip.NewWriter(&z)
		_, err := gz.Write(archive)
		must(t, err)
		must(t, gz.Close())
		if _, err := w.Archive.Import(context.Background(), &z, w.project); err != nil && fault.From(err).Status >= 500 {
			t.Errorf("got %v", err)
		}
		entries, err := os.ReadDir(w.project)
		must(t, err)
		for _, e := range entries {
			if e.Name() != ".belay" {
				t.Errorf("made %s", e.Name())
			}
		}
	})
}

// An import that cannot be put on the list of sessions leaves nothing in the project,
// and can be done again.
func TestImportFailsAtItsEnd(t *testing.T) {
	t.Parallel()
	from, w := newWorld(t), newWorld(t)
	id := from.session().SessionID
	turn(t, from.Store, id, "t1", 2)
	var file bytes.Buffer
	export(t, from.Store, id, &file)
	inTheWay := filepath.Join(w.o.StateDir, dirIndex, id)
	must(t, os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700))
	if got, err := w.Archive.Import(t.Context(), bytes.NewReader(file.Bytes()), w.project); !fault.Is(err, fault.StorageFailure) {
		t.Fatalf("imported as %+v, %v", got, err)
	}
	left, err := os.ReadDir(filepath.Dir(w.folder(id)))
	must(t, err)
	for _, e := range left {
		t.Errorf("%s is left", e.Name())
	}
	must(t, os.RemoveAll(inTheWay))
	got, err := w.Archive.Import(t.Context(), bytes.NewReader(file.Bytes()), w.project)
	must(t, err)
	if got.SessionID != id {
		t.Errorf("imported as %+v", got)
	}
}
