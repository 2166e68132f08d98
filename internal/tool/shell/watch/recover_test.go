package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/workspace"
)

// beside is another process's view of the house.
func (h *house) beside(session string) *house {
	h.t.Helper()
	other := *h
	other.w = New(h.w.o)
	other.place.Origin = tool.Origin{SessionID: session, TurnID: "turn_" + session, CallID: "call_" + session}
	h.t.Cleanup(func() { h.must(other.w.Close()) })
	return &other
}

// dies runs what a command does whose process is killed in the middle of it.
func (h *house) dies(command func()) {
	h.t.Helper()
	x, err := h.w.Begin(h.t.Context(), h.place)
	h.must(err)
	command()
	h.must(x.p.end(x.lock)) // as the kernel does when the keeper has ended
}

// recover takes all findings of a session.
func (h *house) recover() (all Result) {
	h.t.Helper()
	if !h.w.Left(h.dir, h.place.Origin.SessionID) {
		return Result{}
	}
	found, err := h.w.Recover(h.t.Context(), h.place)
	h.must(err)
	for _, f := range found {
		if f.Origin != h.place.Origin {
			h.t.Errorf("a finding of %+v", f.Origin)
		}
		all.Changes, all.Notes = append(all.Changes, f.Changes...), append(all.Notes, f.Notes...)
		h.must(h.w.Drop(f.Origin.SessionID, f.ID))
	}
	if h.w.Left(h.dir, h.place.Origin.SessionID) {
		h.t.Error("there is still something left")
	}
	return all
}

// guarded is the scope of a persona that another process can know.
func (h *house) guarded() tool.Scope {
	return tool.AllOf{workspace.NewScope(workspace.ScopeOptions{WriteScope: "project-level", Project: h.dir})}
}

// Whoever comes next finds out what a command did whose process died, takes back
// what it had no right to, and leaves the rest for its session.
//
// Covers: workspace 9.5
func TestACommandWhoseProcessDied(t *testing.T) {
	t.Parallel()
	for name, settle := range map[string]func(h *house){
		"its session comes first":     func(*house) {},
		"another command comes first": func(h *house) { h.beside("other").during(func() {}) },
		"a command of its own comes first": func(h *house) {
			other := h.beside("mine")
			if r := other.during(func() { h.write("later", "x") }); len(r.Changes) != 1 {
				t.Errorf("the next command is said to have changed %v", h.lines(r))
			} else {
				r.Recorded()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, plain)
			mine := h.beside("mine")
			mine.place.Scope = h.guarded()
			mine.during(func() { h.write("before", "1") }).Recorded()
			mine.dies(func() {
				h.write("a.txt", "A!")
				h.must(os.Remove(h.at("b.txt")))
				h.write("new/n.txt", "n")
				h.write("DEL/_STATUS.md", "mine")
			})
			after := h.beside("mine")
			settle(after)
			r := after.recover()
			want := []string{
				"DEL/_STATUS.md: restored", "a.txt: a -rw-r--r-- > A! -rw-r--r--", "b.txt: b -rw-r--r-- > none", "new/n.txt: none > n -rw-r--r--",
			}
			if diff := cmp.Diff(want, mine.lines(r)); diff != "" {
				t.Errorf("changes (-want +got):\n%s%v", diff, r.Notes)
			}
			if got := h.all()["DEL/_STATUS.md"]; got != "state" || len(r.Notes) != 2 {
				t.Errorf("_STATUS.md holds %q; %q", got, r.Notes)
			}
			if r := after.recover(); len(r.Changes)+len(r.Notes) > 0 {
				t.Errorf("the second time: %+v", r)
			}
			if left, _ := filepath.Glob(filepath.Join(h.state, projectsDir, "*", announceFile)); len(left) > 0 {
				t.Errorf("there is still %v", left)
			}
		})
	}
}

// A finding that was not dropped is told again: it was not put on record.
func TestFindingsStayUntilTheyAreOnRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain).beside("mine")
	r := h.during(func() { h.write("a.txt", "A!") })
	if len(r.Changes) != 1 || r.Recorded == nil || !h.w.Left(h.dir, "mine") {
		t.Fatalf("%+v", r)
	}
	if found, err := h.beside("mine").w.Recover(t.Context(), h.place); err != nil || len(found) != 1 || cmp.Diff(r.Changes, found[0].Changes) != "" {
		t.Errorf("found %+v, %v", found, err)
	}
	r.Recorded()
	if h.w.Left(h.dir, "mine") {
		t.Error("it is still left")
	}
	if r := h.during(func() {}); r.Recorded != nil {
		t.Error("a command that did nothing left something")
	}
}

// What changed long after the command's last sign of life is somebody else's, and
// is left alone.
func TestWhatChangedAfterTheCrashIsNotTheCommands(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain).beside("mine")
	h.place.Scope = h.guarded()
	h.dies(func() {})
	locks, err := filepath.Glob(filepath.Join(h.state, projectsDir, "*", lockFile))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	long := time.Now().Add(-time.Hour)
	h.must(os.Chtimes(locks[0], long, long))
	h.write("DEL/_STATUS.md", "by a person")
	h.write("a.txt", "by a person")
	r := h.recover()
	if len(r.Changes) != 0 || h.all()["DEL/_STATUS.md"] != "by a person" || !strings.Contains(strings.Join(r.Notes, "\n"), "2 files") {
		t.Errorf("%v %q", h.lines(r), r.Notes)
	}
}

// What was kept may be damaged, or gone. Then that is what is found, once.
func TestDamagedRemains(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(pack string) error{
		"index cut":    func(pack string) error { return os.Truncate(pack+indexSuffix, 10) },
		"index empty":  func(pack string) error { return os.Truncate(pack+indexSuffix, 0) },
		"index gone":   func(pack string) error { return os.Remove(pack + indexSuffix) },
		"contents cut": func(pack string) error { return os.Truncate(pack, 0) },
		"all gone":     removeKept,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, plain).beside("mine")
			h.dies(func() { h.write("a.txt", "A!") })
			packs, err := filepath.Glob(filepath.Join(h.state, projectsDir, "*", keptPrefix+"*[A-Z2-7]"))
			if err != nil || len(packs) != 1 {
				t.Fatal(packs, err)
			}
			h.must(damage(packs[0]))
			if r := h.recover(); !strings.Contains(strings.Join(r.Notes, "\n"), "not all of it is known") {
				t.Errorf("%+v", r)
			}
			if r := h.beside("mine").during(func() { h.write("b.txt", "B!") }); len(r.Changes) != 1 {
				t.Errorf("the next command: %v", h.lines(r))
			}
		})
	}
}

// One command at a time runs in a project. The next one waits, and is told whom
// for when it has waited long enough.
//
// Covers: turn-api REQ-04
func TestOneCommandAtATime(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain)
	first, second := h.beside("first"), h.beside("second")
	x, err := first.w.Begin(t.Context(), first.place)
	h.must(err)
	for _, other := range []*house{second, first} {
		second.place.Wait, first.place.Wait = 30*time.Millisecond, 30*time.Millisecond
		_, err := other.w.Begin(t.Context(), other.place)
		if busy := (*BusyError)(nil); !errors.As(err, &busy) || busy.SessionID != "first" || busy.Waited < 30*time.Millisecond {
			t.Errorf("a second command: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second.place.Wait = time.Minute
	if _, err := second.w.Begin(ctx, second.place); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that is not waited for: %v", err)
	}
	began := make(chan *Watch)
	go func() {
		y, err := second.w.Begin(t.Context(), second.place)
		if err != nil {
			t.Error(err)
		}
		began <- y
	}()
	h.write("a.txt", "first")
	r, err := x.End(t.Context())
	h.must(err)
	y := <-began
	h.write("b.txt", "second")
	s, err := y.End(t.Context())
	h.must(err)
	if len(r.Changes) != 1 || r.Changes[0].Path != "a.txt" || len(s.Changes) != 1 || s.Changes[0].Path != "b.txt" {
		t.Errorf("the first changed %v, the second %v", h.lines(r), h.lines(s))
	}
}

// What belay itself changes in the project while a command runs, in another
// session, is not the command's, and is not taken back.
//
// Covers: workspace 9.5
func TestChangesOfOthersAreTold(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain, "_STATUS.md", "theirs.md")
	other := h.beside("other")
	by := func(path, text string) {
		t.Helper()
		pass, err := other.w.Enter(t.Context(), h.dir)
		h.must(err)
		c := session.Change{Path: path, After: h.blobs.put(text), AfterBytes: int64(len(text))}
		if text == "" {
			c = session.Change{Path: path}
		}
		h.must(pass.Tell(c))
		if text == "" {
			h.must(os.Remove(h.at(path)))
		} else {
			h.write(path, text)
		}
		h.must(pass.Leave())
	}
	by("before", "the command began later")
	h.write("theirs.md", "old")
	r := h.during(func() {
		by("theirs.md", "theirs")       // which the command may not change
		by("new/theirs.txt", "theirs")  // in a folder of their own
		by("b.txt", "")                 // removed
		by("a.txt", "theirs")           // and then
		h.write("a.txt", "the command") // by both
		by("DEL/_STATUS.md", "moved on")
		h.write("DEL/_STATUS.md", "mine")
		h.write("mine", "mine")
	})
	want := []string{
		"DEL/_STATUS.md: restored", "a.txt: theirs -rw-r--r-- > the command -rw-r--r--", "mine: none > mine -rw-r--r--",
	}
	if diff := cmp.Diff(want, h.lines(r)); diff != "" {
		t.Errorf("changes (-want +got):\n%s%v", diff, r.Notes)
	}
	files := h.all()
	if files["theirs.md"] != "theirs" || files["DEL/_STATUS.md"] != "moved on" {
		t.Errorf("theirs.md holds %q, _STATUS.md %q", files["theirs.md"], files["DEL/_STATUS.md"])
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain, "_STATUS.md")
	dead, alive := h.beside("dead"), h.beside("alive")
	alive.during(func() { h.write("DEL/_STATUS.md", "mine") }) // something is put aside
	dead.during(func() { h.write("a.txt", "A!") })             // and never recorded
	for _, k := range []*keep{dead.keeps()} {                  // it dies between two commands
		h.must(k.lock.Unlock())
		k.pack = nil
		h.must(k.index.close())
	}
	count := func(pattern string) int {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(h.state, pattern))
		h.must(err)
		return len(all)
	}
	packs := func() int { return count(projectsDir + "/*/" + keptPrefix + "*" + indexSuffix) }
	if count(asideDir+"/*") != 1 || count(foundDir+"/*") != 2 || packs() != 2 {
		t.Fatalf("%d aside, %d found, %d packs", count(asideDir+"/*"), count(foundDir+"/*"), packs())
	}
	known := func(id string) bool { return id == "alive" }
	h.must(h.w.Sweep(t.Context(), time.Hour, known))
	if count(asideDir+"/*") != 1 || count(foundDir+"/*") != 1 || packs() != 1 {
		t.Errorf("%d aside, %d found, %d packs", count(asideDir+"/*"), count(foundDir+"/*"), packs())
	}
	h.w.o.Clock = func() time.Time { return time.Now().Add(2 * time.Hour) }
	h.must(h.w.Sweep(t.Context(), 0, known))
	if count(asideDir+"/*") != 1 {
		t.Error("what was put aside is gone although it was to be kept")
	}
	h.must(h.w.Sweep(t.Context(), time.Hour, known))
	if count(asideDir+"/*") != 0 {
		t.Error("what was put aside long ago is still there")
	}

	// The living go on. A project that is gone is forgotten when they are.
	if r := alive.during(func() { h.write("b.txt", "B!") }); len(r.Changes) != 1 {
		t.Error(h.lines(r))
	}
	h.must(alive.w.Close())
	h.must(os.RemoveAll(h.dir))
	h.must(h.w.Sweep(t.Context(), time.Hour, known))
	if count(projectsDir+"/*") != 0 {
		t.Error("a project that is gone is not forgotten")
	}
}

// keeps is what the house's watcher keeps of its project.
func (h *house) keeps() *keep {
	for _, p := range h.w.projects {
		return p.keep
	}
	h.t.Fatal("nothing is kept")
	return nil
}
