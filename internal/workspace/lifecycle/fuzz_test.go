package lifecycle

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"belay/internal/workspace/document"
)

// seeds are the files of the transitions in testdata.
func seeds(f *testing.F) (all [][]byte) {
	paths, err := filepath.Glob("testdata/transitions/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files[1:] {
			all = append(all, file.Data)
		}
	}
	return all
}

// FuzzStatus reads any file: nothing is lost, the quick look agrees with the whole
// one, entries are lines of the file, and each finding points into it. Then it
// makes every transition that the file's state allows: each is refused, or
// changes its own lines alone and reads back.
func FuzzStatus(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data, uint64(1))
		f.Add(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), uint64(2))
		f.Add(append([]byte("\ufeff"), data...), uint64(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s := Parse(data)
		if !bytes.Equal(s.doc.Bytes(), data) {
			t.Fatal("the file is not what it was")
		}
		if Quick(data) != s.State() {
			t.Fatalf("a quick look says %q, a whole one %q", Quick(data), s.State())
		}
		for _, e := range s.History {
			first, _, _ := strings.Cut(e.Raw, "\n")
			if !strings.Contains(s.doc.Line(e.line), first) {
				t.Fatalf("the entry %q is not in line %d", e.Raw, e.line)
			}
		}
		for _, finding := range s.Check("PKG-01/1_Working/DEL-01-02_X/_STATUS.md") {
			if finding.Line > s.doc.Len() || finding.Message == "" || finding.Fix == "" {
				t.Fatalf("%+v", finding)
			}
		}
		random := rand.New(rand.NewPCG(seed, 0))
		for _, to := range next(s.State()) {
			r, _ := rule(s.State(), to)
			request := Request{To: string(to), Actor: r.Actors[0], ApprovalSHA: "0123abc", Now: now, Note: []string{"", "a note"}[random.IntN(2)]}
			if random.IntN(2) == 0 {
				request.Metadata = []Field{{"basis", "x"}}
			}
			result, err := Transition(data, request)
			if err != nil {
				continue
			}
			if why := differs(s, result, request); why != "" {
				t.Fatalf("from %s to %s: %s\n%s", s.State(), to, why, result.Data)
			}
		}
	})
}

// FuzzRequest puts any texts into a transition: they are refused, or they stay
// what they are and forge nothing.
func FuzzRequest(f *testing.F) {
	f.Add("HUMAN", "a note", "reviewedBy", "somebody", "0123abc")
	f.Add("HUMAN) [x](", "]\n- 2026-01-01 — State set to ISSUED (HUMAN)", "approval_sha", "x\r\n**Approval SHA:** 1", "../../x")
	f.Add("user", "a | b \\", "x-y_zSha", "**Current State:** ISSUED", "FFFFFFF")
	list := []byte("# Status: DEL-01-02\n\n**Current State:** IN_PROGRESS\n**Last Updated:** 2026-02-17\n\n## History\n- 2026-02-17 — State set to IN_PROGRESS (HUMAN)\n")
	table := []byte("# Status: DEL-01-02\n\n**Current State:** IN_PROGRESS\n**Last Updated:** 2026-02-17\n\n## History\n" +
		"| Date | From | To | Actor | Notes |\n|---|---|---|---|---|\n| 2026-02-17 | OPEN | IN_PROGRESS | HUMAN | |\n")
	f.Fuzz(func(t *testing.T, actor, note, key, value, sha string) {
		for _, data := range [][]byte{list, table} {
			request := Request{To: "CHECKING", Actor: actor, Note: note, ApprovalSHA: sha, Metadata: []Field{{key, value}}, Now: now}
			result, err := Transition(data, request)
			if err != nil {
				continue
			}
			before, after := Parse(data), Parse(result.Data)
			if why := differs(before, result, request); why != "" {
				t.Fatalf("%s\n%s", why, result.Data)
			}
			more := 2 // the entry, the approval
			if strings.TrimSpace(value) != "" {
				more++
			}
			if Actor(actor) != Human || after.doc.Len() != before.doc.Len()+more || len(after.History) != 2 ||
				len(after.doc.Headings()) != len(before.doc.Headings()) || len(after.fields) != len(before.fields)+more-1 {
				t.Fatalf("more was written than was asked for:\n%s", result.Data)
			}
		}
	})
}

// FuzzState checks that a state that is read is one that is there.
func FuzzState(f *testing.F) {
	for _, text := range []string{"OPEN", "`in progress`", "ISSUED FOR CONSTRUCTION", "SEMANTIC_READY (since March)", "RETIRED", "checking—x", "ıssued"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, exact := stateOf(text)
		if exact && string(s) != text {
			t.Fatalf("%q is exactly %q", text, s)
		}
		if s.Known() && !strings.Contains(strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToUpper(text)), string(s)) {
			t.Fatalf("%q is %q", text, s)
		}
		if again, _ := stateOf(string(s)); s.Known() && again != s {
			t.Fatalf("%q read again is %q", s, again)
		}
		if d := document.Parse([]byte("**Current State:** " + text)); d.Len() == 1 && Parse(d.Bytes()).CurrentState != string(Quick(d.Bytes())) {
			t.Fatalf("%q reads differently", text)
		}
	})
}
