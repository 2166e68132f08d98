package test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A command that changes an ordinary file and one that runs by itself. Nobody can guess the
// contents.
const makesTwo = `turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "mkdir sub; cat /proc/sys/kernel/random/uuid | tee sub/made.txt >sub/.envrc"}}
      - say: It is made.
  - steps:
      - say: And on it goes.
`

// twoQuestions is a turn that asks two questions about one command.
type twoQuestions struct {
	*place
	server  *server
	session string
	stream  func()
}

func askTwo(t *testing.T) *twoQuestions {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(makesTwo), 0o600))
	p := newPlace(t, "BELAY_SCRIPTED_SCRIPT="+script)
	q := &twoQuestions{place: p, server: p.serve()}
	q.session = q.server.session()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	stream := q.server.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": q.session, "message": "go"}))
	q.stream = func() { _ = stream.Body.Close(); cancel() }
	return q
}

// kill kills the server.
func (q *twoQuestions) kill() {
	q.t.Helper()
	q.server.kill()
	q.stream()
}

// asks waits for the question about a file and returns its id. The readers may not have heard of
// it yet.
func (q *twoQuestions) asks(file string) string {
	q.t.Helper()
	return q.askedFor(file).ID
}

// ends waits for the end of the turn on a new server, and checks its outcome: what is real, is as
// it was shown, and on record. Nothing else is left.
func (q *twoQuestions) ends(want ...string) {
	q.t.Helper()
	ctx, cancel := context.WithTimeout(q.t.Context(), patience)
	defer cancel()
	all := events(q.t, q.server.open(ctx, "GET", "/api/harness/session/"+q.session+"/events?turn="+q.server.turnOf(q.session), "").Body)
	if end := last(q.t, all); end.name != "process:exit" {
		q.t.Errorf("the turn ended with %+v", end)
	}
	asked, given := map[any]any{}, map[any]int{}
	for _, e := range all {
		switch e.name {
		case "permission:request":
			effect, _ := e.data["effect"].(map[string]any)
			asked[e.data["decisionId"]] = effect["automatic"]
		case "permission:resolved":
			given[e.data["decisionId"]]++
		}
	}
	marked := 0
	for id, automatic := range asked {
		if automatic != nil {
			marked++
		}
		if given[id] != 1 {
			q.t.Errorf("the readers learnt %d times of the answer to %v", given[id], id)
		}
	}
	if len(asked) != 2 || len(given) != 2 || marked != 1 {
		q.t.Errorf("asked: %v, answered: %v", asked, given)
	}
	q.areReal(want...)
}

func (q *twoQuestions) areReal(want ...string) {
	q.t.Helper()
	slices.Sort(want)
	var got []string
	for _, name := range []string{"sub/.envrc", "sub/made.txt"} {
		if _, err := os.Stat(filepath.Join(q.project, name)); err == nil {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		q.t.Errorf("the files (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want, q.changed(q.session)); diff != "" {
		q.t.Errorf("on record (-want +got)\n%s", diff)
	}
	if len(want) == 2 && q.content("sub/.envrc") != q.content("sub/made.txt") {
		q.t.Error("the files are of two commands")
	}
	if open, kept := q.run("decision", "list"), q.run("changes", "list"); strings.Contains(open, "dec_") || strings.Contains(kept, "chg_") {
		q.t.Errorf("open is %q, kept is %q", open, kept)
	}
	if left, err := filepath.Glob(filepath.Join(q.project, ".belay", "changes", "*")); err != nil || len(left) > 0 {
		q.t.Errorf("there is still %v, %v", left, err)
	}
	q.run("audit", "verify")
	q.run("session", "undo", q.session)
	if _, err := os.Stat(filepath.Join(q.project, "sub")); !os.IsNotExist(err) {
		q.t.Errorf("after the undo: %v", err)
	}
}

// The server is killed while a person is asked one of two questions about a command, and between
// them. Each answer counts for its own files, and the command does not run again.
//
// Covers: turn-api REQ-04, REQ-12
func TestKilledAtTwoQuestions(t *testing.T) {
	t.Parallel()
	for _, verdicts := range [][2]string{{"allow", "allow"}, {"allow", "deny"}, {"deny", "allow"}} {
		var want []string
		for i, name := range []string{"sub/made.txt", "sub/.envrc"} {
			if verdicts[i] == "allow" {
				want = append(want, name)
			}
		}
		for when, play := range map[string]func(q *twoQuestions){
			"the first is open": func(q *twoQuestions) {
				first := q.asks("sub/made.txt")
				q.kill()
				q.server = q.serve()
				if again := q.asks("sub/made.txt"); again != first {
					q.t.Errorf("the question was %s and is %s", first, again)
				}
				q.run("decision", verdicts[0], first)
				q.run("decision", verdicts[1], q.asks("sub/.envrc"))
			},
			"the first is answered": func(q *twoQuestions) {
				first := q.asks("sub/made.txt")
				q.kill()
				q.run("decision", verdicts[0], first)
				q.server = q.serve()
				q.run("decision", verdicts[1], q.asks("sub/.envrc"))
			},
			"the second is open": func(q *twoQuestions) {
				q.run("decision", verdicts[0], q.asks("sub/made.txt"))
				second := q.asks("sub/.envrc")
				q.kill()
				_, err := os.Stat(filepath.Join(q.project, "sub/made.txt"))
				if made := err == nil; made != (verdicts[0] == "allow") {
					q.t.Errorf("the first answer is carried out: %v", made)
				}
				q.server = q.serve()
				if again := q.asks("sub/.envrc"); again != second {
					q.t.Errorf("the question was %s and is %s", second, again)
				}
				q.run("decision", verdicts[1], second)
			},
			"the second is answered": func(q *twoQuestions) {
				q.run("decision", verdicts[0], q.asks("sub/made.txt"))
				second := q.asks("sub/.envrc")
				q.kill()
				q.run("decision", verdicts[1], second)
				q.server = q.serve()
			},
		} {
			t.Run(when+" "+strings.Join(verdicts[:], " "), func(t *testing.T) {
				t.Parallel()
				q := askTwo(t)
				play(q)
				q.ends(want...)
			})
		}
	}
}

// The process that carries the first answer out and asks the second question is killed at any
// change of a file. What was allowed is real in the end, once, and on record.
//
// Covers: turn-api REQ-04, REQ-12
func TestKilledBetweenTwoQuestions(t *testing.T) {
	t.Parallel()
	kills := 0
	for at := 7; ; at += 17 {
		q := askTwo(t)
		first := q.asks("sub/made.txt")
		q.kill()
		q.run("decision", "allow", first)
		turn := q.stepped(t, at, "turn", "--session", q.session, "on")
		must(t, turn.Start())
		ended := make(chan error, 1)
		go func() { ended <- turn.Wait() }()
		var err error
		for over := false; !over; {
			select {
			case err = <-ended:
				over = true
			default:
				q.allow()
				time.Sleep(5 * time.Millisecond)
			}
		}
		if at%2 == 0 { // the answer is there before anyone takes the turn up
			q.allow()
		}
		q.server = q.serve()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == steppedKilled {
			kills++
		} else if err != nil {
			t.Fatalf("step %d: %v", at, err)
		} else {
			at = 0
		}
		q.settle()
		q.areReal("sub/.envrc", "sub/made.txt")
		q.hearsOfEach()
		q.server.kill()
		if at == 0 || t.Failed() {
			t.Logf("killed %d times, at last at step %d", kills, at)
			break
		}
	}
	if kills < 10 {
		t.Errorf("killed %d times only", kills)
	}
}

// hearsOfEach checks that the readers hear of a question before they hear of its answer.
func (q *twoQuestions) hearsOfEach() {
	q.t.Helper()
	asked := map[string]bool{}
	for line := range strings.Lines(q.content(".belay/sessions/" + q.session + "/log/0001.jsonl")) {
		var e struct {
			Type string
			Data struct{ DecisionID string }
		}
		must(q.t, json.Unmarshal([]byte(line), &e))
		switch id := e.Data.DecisionID; e.Type {
		case "permission:request":
			asked[id] = true
		case "permission:resolved":
			if !asked[id] {
				q.t.Errorf("the readers hear of the answer to %s only", id)
			}
		}
	}
	if len(asked) != 2 {
		q.t.Errorf("the log has %d questions", len(asked))
	}
}

// allow answers what is open, as long as it is.
func (q *twoQuestions) allow() {
	q.t.Helper()
	for _, open := range q.questions() {
		out, err := q.command("decision", "allow", open.ID).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "DECISION_CLOSED") {
			q.t.Fatalf("%v\n%s", err, out)
		}
	}
}

// settle allows what is asked until the turn has its end on record.
func (q *twoQuestions) settle() {
	q.t.Helper()
	wait(q.t, "the turn ends", func() bool {
		q.allow()
		return strings.Contains(q.content(".belay/sessions/"+q.session+"/transcript.jsonl"), `"kind":"end"`)
	})
}

// A turn that was taken up at the second question is interrupted. What the process before it had
// applied is on record, and the other part is kept.
//
// Covers: turn-api REQ-04, REQ-12
func TestInterruptedAtTheSecondQuestion(t *testing.T) {
	t.Parallel()
	q := askTwo(t)
	q.run("decision", "allow", q.asks("sub/made.txt"))
	q.asks("sub/.envrc")
	q.kill()
	q.server = q.serve()
	q.asks("sub/.envrc")
	q.run("session", "interrupt", q.session)
	wait(t, "the turn ends", func() bool {
		return strings.Contains(q.content(".belay/sessions/"+q.session+"/transcript.jsonl"), `"kind":"end"`)
	})
	if diff := cmp.Diff([]string{"sub/made.txt"}, q.changed(q.session)); diff != "" {
		t.Errorf("on record (-want +got)\n%s", diff)
	}
	if kept := q.run("changes", "list"); strings.Count(kept, "chg_") != 1 || !strings.Contains(kept, "kept, runs by itself") {
		t.Errorf("kept is %q", kept)
	}
	if open := q.run("decision", "list"); strings.Contains(open, "dec_") {
		t.Errorf("open is %q", open)
	}
}
