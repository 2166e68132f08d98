package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const asking = `turns:
  - when: go
    steps:
      - wait: 300ms
      - call: {name: write, input: {path: a.txt, content: "a\n"}}
      - say: The end.
`

func TestAnswersAtTheTerminal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keys, shows string
		made        bool
	}{
		"yes":           {"y\n", `decided.*allowed by ana$`, true},
		"for a session": {"s\n", `decided.*allowed for the session by ana$`, true},
		"no, and why":   {"n use another name\n", `decided.*denied by ana: use another name$`, false},
		"first nothing": {"perhaps\n\nYES\n", `decided.*allowed by ana$`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, project := onTerminal(t, nil, "turn", "go")
			x.shows(`allow\?\S* \[y = allow, n = deny, s = allow for the session\]`)
			x.types(tt.keys)
			x.shows(tt.shows)
			x.ends(0)
			if told, wrong := strings.Contains(x.screen(), "that is not a valid answer; type one of these: y = allow"), strings.Contains(tt.keys, "perhaps"); told != wrong {
				t.Errorf("the answers that there are: told %v, want %v", told, wrong)
			}
			if told := strings.Contains(x.screen(), "1 call refused\n"); told == tt.made || strings.Contains(x.screen(), "hint:") {
				t.Errorf("the end does not tell what became of the call:\n%s", x.screen())
			}
			if _, err := os.Stat(filepath.Join(project, "a.txt")); (err == nil) != tt.made {
				t.Errorf("the file: %v, want it made: %v", err, tt.made)
			}
		})
	}
}

// A run that waits for a person asks at the terminal where it runs. Several tasks ask one
// after the other, and somebody else may answer.
func TestAnswersARunAtTheTerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, asking, nil, "version")
	x.ends(0)
	const flow = `id: asks
tasks:
  - id: all
    type: collection
    items: [x, y, z]
    mode: parallel
    strategy: best_effort
    task: {id: ask, type: wait, message: "Take {{ .item }}?"}
outputs: {all: "{{ .tasks.all.output | toJson }}"}
`
	if err := os.WriteFile(filepath.Join(project, "asks.yaml"), []byte(flow), 0o600); err != nil {
		t.Fatal(err)
	}
	x = x.another("run", "asks.yaml")
	asked := `(?s)Take (.)\?\n[^\n]*belay decision allow dec_\w+\n[^\n]*deny dec_\w+\n\S*continue all/\d/ask\?\S* \[y = continue, n = refuse\] `
	first := x.shows(asked)
	x.shows(`(?s)for an answer, too.*for an answer, too.*continue all/\d/ask\?`)
	if n := strings.Count(x.screen(), "Take "); n != 1 {
		t.Errorf("%d questions are shown, and one is asked:\n%s", n, x.screen())
	}
	x.types("s\nn " + first + " is too long\n")
	second := x.shows(`(?s)failed.*` + asked)
	x.types("y\n")
	x.shows(`(?s)failed.*done.*` + asked)
	id := strings.TrimSpace(x.shows(`(?s).*belay decision allow (dec_\w+)`))
	other := exec.Command(x.cmd.Path, "decision", "allow", id)
	other.Env = append(x.cmd.Env, "USER=ben")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	x.ends(0)
	x.shows(first + ` is too long`)
	if first == second {
		t.Errorf("it asked %s twice:\n%s", first, x.screen())
	}
}

// Of what a command changed, a person picks files at the prompt.
func TestPicksFilesAtTheTerminal(t *testing.T) {
	t.Parallel()
	if found, err := machine(); err != nil || !found.Overlay {
		t.Skipf("no overlay here: %v", err)
	}
	const script = `turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "mkdir src; touch a.txt src/b.go src/c.go"}}
      - say: The end.
`
	x, project := playOnTerminal(t, script, nil, "turn", "go")
	x.shows(`o = allow some files`)
	x.types("o\n")
	x.shows(`^\S*3 .*src/c\.go`)
	x.types("o 7\n")
	x.shows(`none of the 3 files is "7"`)
	x.types("o 1 src/c*\n")
	x.shows(`decided.*allowed by ana`)
	x.ends(0)
	for name, want := range map[string]bool{"a.txt": true, "src/b.go": false, "src/c.go": true} {
		if _, err := os.Stat(filepath.Join(project, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it made: %v\n%s", name, err, want, x.screen())
		}
	}
}

// With --json nobody is asked at a terminal either.
func TestNobodyIsAskedInJSON(t *testing.T) {
	t.Parallel()
	x, project := onTerminal(t, nil, "turn", "--json", "go")
	x.shows(`"outcome":"refused"`)
	x.ends(0)
	if _, err := os.Stat(filepath.Join(project, "a.txt")); err == nil || strings.Contains(x.screen(), "permission:request") {
		t.Errorf("the call was made or asked about: %v\n%s", err, x.screen())
	}
}

// What was typed before the question was on the screen does not answer it.
func TestTypedAheadIsNoAnswer(t *testing.T) {
	t.Parallel()
	x, project := onTerminal(t, nil, "turn", "go")
	x.shows(`^\S*model`)
	x.types("y\n")
	x.shows(`allow\?`)
	x.types("n\n")
	x.shows(`decided.*denied by ana$`)
	x.ends(0)
	if _, err := os.Stat(filepath.Join(project, "a.txt")); err == nil {
		t.Error("a key that was pressed too early allowed the call")
	}
}

// The terminal is one of several that may answer.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	x, _ := onTerminal(t, nil, "turn", "go")
	id := x.prints(`belay decision allow (dec_\w+)\n`)
	x.shows(`allow\?`)
	other := exec.Command(x.cmd.Path, "decision", "allow", id)
	other.Env = append(x.cmd.Env, "USER=ben")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	x.shows(`decided.*allowed by ben$`)
	x.ends(0)
}

// A diff has colours on a terminal, and none with NO_COLOR.
func TestQuestionColours(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{"COLUMNS=50": `\x1b\[32m\+a\x1b\[0m$`, "NO_COLOR=1": `^ +\+a$`} {
		x, _ := onTerminal(t, []string{env}, "turn", "go")
		x.shows(want)
		x.shows(`allow\?`)
		x.types("y\n")
		x.ends(0)
		if plain := !strings.Contains(x.screen(), "\x1b"); plain != (env == "NO_COLOR=1") {
			t.Errorf("%s: without escapes %v:\n%q", env, plain, x.screen())
		}
	}
}
