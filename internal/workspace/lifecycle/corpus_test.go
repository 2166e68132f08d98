package lifecycle

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/workspace/document"
)

// now is later than every date in the real projects.
var now = time.Date(2027, 3, 4, 23, 0, 0, 0, time.UTC)

// corpus returns every status file of the real projects, by path.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	root := os.Getenv("BELAY_CORPUS")
	if root == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != "_STATUS.md" {
			return err
		}
		files[strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/")], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// TestCorpusFindings counts what is said of the real files; each kind was looked
// at and is true.
func TestCorpusFindings(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for path, data := range corpus(t) {
		s := Parse(data)
		if why, ok := s.Readable(); !ok {
			t.Errorf("%s cannot be read: %s", path, why)
		}
		if Quick(data) != s.State() {
			t.Errorf("%s: a quick look says %q, a whole one %q", path, Quick(data), s.State())
		}
		if !bytes.Equal(s.doc.Bytes(), data) {
			t.Errorf("%s is not what it was", path)
		}
		for _, f := range s.Check(path) {
			if got[f.Code]++; f.Line == 0 || f.Fix == "" || f.Path != path {
				t.Errorf("%+v", f)
			}
		}
	}
	want := map[string]int{
		"STATUS_TITLE": 77, "STATUS_HISTORY_TABLE": 77, "STATUS_ACTOR": 48, "STATUS_HEADING": 40, "STATUS_HISTORY_FORM": 31,
		"STATUS_HISTORY_ORDER": 16, "STATUS_STATE_UNKNOWN": 10, "STATUS_HISTORY_PROSE": 7, "STATUS_VALUE": 2, "STATUS_SKIPPED": 2,
	}
	for code := range want {
		if got[code] != want[code] {
			t.Errorf("%s: %d, want %d", code, got[code], want[code])
		}
	}
	if len(got) != len(want) {
		t.Errorf("found %v", got)
	}
}

// TestCorpusTransitions takes each real file through any sequence of transitions,
// as it is and as if it were in another state: only its own lines change, and
// what was done is read back.
func TestCorpusTransitions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	done := 0
	for path, data := range corpus(t) {
		for _, start := range append(States(), "") {
			text := data
			if start != "" {
				doc := document.Parse(data)
				doc.SetField(*Parse(data).state, string(start))
				text = doc.Bytes()
			}
			done += walk(t, path, text, random)
		}
	}
	if done < 1000 {
		t.Errorf("only %d transitions were made", done)
	}
}

// walk makes transitions as long as there are any, and checks each.
func walk(t testing.TB, path string, data []byte, random *rand.Rand) (done int) {
	t.Helper()
	clock := now
	for range 10 {
		clock = clock.AddDate(0, 0, random.IntN(2))
		before := Parse(data)
		options := next(before.State())
		if len(options) == 0 {
			return done
		}
		to := options[random.IntN(len(options))]
		r, _ := rule(before.State(), to)
		request := Request{
			To: string(to), Actor: r.Actors[random.IntN(len(r.Actors))], ApprovalSHA: "0123abc", Now: clock,
		}
		if random.IntN(2) == 0 {
			request.Note = "see DEC-3 | a (note)"
			request.Metadata = []Field{{"reviewedBy", "somebody"}}
		}
		result, err := Transition(data, request)
		if err != nil {
			t.Errorf("%s: from %s to %s: %v\n%s", path, before.State(), to, err, data)
			return done
		}
		if why := differs(before, result, request); why != "" {
			t.Errorf("%s: from %s to %s: %s\n--- before\n%s\n--- after\n%s", path, before.State(), to, why, data, result.Data)
			return done
		}
		data = result.Data
		done++
	}
	return done
}

// labels are those of the lines that a transition may change.
func labels(r Result, request Request) []string {
	all := []string{"Current State", "Last Updated"}
	if found, _ := rule(r.From, r.To); found.Approval != "" {
		all = append(all, found.Approval)
	}
	for _, m := range request.Metadata {
		all = append(all, labelOf(m.Key))
	}
	return all
}

// differs says what a transition changed that it should not have, or "". All lines
// but its own must be there, in their order, with their ends.
func differs(before *Status, r Result, request Request) string {
	rest, own := lines(r.Data), labels(r, request)
	for i, line := range lines(before.doc.Bytes()) {
		owned := slices.ContainsFunc(before.fields, func(f document.Field) bool {
			return f.Line == i && (is(before.state, f) || is(before.updated, f) || slices.ContainsFunc(own, func(l string) bool { return same(l, f.Label) }))
		})
		if owned || loneMark.MatchString(line) {
			continue
		}
		at := slices.IndexFunc(rest, func(other string) bool {
			return other == line || i == before.doc.Len()-1 && strings.TrimRight(other, "\r\n") == line
		})
		if at < 0 {
			return "a line is gone: " + line
		}
		rest = rest[at+1:]
	}
	after := Parse(r.Data)
	ordered := chronological(after.history.entries)
	newest := ordered[len(ordered)-1]
	switch {
	case after.State() != r.To, newest.State != string(r.To), newest.Actor != strings.TrimSpace(request.Actor), newest.Notes != strings.TrimSpace(request.Note):
		return "it does not read back"
	case after.doc.Len() > before.doc.Len()+8:
		return "many lines were added"
	}
	for _, f := range after.Check("x/_STATUS.md") {
		if f.Code == ruleDisagrees.Code || f.Code == ruleUpdated.Code {
			return f.Message
		}
	}
	return ""
}

// lines are the lines of a file with their ends, of whatever kind.
func lines(data []byte) []string {
	return lineForm.FindAllString(strings.TrimPrefix(string(data), "\ufeff"), -1)
}

// loneMark is an item without text, which stands for an empty history.
var loneMark = regexp.MustCompile(`^ {0,3}([-*+]|[0-9]+[.)])\s*$`)

var lineForm = regexp.MustCompile(`[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$`)
