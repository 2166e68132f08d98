package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/render"
	"belay/internal/turn"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "docs/plan.md", "docs/plans.md", "docs/x y.md", "data.csv", ".belay/log", ".hidden")
	for name, to := range map[string]string{"to-data": "data.csv", "to-docs": "docs", "to-nothing": "nothing"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	s := newStage(t, func(o *Options) { o.Folder = dir })
	s.m.editor.paths.names.stale(noon)
	s.m.editor.paths.names.walk(t.Context(), s.m.o.Clock)
	for before, want := range map[string][]string{
		"":                  nil,
		"/mo":               {"/mode ", "/model "},
		"/resu":             {"/session "},
		"/ang":              {"/changes"},
		"/mode a":           {"/mode acceptEdits"},
		"/persona T":        {"/persona TASK"},
		"/attach d":         {"/attach data.csv", "/attach docs/", "/attach docs/plan.md", "/attach docs/plans.md", "/attach docs/x y.md"},
		"see @dplans":       {"see @docs/plans.md"},
		"see @plans":        {"see @docs/plans.md"},
		"/attach docs/pl":   {"/attach docs/plan.md", "/attach docs/plans.md"},
		"/attach docs/x":    {"/attach docs/x y.md"},
		"see @docs/plans":   {"see @docs/plans.md"},
		"see @docs/x":       {`see @"docs/x y.md"`},
		`see @"docs/x y`:    {`see @"docs/x y.md"`},
		`see @"docs/plans`:  {`see @"docs/plans.md"`},
		`see @"do`:          {`see @"docs/`},
		"see @DATA.C":       {"see @data.csv"},
		"see @docs/ANS":     {"see @docs/plans.md"},
		"me@docs":           nil,
		"see @.":            {"see @.hidden"},
		"see @to":           {"see @to-data", "see @to-docs/"},
		"see @nothing/here": nil,
		"see @docs and":     nil,
		`see @"docs" and`:   nil,
	} {
		var got []string
		for _, o := range completions(t.Context(), commands(), before, s.m.editor.paths, s.engine).offers {
			got = append(got, o.text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", before, diff)
		}
		if got != nil && !completable(before) {
			t.Errorf("%q can be completed, and is said not to", before)
		}
	}
	s.press("see @docs/p")
	s.shows("› see @docs/p", "› docs/plan.md", "  docs/plans.md", "Tab puts it in")
	s.press("down", "tab")
	s.shows("› see @docs/plans.md")
	s.lacks("Tab puts it in")
	s.press(" now", "enter")
	if diff := cmp.Diff([]string{filepath.Join(dir, "docs", "plans.md")}, s.engine.requests[0].Attachments); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
}

// What was completed can be sent as it is: a path with blanks is in quotes at
// both ends, and the content of a folder can be completed on.
func TestCompletedPathsAreAttached(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "notes/a b.md", "notes/a c.md", "notes/日本 語.md")
	s.press("see @no", "tab")
	s.shows("› see @notes/", "› notes/a b.md", "  notes/a c.md", "  notes/日本 語.md")
	s.press("down", "enter")
	s.shows(`› see @"notes/a c.md"`)
	s.press(" and @notes/日", "tab", " now", "enter")
	want := []string{filepath.Join(s.m.o.Folder, "notes", "a c.md"), filepath.Join(s.m.o.Folder, "notes", "日本 語.md")}
	if diff := cmp.Diff(want, s.engine.requests[0].Attachments); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
	if got := s.engine.requests[0].Message; got != `see @"notes/a c.md" and @"notes/日本 語.md" now` {
		t.Errorf("sent %s", got)
	}
}

// Whatever a file is called, what Tab makes of its beginning names it.
func TestWhatIsCompletedIsMentioned(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	n := 0
	letters := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", ".", ",", ")", "(", "@", "日", "é", "👩‍👩‍👧", "-", "'", "\u00a0"}), 1, 8)
	rapid.Check(t, func(rt *rapid.T) {
		name := "x" + strings.Join(letters.Draw(rt, "name"), "")
		typed := name[:render.WholeRunes(name, rapid.IntRange(1, len(name)).Draw(rt, "typed"))]
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		write(t, dir, name)
		s := newStage(t, func(o *Options) { o.Folder = dir })
		s.m.editor.set("see @" + typed)
		if strings.Contains(typed, " ") {
			s.m.editor.set(`see @"` + typed)
		}
		s.press("tab")
		got := mentioned(s.m.editor.text()+" please", s.m.editor.paths)
		if diff := cmp.Diff([]string{name}, got); diff != "" {
			rt.Fatalf("%q became %q (-want +got):\n%s", typed, s.m.editor.text(), diff)
		}
	})
}

// In a folder of thousands of files the one that was meant is found, and what they
// have in common is what all of them have.
func TestCompletionInAHugeFolder(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range listedAtOnce + 500 {
		write(t, s.m.o.Folder, fmt.Sprintf("huge/file%05d.txt", i))
	}
	s.press("@huge/")
	s.shows("› @huge/", "file00000.txt", "more")
	s.press("down", "tab")
	s.shows("› @huge/file00001.txt")
	s.m.editor.set("@huge/file0" + fmt.Sprint(listedAtOnce + 499)[:3])
	s.press("tab")
	s.shows("more; Tab")
	s.fits()
	s.m.editor.set("@huge/other")
	s.press("tab")
	s.shows("nothing of that name")
}

// write makes files in a folder.
func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What cannot be attached is said at once, and is not sent.
func TestAttaching(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "docs/plan.md", "bad.exe", "twice.md")
	s.say("/attach")
	s.shows("name a file")
	s.press("/attach docs", "esc", "enter")
	s.shows("docs is a folder")
	s.say("/attach bad.exe")
	s.shows("! bad.exe is not attached: not of a kind")
	s.say("/attach twice.md")
	s.say(`/attach "twice.md"`)
	s.shows("attached already", "+ twice.md")
	s.say("/attach docs/plan.md")
	s.shows("+ twice.md, docs/plan.md")
	s.say("/drop nothing.md")
	s.shows("no such file")
	s.say("/drop docs/plan.md")
	s.lacks("+ twice.md, docs/plan.md")
	s.say(`see @twice.md, @docs/plans.md, @photo.PNG, @somebody, @example.com and @"a b`)
	s.shows("there is no file docs/plans.md; it went as words", "there is no file photo.PNG", "there is no file a b; it went as words")
	s.lacks("file somebody")
	s.lacks("file example.com")
	if diff := cmp.Diff([]string{filepath.Join(s.m.o.Folder, "twice.md")}, s.engine.requests[0].Attachments); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
}

// A message with a file that is refused is not sent, and comes back as it was.
func TestRefusedFilesStopTheMessage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "plan.md", "bad.exe")
	s.say("see @plan.md and @bad.exe")
	s.shows("not sent: bad.exe is refused: not of a kind that models", "› see @plan.md and @bad.exe")
	if len(s.engine.requests) > 0 {
		t.Errorf("sent %+v", s.engine.requests)
	}
	s.m.editor.set("")
	s.begun()
	s.say("and @bad.exe")
	s.shows("not sent: bad.exe is refused", "› and @bad.exe")
	if len(s.engine.steers) > 0 {
		t.Errorf("steered %+v", s.engine.steers)
	}
}

// Where the person wants that, the words and the other files go. What could not be
// sent at all comes back as it was.
func TestUploads(t *testing.T) {
	t.Parallel()
	broken := false
	s := newStage(t, func(o *Options) {
		o.SkipRefused = true
		o.Upload = func(_ context.Context, id, path string) (string, error) {
			switch {
			case broken:
				return "", errors.New("the network is away")
			case strings.HasSuffix(path, ".exe"):
				return "", fault.New(fault.AttachmentFailure, "all of it failed").With("attachmentErrors", []map[string]string{{"reason": "not of a kind that models read"}})
			}
			return "/uploads/" + id + "/" + filepath.Base(path), nil
		}
	})
	write(t, s.m.o.Folder, "plan.md", "bad.exe", "more.md")
	s.say("see @plan.md and @bad.exe")
	s.shows("! bad.exe is refused: not of a kind that models")
	s.sent(turn.Request{SessionID: "sess_1", Message: "see @plan.md and @bad.exe", Attachments: []string{"/uploads/sess_1/plan.md"}})
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t1"}})
	s.say("and @bad.exe")
	s.shows("! bad.exe is refused: not of a kind that models read (2")
	if len(s.engine.steers) != 1 || s.engine.steers[0].Attachments != nil {
		t.Errorf("steered %+v", s.engine.steers)
	}
	s.log(event.Draft{Type: event.TurnInput, Data: event.Input{Message: "and @bad.exe", Mode: "steer"}}, exit(0))
	broken = true
	s.say("/attach more.md")
	s.say("with @plan.md")
	s.shows("not sent: the network is away", "› with @plan.md", "+ more.md")
	s.lacks("+ more.md, plan.md")
}

// A server of another machine may refuse a file as well.
func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) {
		o.Upload = func(_ context.Context, id, path string) (string, error) {
			if strings.HasSuffix(path, ".exe") {
				return "", fault.New(fault.AttachmentFailure, "all of it failed").With("attachmentErrors", []map[string]string{{"reason": "not of a kind that models read"}})
			}
			return "/uploads/" + id + "/" + filepath.Base(path), nil
		}
	})
	write(t, s.m.o.Folder, "plan.md", "bad.exe")
	s.say("see @plan.md and @bad.exe")
	s.shows("not sent: bad.exe is refused: not of a kind that models", "› see @plan.md and @bad.exe")
	if len(s.engine.requests) > 0 {
		t.Errorf("sent %+v", s.engine.requests)
	}
}
