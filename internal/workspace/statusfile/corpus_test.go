package statusfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/lifecycle"
)

// allowed is the specification's table of transitions (workspace 3.3), written down
// a second time: who may go from a state to which one.
var allowed = map[[2]lifecycle.State][]string{
	{"OPEN", "INITIALIZED"}:           {"4_DOCUMENTS"},
	{"INITIALIZED", "SEMANTIC_READY"}: {"CHIRALITY_FRAMEWORK"},
	{"INITIALIZED", "IN_PROGRESS"}:    {"HUMAN", "WORKING_ITEMS"},
	{"SEMANTIC_READY", "IN_PROGRESS"}: {"HUMAN", "WORKING_ITEMS"},
	{"IN_PROGRESS", "CHECKING"}:       {"HUMAN"},
	{"CHECKING", "ISSUED"}:            {"HUMAN"},
}

// actors are all that the table has, and some that only look like one of them.
var actors = []string{"HUMAN", "4_DOCUMENTS", "CHIRALITY_FRAMEWORK", "WORKING_ITEMS", "PREPARATION", "HUMANOID_BOT", "4_DOCUMENTS_2"}

func mayGo(from, to lifecycle.State, actor string) bool {
	for _, a := range allowed[[2]lifecycle.State{from, to}] {
		if a == actor {
			return true
		}
	}
	return false
}

// TestCorpus takes a copy of every real _STATUS.md to every state, by everybody, as
// it is and as if it were in another state. What the table allows is done, and
// changes only its own lines; what it does not is refused, and changes nothing.
//
// Covers: workspace 3.1, 3.2, 3.3
func TestCorpus(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("BELAY_CORPUS")
	if corpus == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	project, w := t.TempDir(), writer(t)
	states := lifecycle.States()
	files, made, refused := 0, 0, 0
	err := filepath.WalkDir(corpus, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "_STATUS.md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		folder := "PKG-01_A/1_Working/" + filepath.Base(filepath.Dir(path))
		for _, text := range []string{string(data), inState(string(data), states[files%len(states)])} {
			d := inProject(t, project, folder, text)
			from := lifecycle.Parse([]byte(text)).State()
			for _, to := range states {
				for _, actor := range actors {
					if attempt(t, w, d, text, from, to, actor) {
						made++
					} else {
						refused++
					}
				}
			}
		}
		return os.RemoveAll(filepath.Join(project, "PKG-01_A"))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: %d transitions made, %d refused", files, made, refused)
	if files == 0 || made < files || refused < 60*files {
		t.Errorf("%d files: %d transitions made, %d refused", files, made, refused)
	}
}

// attempt asks for a transition, checks what came of it and puts the file back.
func attempt(t *testing.T, w *Writer, d workspace.Deliverable, text string, from, to lifecycle.State, actor string) (made bool) {
	t.Helper()
	ask := lifecycle.Request{To: string(to), Actor: actor, ApprovalSHA: "1234567"}
	s, _, err := w.Change(t.Context(), d, Change{Request: ask})
	after := content(t, d)
	switch {
	case err != nil && mayGo(from, to, actor):
		t.Errorf("%s: from %s to %s by %s: %v", d.Rel, from, to, actor, err)
	case err == nil && !mayGo(from, to, actor):
		t.Errorf("%s: went from %s to %s by %s", d.Rel, from, to, actor)
	case err != nil:
		if typed := (*fault.Error)(nil); !errors.As(err, &typed) || after != text {
			t.Errorf("%s: from %s to %s by %s: %v, and the file is\n%s", d.Rel, from, to, actor, err, after)
		}
		return false
	}
	if why := othersChanged(text, after); why != "" {
		t.Errorf("%s: from %s to %s: %s\n%s", d.Rel, from, to, why, after)
	}
	newest := "State set to " + string(to) + " (" + actor + ")"
	row := regexp.MustCompile(`\| ` + string(to) + ` \| ` + actor + ` \|`)
	if s.Status.State() != to || len(s.Status.History) != len(lifecycle.Parse([]byte(text)).History)+1 || !strings.Contains(after, newest) && !row.MatchString(after) {
		t.Errorf("%s: from %s to %s it reads\n%s", d.Rel, from, to, after)
	}
	inProject(t, d.Project, d.Rel, text)
	return true
}

var stateLine = regexp.MustCompile(`(?m)^(\*\*Current State:\*\*)[^\r\n]*`)

func inState(text string, s lifecycle.State) string {
	return stateLine.ReplaceAllString(text, "$1 "+string(s))
}

// own are the lines that a transition may change.
var own = regexp.MustCompile(`^\s*\*\*(Current State|Last Updated|(Checking )?Approval SHA):\*\*`)

// othersChanged says which line of another kind is not there any more as it was, in
// its order and with its end; and when there are more new ones than an approval and
// an entry take.
func othersChanged(before, after string) string {
	rest := strings.SplitAfter(after, "\n")
	for line := range strings.Lines(before) {
		if own.MatchString(line) {
			continue
		}
		for len(rest) > 0 && rest[0] != line && rest[0] != line+"\n" && rest[0] != line+"\r\n" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return "the line is gone: " + line
		}
		rest = rest[1:]
	}
	if more := strings.Count(after, "\n") - strings.Count(before, "\n"); more > 4 {
		return "many lines are new"
	}
	return ""
}
