//go:build crashtest

package journal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/journal/journaltest"
)

// These tests see every operation on files by the hook of package durable, which
// is one for the process: they do not run in parallel.

var errDead = errors.New("the process is dead")

// dies runs f as a process that dies at the operation of a number, from 1: that
// and all that follow are not done. It reports whether f came so far.
func dies(at int, f func()) bool {
	n := 0
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if n++; n >= at {
			return errDead
		}
		return quick(op)
	}})
	defer durable.SetHook(nil)
	f()
	return n >= at
}

// quick leaves flushes out, which a process that dies does not need.
func quick(op durable.Op) error {
	if op.Verb == durable.OpFlush || op.Verb == durable.OpFlushDir {
		return durable.ErrSkipped
	}
	return nil
}

// attempt makes changes, and says what came of it.
func (s *site) attempt(changes []journal.Change) error {
	p, err := s.store.Open(s.t.Context(), s.project, s.root)
	if err != nil {
		return err
	}
	defer p.Close()
	return apply(p, s.planned(changes))
}

// checkHalf checks that every old content can be found: in the project, or in the blobs
// where callers keep it.
func (s *site) checkHalf(what string, before, after journaltest.Tree) {
	s.t.Helper()
	now := s.tree()
	for name := range now {
		if strings.HasPrefix(filepath.Base(name), durable.TempPrefix) {
			delete(now, name) // of a copy that was under way
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok && after[name] != "" && strings.HasPrefix(before[name], "-") && strings.HasPrefix(after[name], "-") {
			s.t.Errorf("%s: %s is missing", what, name)
		}
	}
	lost, err := journaltest.Lost(s.project, before)
	must(s.t, err)
	if len(lost) > 0 {
		s.t.Errorf("%s: nobody has the old content of %v", what, lost)
	}
}

// A process that dies at any operation leaves a project that the next one finds
// wholly changed or not at all, also if that one, settling it, dies at any
// operation. Until then every old content can be found.
func TestDeadAtEveryOperation(t *testing.T) {
	for way, configure := range ways {
		for name, w := range works() {
			if name == "rename" && way == "mount" {
				continue
			}
			t.Run(way+"/"+name, func(t *testing.T) {
				after := w.wanted(t)
				whole := map[bool]int{}
				for at := 1; ; at++ {
					s := newSite(t, configure)
					s.fill(w.before)
					before := s.tree()
					s.lay(w.changes)
					var err error
					if !dies(at, func() { err = s.attempt(w.changes) }) {
						must(t, err)
						break
					}
					s.checkHalf(fmt.Sprintf("dead at %d", at), before, after)
					for again := 1; again < 400; again++ {
						if !dies(again, func() {
							if p, err := s.store.Open(t.Context(), s.project, s.root); err == nil {
								must(t, p.Close())
							}
						}) {
							break
						}
						if again%7 == 0 { // often enough: each is a look at every file
							s.checkHalf(fmt.Sprintf("dead at %d, then at %d", at, again), before, after)
						}
					}
					s.settle()
					if half := journaltest.Half(before, s.tree(), after); half != "" {
						t.Fatalf("dead at %d: %s", at, half)
					}
					made := journaltest.Equal(after, s.tree())
					s.givenBack(fmt.Sprintf("dead at %d", at), w.changes, made)
					whole[made]++
				}
				if whole[true] == 0 || whole[false] == 0 {
					t.Errorf("the project was changed %d times and not changed %d times", whole[true], whole[false])
				}
			})
		}
	}
}

// The same where the transaction ends with a conflict, so that it is taken back.
func TestDeadWhileTakingBack(t *testing.T) {
	for way, configure := range ways {
		t.Run(way, func(t *testing.T) {
			w := works()["many"]
			changes := append(w.changes[:len(w.changes):len(w.changes)], replace("last", "other", "theirs"))
			for at := 1; ; at++ {
				s := newSite(t, configure)
				s.fill(w.before)
				s.fill(map[string]string{"last": "mine"})
				before := s.tree()
				s.lay(changes)
				if !dies(at, func() { _ = s.attempt(changes) }) {
					break
				}
				for again := 1; again < 400 && dies(again, func() {
					if p, err := s.store.Open(t.Context(), s.project, s.root); err == nil {
						must(t, p.Close())
					}
				}); again += 3 {
				}
				s.settle()
				s.same(fmt.Sprintf("dead at %d", at), before)
				s.givenBack(fmt.Sprintf("dead at %d", at), changes, false)
			}
		})
	}
}

// Every operation that fails, once or from then on wherever something is written, as on a full
// disk, leaves the project as it was, or changed and nobody told that it was not.
func TestEveryOperationFails(t *testing.T) {
	full := errors.New("no space left on device")
	for way, configure := range ways {
		w := works()["many"]
		for _, once := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/once=%v", way, once), func(t *testing.T) {
				after := w.wanted(t)
				for at := 1; ; at++ {
					s := newSite(t, configure)
					s.fill(w.before)
					before := s.tree()
					s.lay(w.changes)
					n := 0
					durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
						writes := op.Verb == durable.OpCreate || op.Verb == durable.OpWrite
						if n++; n == at || n > at && !once && writes {
							return full
						}
						return quick(op)
					}})
					err := s.attempt(w.changes)
					durable.SetHook(nil)
					if n < at {
						must(t, err)
						break
					}
					what := fmt.Sprintf("operation %d failed", at)
					switch {
					case err == nil:
						s.same(what+", and it was done all the same", after)
					case journaltest.Equal(before, s.tree()):
					default:
						// What cannot be taken back now is settled next.
						if !errors.Is(err, journal.ErrUnsettled) {
							t.Errorf("%s: nobody says that it is not settled: %v", what, err)
						}
						s.settle()
						if half := journaltest.Half(before, s.tree(), after); half != "" {
							t.Errorf("%s: %s", what, half)
						}
					}
					s.settle()
					done := journaltest.Equal(after, s.tree())
					if done && err != nil && !errors.Is(err, journal.ErrUnsettled) {
						t.Errorf("%s: it is done after all: %v", what, err)
					}
					s.givenBack(what, w.changes, done)
				}
			})
		}
	}
}

func init() {
	children["kill"] = func() {
		at, err := strconv.ParseInt(os.Getenv("AT"), 10, 64)
		grownUp(err)
		var n atomic.Int64
		durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
			if n.Add(1) == at {
				p, err := os.FindProcess(os.Getpid())
				grownUp(err)
				grownUp(p.Kill())
				select {} // until it arrives
			}
			return quick(op)
		}})
		root, err := os.OpenRoot(os.Getenv("PROJECT"))
		grownUp(err)
		store := journal.New(os.Getenv("JOURNAL"), nil)
		p, err := store.Open(context.Background(), root.Name(), root)
		grownUp(err)
		grownUp(apply(p, journal.Plan{Owner: journal.Owner{What: "test", Session: "s1"}, Changes: works()["many"].changes}))
		fmt.Println("survived")
	}
}

// A real process is killed at every operation.
func TestKilledAtEveryOperation(t *testing.T) {
	w := works()["many"]
	after := w.wanted(t)
	for at := 1; ; at++ {
		s := newSite(t)
		s.fill(w.before)
		before := s.tree()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=kill", "PROJECT="+s.project, "JOURNAL="+s.dir, "AT="+strconv.Itoa(at))
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "survived") {
			break
		}
		if cmd.ProcessState.ExitCode() > 0 {
			t.Fatalf("the child failed: %v\n%s", err, out)
		}
		s.checkHalf(fmt.Sprintf("killed at %d", at), before, after)
		s.settle()
		if half := journaltest.Half(before, s.tree(), after); half != "" {
			t.Fatalf("killed at %d: %s", at, half)
		}
	}
}
