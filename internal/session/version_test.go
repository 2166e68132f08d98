package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/fault"
)

// version0 is a session as a program wrote it that knew no versions, with the note
// in its lock.
const version0 = "sess_6c905904-491a-4754-bbc6-0893ab332768"

func (w *world) plantVersion0() string {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(w.folder(version0)), 0o700))
	must(w.t, os.CopyFS(w.folder(version0), os.DirFS("testdata/v0")))
	mark := func(name string) string {
		b := read(w.t, filepath.Join(w.folder(version0), name))
		sum := sha256.Sum256(b)
		return fmt.Sprintf(`{"size":%d,"sha256":%q}`, len(b), hex.EncodeToString(sum[:]))
	}
	body := fmt.Sprintf(`{"pid":1,"lastSeq":18,"transcript":%s,"segment":1,"log":%s}`, mark(fileTranscript), mark("log/0001.jsonl"))
	note := fmt.Sprintf("%08x %s", crc32.ChecksumIEEE([]byte(body)), body)
	note += strings.Repeat(" ", oldNoteSize-1-len(note)) + "\n"
	must(w.t, os.WriteFile(w.lockPath(version0), []byte(note), 0o600))
	return version0
}

// A file that an older log says was added is one that the model was given: what is sent
// to people says how many files a call sends.
func TestOldAttachments(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]event.Type{
		`{"sha256":"x","filename":"of.png","index":0,"toolCallId":"c"}`:       event.AttachmentInput,
		`{"sha256":"x","filename":"a.png","index":0,"of":1,"toolCallId":"c"}`: event.AttachmentAdd,
	} {
		e, err := parseEvent([]byte(`{"seq":1,"turn":"t","time":"2026-01-02T15:04:05Z","type":"attachment:add","data":` + data + "}\n"))
		if err != nil || e.Type != want {
			t.Errorf("%s is read as %s (%v), want %s", data, e.Type, err, want)
		}
	}
}

// Files without a version are read, go on, and get one.
func TestReadsVersion0(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.plantVersion0()
	recs, err := w.List(t.Context(), w.project)
	must(t, err)
	if len(recs) != 1 || recs[0].Damaged != "" || recs[0].Persona != "WORKING_ITEMS" || recs[0].ProjectRoot != w.project {
		t.Fatalf("listed as %+v", recs)
	}
	entries, err := w.Transcript(t.Context(), id)
	must(t, err)
	if len(entries) != 13 || entries[0].Message != "look at it" {
		t.Fatalf("%d entries, the first says %q", len(entries), entries[0].Message)
	}
	upTo(t, open(t, w.Store, id, 0), 18)
	l := acquire(t, w.Store, id)
	if said := l.Tampered(); len(said) > 0 || l.LastSeq() != 18 {
		t.Errorf("after %d events: %q", l.LastSeq(), said)
	}
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t"}))
	emit(t, l, "t", event.ProcessExit, event.Exit{})
	must(t, l.Release())
	upTo(t, open(t, w.store(), id, 0), 19)
	must(t, os.Remove(filepath.Join(w.folder(id), fileRecord)))
	if rec, err := w.store().Get(t.Context(), id); err != nil || rec.CreatedAt.IsZero() || !rec.sameBut(withTime(rec, recs[0])) {
		t.Errorf("made again as %+v, %v; it was %+v", rec, err, recs[0])
	}
}

// withTime is want at the time of got's creation, which the old record had exactly.
func withTime(got, want Record) Record {
	want.CreatedAt = got.CreatedAt
	return want
}

// A record of version 0 that is lost is made again from what the turns say.
func TestVersion0WithoutRecord(t *testing.T) {
	t.Parallel()
	for name, spoil := range spoilt {
		if name == "garbled" {
			continue // these records have no checksum
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.plantVersion0()
			must(t, spoil(filepath.Join(w.folder(id), fileRecord)))
			recs, err := w.List(t.Context(), w.project)
			must(t, err)
			if len(recs) != 1 || recs[0].Damaged != "" || recs[0].Persona != "WORKING_ITEMS" || recs[0].Mode != "acceptEdits" || recs[0].Model == "" {
				t.Errorf("listed as %+v", recs)
			}
		})
	}
}

// spoilt are the ways in which a power cut leaves a file that was not flushed.
var spoilt = map[string]func(path string) error{
	"missing": os.Remove,
	"empty":   func(path string) error { return os.Truncate(path, 0) },
	"torn":    func(path string) error { return os.Truncate(path, 100) },
	"zeros":   func(path string) error { return os.WriteFile(path, make([]byte, 300), 0o600) },
	"garbled": func(path string) error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.Replace(b, []byte("WORKING_ITEMS"), []byte("SOMEBODY_ELSE"), 1), 0o600)
	},
}

// A record that is lost or torn is made again from the transcript, as it was.
func TestRecordIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range spoilt {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.session().SessionID
			l := acquire(t, w.Store, id)
			must(t, l.Update(func(r *Record) { r.Model, r.ClaudeSessionID = "m", "claude_1" }))
			want := l.Record()
			must(t, l.Release())
			path := filepath.Join(w.folder(id), fileRecord)
			must(t, spoil(path))
			for _, s := range []*Store{w.Store, w.store()} {
				got, err := s.Get(t.Context(), id)
				must(t, err)
				if !got.sameBut(want) {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
			if recs, err := w.List(t.Context(), w.project); err != nil || len(recs) != 1 || !recs[0].sameBut(want) {
				t.Errorf("listed as %+v, %v", recs, err)
			}
			turn(t, w.store(), id, "t", 1)
			root, err := os.OpenRoot(w.folder(id))
			must(t, err)
			defer root.Close()
			if got, _, err := readRecordFile(root); err != nil || !got.sameBut(want) {
				t.Errorf("the next turn left %+v, %v", got, err)
			}
		})
	}
}

// Files of a later version are refused, told in the list, and not touched.
func TestLaterVersion(t *testing.T) {
	t.Parallel()
	tests := map[string]func(folder string) (name, content string){
		"session.json": func(folder string) (string, string) {
			b, _ := os.ReadFile(filepath.Join(folder, fileRecord))
			return fileRecord, strings.Replace(string(b), `"v": 1`, `"v": 2`, 1)
		},
		"transcript": func(folder string) (string, string) {
			b, _ := os.ReadFile(filepath.Join(folder, fileTranscript))
			return fileTranscript, string(b) + `{"kind":"session","v":2,"time":"2026-01-01T00:00:00.000Z"}` + "\n"
		},
		"transcript, put another way": func(folder string) (string, string) {
			b, _ := os.ReadFile(filepath.Join(folder, fileTranscript))
			return fileTranscript, strings.Replace(string(b), `{"kind":"session","v":1,`, `{"v": 2, "kind": "session", `, 1)
		},
		"log, put another way": func(folder string) (string, string) {
			b, _ := os.ReadFile(filepath.Join(folder, "log", "0001.jsonl"))
			return "log/0001.jsonl", strings.Replace(string(b), `{"v":1}`, `{ "v": 2, "more": true }`, 1)
		},
		"log": func(folder string) (string, string) {
			b, _ := os.ReadFile(filepath.Join(folder, "log", "0001.jsonl"))
			return "log/0001.jsonl", strings.Replace(string(b), `{"v":1}`, `{"v":2}`, 1)
		},
	}
	for name, later := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.session().SessionID
			turn(t, w.Store, id, "t", 2)
			must(t, w.Store.Close())
			file, content := later(w.folder(id))
			path := filepath.Join(w.folder(id), file)
			must(t, os.WriteFile(path, []byte(content), 0o600))
			before := hashFolder(t, w.folder(id))
			s := w.store()
			_, err := s.Acquire(t.Context(), id)
			if f := fault.From(err); f == nil || !isNewer(err) || f.Status != 500 || !strings.Contains(f.Message, file+" has format version 2") || !strings.Contains(f.Hint, "newer belay") {
				t.Errorf("acquire: %+v", f)
			}
			if after := hashFolder(t, w.folder(id)); after != before {
				t.Error("a file was written to")
			}
		})
	}
}

// hashFolder is a hash of the files in a folder.
func hashFolder(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Fprintf(h, "%s %x\n", path, read(t, path))
		}
		return err
	})
	must(t, err)
	return string(h.Sum(nil))
}
