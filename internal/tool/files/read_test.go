package files

import (
	"belay/internal/tool"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// numbered is what read shows of lines.
func numbered(first int, lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%6d\t%s\n", first+i, l)
	}
	return b.String()
}

// Covers: turn-api REQ-04
func TestReadShowsPages(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("five", "a\nb\nc\nd\ne\n")
	x.put("open", "a\r\nb")
	x.put("empty", "")
	x.put("marked", "\xef\xbb\xbfä\n")
	x.put("little", "\xff\xfea\x00\xe4\x00\n\x00\x3d\xd8\x00\xde")
	x.put("big", "\xfe\xff\x00a\x00\n")
	x.put("wide", strings.Repeat("é", 1500)+"\nend\n")
	must(t, os.WriteFile(filepath.Join(x.w.Scratch, "s.txt"), []byte("scratch\n"), 0o600))
	tests := []struct {
		input in
		want  string
		more  bool
	}{
		{in{"path": "five"}, numbered(1, "a", "b", "c", "d", "e"), false},
		{in{"path": "./x/../five", "limit": 2}, numbered(1, "a", "b") + "[lines 1 to 2 of 5; go on with offset 3]\n", true},
		{in{"path": "five", "offset": 4}, numbered(4, "d", "e") + "[lines 4 to 5, the end of the file]\n", false},
		{in{"path": "five", "offset": -2}, numbered(4, "d", "e") + "[lines 4 to 5, the end of the file]\n", false},
		{in{"path": "five", "offset": -3, "limit": 1}, numbered(3, "c") + "[lines 3 to 3 of 5; go on with offset 4]\n", true},
		{in{"path": "five", "offset": -99}, numbered(1, "a", "b", "c", "d", "e"), false},
		{in{"path": "open"}, numbered(1, "a", "b"), false},
		{in{"path": "empty"}, "(the file is empty)", false},
		{in{"path": "marked"}, numbered(1, "ä"), false},
		{in{"path": "little"}, numbered(1, "aä", "😀"), false},
		{in{"path": "big"}, numbered(1, "a"), false},
		{in{"path": "wide"}, numbered(1, strings.Repeat("é", 1000)+"… [1000 bytes more]", "end"), false},
		{in{"path": filepath.Join(x.w.Project, "five"), "limit": 5}, numbered(1, "a", "b", "c", "d", "e"), false},
		{in{"path": filepath.Join(x.w.Scratch, "s.txt")}, numbered(1, "scratch"), false},
	}
	for _, tt := range tests {
		got := x.ok("read", tt.input)
		if got.Text != tt.want || got.Truncated != tt.more {
			t.Errorf("read %v: %q (truncated %v), want %q (%v)", tt.input, got.Text, got.Truncated, tt.want, tt.more)
		}
	}
	x.w.Limits.OutputBytes = 300
	if got := x.ok("read", in{"path": "wide"}); !strings.Contains(got.Text, "[lines 1 to 1 of 2; go on with offset 2]") {
		t.Errorf("a page over the limit of output: %q", got.Text)
	}
}

func TestReadRefusals(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("docs/plan.md", "x\n")
	x.put("binary", "a\x00b")
	x.put("latin", "na\xefve\n")
	x.put("odd", "\xff\xfeabc")
	x.put("half", "\xff\xfe\x3d\xd8a\x00")
	x.put(".belay/sessions/s.json", "{}")
	x.put("three", "a\nb\nc\n")
	outside := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(outside, []byte("secret"), 0o600))
	x.link(outside, "absolute")
	x.link("../../../../../../../../etc/passwd", "up")
	x.link("loop2", "loop1")
	x.link("loop1", "loop2")
	x.link(".belay/sessions/s.json", "innocent")
	x.link(".belay", "folder")
	x.link("nowhere", "dangling")
	tests := []struct {
		path      string
		words     []string
		authority bool
	}{
		{"docs", []string{"a folder", "list"}, false},
		{"docs/plam.md", []string{"does not exist", "did you mean docs/plan.md?"}, false},
		{"docs/plan.md/x", []string{"a part of the path is a file"}, false},
		{"no/such/file", []string{"does not exist"}, false},
		{"dangling", []string{"nowhere does not exist"}, false},
		{"binary", []string{"binary"}, false},
		{"latin", []string{"not UTF-8", "byte 2", "0xef"}, false},
		{"odd", []string{"odd number of bytes"}, false},
		{"half", []string{"half of a character"}, false},
		{"a\x00b", []string{"characters"}, false},
		{"a\nb", []string{"characters"}, false},
		{strings.Repeat("a/", 3000), []string{"4096 bytes"}, false},
		{strings.Repeat("n", 300), []string{"name too long"}, false},
		{"../secret", []string{"outside the project"}, true},
		{"docs/../../secret", []string{"outside the project"}, true},
		{"/etc/passwd", []string{"outside the project"}, true},
		{outside, []string{"outside the project"}, true},
		{filepath.Join(x.w.Scratch, "..", "secret"), []string{"outside the project"}, true},
		{"absolute", []string{"leads out of the project"}, true},
		{"up", []string{"leads out of the project"}, true},
		{"loop1", []string{"circles"}, false},
		{".belay/sessions/s.json", []string{"not open to agents"}, true},
		{".BELAY/sessions/s.json", []string{"not open to agents"}, true},
		{"innocent", []string{"not open to agents"}, true},
		{"folder/sessions/s.json", []string{"not open to agents"}, true},
		{".belay/none", []string{"not open to agents"}, true},
	}
	for _, tt := range tests {
		_, err := x.call("read", in{"path": tt.path})
		if r := refused(t, tt.path, err, tt.words...); r.Authority != tt.authority {
			t.Errorf("%s: authority %v, want %v", tool.Clip(tt.path, 50), r.Authority, tt.authority)
		}
		if err != nil && strings.Contains(err.Error(), outside) && tt.path != outside {
			t.Errorf("%s: the refusal tells a path of the machine: %v", tt.path, err)
		}
	}
	_, err := x.call("read", in{"path": "three", "offset": 4})
	refused(t, "behind the end", err, "3 lines", "line 4")
}

func TestReadAttachesImagesAndPDFs(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("a.png", "\x89PNG\r\n\x1a\nrest")
	x.put("a.pdf", "%PDF-1.7 rest")
	x.put("a.gif", "GIF89a rest")
	for name, mime := range map[string]string{"a.png": "image/png", "a.pdf": "application/pdf"} {
		got := x.ok("read", in{"path": name})
		if len(got.Items) != 1 || got.Items[0].MIMEType != mime || got.Items[0].Name != name || !strings.Contains(got.Text, "attached") {
			t.Errorf("read %s: %+v", name, got)
		}
	}
	_, err := x.call("read", in{"path": "a.gif"})
	refused(t, "a file that the policy refuses", err, "extension")
}

// A file of many gigabytes is read at its ends; nothing between is touched.
func TestReadOfAVeryLargeFile(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	path := filepath.Join(x.w.Project, "huge.log")
	size := int64(64 << 30)
	if runtime.GOOS == "windows" {
		size = 1 << 30 // holes take room there
	}
	large(t, path, size)
	before := bytesRead()
	got := x.ok("read", in{"path": "huge.log", "offset": -3})
	if n := bytesRead() - before; n > size/8 { // other tests read as well
		t.Errorf("for the last lines of %d bytes %d were read", size, n)
	}
	if want := numbered(-3, "one", "two", "thrée"); !strings.HasPrefix(got.Text, want) || !got.Truncated {
		t.Errorf("the last lines are %q, want %q", got.Text, want)
	}
	got = x.ok("read", in{"path": "huge.log", "limit": 2})
	if want := numbered(1, "first", "second"); !strings.HasPrefix(got.Text, want) {
		t.Errorf("the first lines are %q, want %q", got.Text, want)
	}
	_, err := x.call("read", in{"path": "huge.log", "offset": 3})
	refused(t, "a hole of zeros", err, "line 3")
	_, err = x.call("write", in{"path": "huge.log", "content": "x"})
	refused(t, "write", err, "too large")
	_, err = x.call("edit", in{"path": "huge.log", "edits": []in{{"old": "first", "new": "x"}}})
	refused(t, "edit", err, "too large")

	sparse := filepath.Join(x.w.Project, "zeros")
	must(t, os.WriteFile(sparse, nil, 0o600))
	must(t, os.Truncate(sparse, 2<<30))
	_, err = x.call("read", in{"path": "zeros"})
	refused(t, "two gigabytes of nothing", err, "binary")
}

// large makes a file with a hole between its first and its last lines.
func large(t testing.TB, path string, size int64) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	_, err = f.WriteString("first\nsecond\n")
	must(t, err)
	end := strings.Repeat("a line of the log\n", 10_000) + "one\ntwo\nthrée\n"
	_, err = f.WriteAt([]byte(end), size-int64(len(end)))
	must(t, err)
	must(t, f.Close())
}

// bytesRead is how many bytes this process has read, and 0 where the system does not say.
func bytesRead() (n int64) {
	said, _ := os.ReadFile("/proc/self/io")
	_, _ = fmt.Sscanf(string(said), "rchar: %d", &n)
	return n
}

// A file that grows all the time is not shown half old and half new.
func TestReadOfAFileThatChanges(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("log", "a\n")
	c, err := x.prepare("read", in{"path": "log"})
	must(t, err)
	call := c.(*readCall)
	f, info, err := call.p.open()
	must(t, err)
	defer f.Close()
	x.put("log", "a\nb\n")
	if _, err := call.whole(f, info); err != errChanging {
		t.Errorf("a file that grew: %v", err)
	}
	if _, err := call.tail(f, info); err != errChanging {
		t.Errorf("the end of a file that grew: %v", err)
	}
	must(t, os.Truncate(filepath.Join(x.w.Project, "log"), 0))
	if _, err := call.head(f, info); err != errChanging {
		t.Errorf("a file that became shorter: %v", err)
	}
	refused(t, "told", unreadable("log", errChanging), "keeps changing")
}

// What takes a file's place between the decision and the read is not read.
func TestReadAfterASwap(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put(".belay/secret", "secret")
	x.put("docs/a.md", "fine")
	x.put("b.md", "fine")
	file, err := x.prepare("read", in{"path": "b.md"})
	must(t, err)
	folder, err := x.prepare("read", in{"path": "docs/a.md"})
	must(t, err)
	must(t, os.Remove(filepath.Join(x.w.Project, "b.md")))
	x.link(".belay/secret", "b.md")
	must(t, os.Rename(filepath.Join(x.w.Project, "docs"), filepath.Join(x.w.Project, "old")))
	x.put(".belay/a.md", "secret")
	x.link(".belay", "docs")
	_, err = file.Run(t.Context())
	refused(t, "a link in a file's place", err, "changed")
	_, err = folder.Run(t.Context())
	refused(t, "a link in a folder's place", err, "changed")
}
