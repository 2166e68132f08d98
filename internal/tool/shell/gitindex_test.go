package shell

import (
	"testing"
)

// An index that git wrote anew is the same, one with another entry is not, and what is
// no index is never the same.
func TestRefreshedIndex(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	run := func(command string) string {
		t.Helper()
		r, err := callShell(t, s, w, input{Command: command})
		if err != nil || r.Failed {
			t.Fatalf("%s: %+v, %v", command, r, err)
		}
		return r.Text
	}
	run("git init -q . && mkdir a && echo > a/b && echo > c && git add . && git -c user.name=A -c user.email=a@example.com commit -q -m first")
	w.Ledger.Take()
	index := func() []byte {
		t.Helper()
		f, err := w.Root.ReadFile(".git/index")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	before := index()
	c, err := s.Prepare(t.Context(), w, []byte(`{"command":"touch a/b; GIT_OPTIONAL_LOCKS=1 git update-index --refresh; touch c; GIT_OPTIONAL_LOCKS=1 git status"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context())
	if err != nil || r.Changes != nil {
		t.Errorf("a look is a change: %+v, %v", r, err)
	}
	run("echo more > d && git add d")
	after := index()
	if sameIndex(before, after) {
		t.Error("an index with one more entry is the same")
	}
	if !sameIndex(after, after) || sameIndex(nil, nil) || sameIndex([]byte("DIRC"), []byte("DIRC")) {
		t.Error("a whole index is not itself, or half of one is")
	}
}

func FuzzIndexEntries(f *testing.F) {
	for version := range 3 {
		f.Add(append([]byte("DIRC\x00\x00\x00"), byte(2+version), 0, 0, 0, 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, ok := indexEntries(data)
		total := 0
		for _, e := range entries {
			total += len(e)
		}
		if ok && total > mostOfAnIndex*len(data) {
			t.Errorf("%d bytes have entries of %d", len(data), total)
		}
	})
}
