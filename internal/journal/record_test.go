package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sample() record {
	hash := strings.Repeat("0123456789abcdef", 4)
	other := strings.Repeat("fedcba9876543210", 4)
	file := State{Type: File, Mode: 0o644, UID: 1, GID: 2, Size: 3, SHA256: hash, Inode: 4, Links: 5}
	return record{
		V: versionFirst, ID: "deadbeef-ID", Project: "/a/project\xff", Time: time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC),
		Owner: Owner{What: "undo", Session: "s", Turn: "t", Agent: "a", Call: "c", By: "b"},
		Changes: []Change{
			{Op: Replace, Path: "odd\xff\n\"<name>\u2028", Before: file, After: State{Type: File, SHA256: other}},
			{Op: Rename, Path: "a", To: "b", Before: State{Type: Folder, Mode: 0o755}, After: State{Type: Folder}},
			{Op: Symlink, Path: "l", Before: State{Type: Link, Target: "\xfe"}, After: State{Type: Link, Target: "../x"}},
			{Op: Rmdir, Path: "d", Before: State{Type: Folder}, IfEmpty: true},
		},
		Back: true, Conflicts: []Conflict{{Path: "a", Reason: isGone, Kept: ".belay/journal/kept-x/0"}},
		Outcome: &Outcome{Result: RolledBack, Time: time.Date(2026, 3, 1, 12, 0, 1, 0, time.UTC)},
	}
}

func sealed(line string) []byte {
	return fmt.Appendf(nil, "%s\n%x\n", line, sha256.Sum256([]byte(line)))
}

func TestRecord(t *testing.T) {
	t.Parallel()
	if filepath.Separator != '/' {
		t.Skip("skipped: the sample's project is no path here")
	}
	r := sample()
	data, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := decodeRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	if again.Changes[0].Path != r.Changes[0].Path || again.Project != r.Project || again.Changes[2].Before.Target != "\xfe" || *again.Outcome.clean() != *r.Outcome.clean() {
		t.Errorf("what was read is not what was written: %+v", again)
	}
	line := string(data[:bytes.IndexByte(data, '\n')])
	for n := range data { // whatever of it a crash left
		if _, err := decodeRecord(data[:n]); !errors.Is(err, errTorn) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
		torn := bytes.Clone(data)
		clear(torn[n:])
		if _, err := decodeRecord(torn); !errors.Is(err, errTorn) {
			t.Fatalf("zeros from byte %d on: %v", n, err)
		}
	}
	for what, change := range map[string]func(string) string{
		"an unknown field":            func(s string) string { return strings.Replace(s, `"v":1`, `"v":1,"new":true`, 1) },
		"a field twice":               func(s string) string { return strings.Replace(s, `"v":1`, `"v":1,"v":1`, 1) },
		"a space":                     func(s string) string { return strings.Replace(s, `"v":1`, `"v": 1`, 1) },
		"another case":                func(s string) string { return strings.Replace(s, `"v":1`, `"V":1`, 1) },
		"an older format":             func(s string) string { return strings.Replace(s, `"v":1`, `"v":0`, 1) },
		"a second value":              func(s string) string { return s + "{}" },
		"a path that leads out":       func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"../a"`, 1) },
		"an absolute path":            func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"/a"`, 1) },
		"a path that is not clean":    func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"a/./b"`, 1) },
		"a path of belay":             func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"x/.BELAY/a"`, 1) },
		"a path of git":               func(s string) string { return strings.Replace(s, `"to":"b"`, `"to":".git/hooks"`, 1) },
		"the project itself":          func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":"."`, 1) },
		"no change of that name":      func(s string) string { return strings.Replace(s, `"op":"rename"`, `"op":"swap"`, 1) },
		"no type of that name":        func(s string) string { return strings.Replace(s, `"type":"folder"`, `"type":"door"`, 1) },
		"a hash of another length":    func(s string) string { return strings.Replace(s, `"sha256":"01`, `"sha256":"`, 1) },
		"a name in base64 for no use": func(s string) string { return strings.Replace(s, `"path":"a"`, `"path":{"base64":"YQ=="}`, 1) },
		"contents that lie anywhere":  func(s string) string { return strings.Replace(s, `"changes":`, `"from":"src","changes":`, 1) },
		"taken from nowhere": func(s string) string {
			return strings.Replace(s, `"target":"../x"}`, `"target":"../x"},"taken":true`, 1)
		},
		"no project": func(s string) string { return strings.Replace(s, `"id":`, `"project":"x","id":`, 1) },
	} {
		changed := change(line)
		if changed == line {
			t.Fatalf("%s: nothing was changed", what)
		}
		if _, err := decodeRecord(sealed(changed)); !errors.Is(err, errTorn) {
			t.Errorf("%s: %v", what, err)
		}
	}
	tree := &Tree{Entries: 1, Files: 1, Digest: strings.Repeat("01", 32)}
	withTree := record{V: version, ID: "a", Project: "/p", From: ".belay/tmp/x/upper", Changes: []Change{{Op: Mkdir, Path: "a", After: State{Type: Folder}, Tree: tree}}}
	if withTree.check() == nil {
		t.Error("what lies in a folder that was not taken: no error")
	}
	if withTree.Changes[0].Taken = true; withTree.check() != nil {
		t.Errorf("what lies in a folder: %v", withTree.check())
	}
	for _, bad := range []Tree{{Digest: "x"}, {Entries: MaxTree + 1, Digest: tree.Digest}, {Files: 1, Digest: tree.Digest}, {Bytes: -1, Digest: tree.Digest}} {
		if withTree.Changes[0].Tree = &bad; withTree.check() == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	newer := strings.Replace(line, `"v":1`, `"v":4,"unknown":[]`, 1)
	for _, data := range [][]byte{sealed(newer), []byte(newer + "\nanother seal\n")} {
		if _, err := decodeRecord(data); !errors.As(err, new(*NewerError)) {
			t.Errorf("a newer format: %v", err)
		}
	}
}

// clean is what of an outcome can be compared.
func (o *Outcome) clean() *struct {
	r Result
	t int64
} {
	return &struct {
		r Result
		t int64
	}{o.Result, o.Time.UnixNano()}
}

// What is read as a record is written as the same bytes, and leads nowhere out of
// the project.
func FuzzDecodeRecord(f *testing.F) {
	r := sample()
	data, err := r.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:bytes.IndexByte(data, '\n')])
	f.Add([]byte(`{"v":1,"id":"a","project":"/p","time":"2026-03-01T12:00:00Z","owner":{"what":"edit"},"changes":[{"op":"mkdir","path":"a","before":{},"after":{"type":"folder"}}]}`))
	f.Add([]byte(`{"v":2,"id":"a","project":"/p","time":"2026-03-01T12:00:00Z","owner":{"what":"bash"},"from":".belay/changes/c/files","changes":[{"op":"mkdir","path":"a","before":{},"after":{"type":"folder"},"taken":true,"whole":true}]}`))
	f.Add([]byte(`{"v":3,"id":"a","project":"/p","time":"2026-03-01T12:00:00Z","owner":{"what":"bash"},"from":".belay/changes/c/files","changes":[{"op":"mkdir","path":"a","before":{},"after":{"type":"folder"},"loose":true,"taken":true,"whole":true,"tree":{"entries":2,"files":1,"bytes":3,"digest":"` + strings.Repeat("01", 32) + `"}}]}`))
	f.Add([]byte(`{"v":4}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		data := sealed(string(line))
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		again, err := r.encode()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%s\nis written as\n%s, %v", data, again, err)
		}
		for _, c := range r.Changes {
			for _, name := range []Name{c.Path, c.To} {
				if p := filepath.FromSlash(string(name)); p != "" && (!filepath.IsLocal(p) || strings.HasPrefix(string(name), ".git/") && !r.Inside) {
					t.Fatalf("a path of the record is %q", name)
				}
			}
		}
	})
}
