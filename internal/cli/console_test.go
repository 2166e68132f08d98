package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model"
)

func TestHang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		text          string
		width, indent int
		want          string
	}{
		{"fits", "a b c", 10, 2, "a b c"},
		{"wraps under its label", "one two three four", 12, 4, "one two\n    three\n    four"},
		{"keeps line breaks", "one\ntwo", 0, 3, "one\n   two"},
		{"keeps a long word whole", "see /a/very/long/path/to/a/file now", 16, 2, "see\n  /a/very/long/path/to/a/file\n  now"},
		{"counts columns, not bytes", "ééé ééé ééé", 9, 0, "ééé ééé\nééé"},
		{"counts wide letters twice", "日本 日本", 8, 0, "日本\n日本"},
		{"keeps a command whole", "the record is whole; go on with belay turn --session sess_2f4c8e0a \"go on\"", 50, 6,
			"the record is whole; go on with\n      belay turn --session sess_2f4c8e0a \"go on\""},
		{"a command ends where the sentence goes on", "start a server with belay serve, or correct the address of it", 34, 4,
			"start a server with\n    belay serve, or correct the\n    address of it"},
		{"keeps a command with its values whole", "run belay session undo sess_2f4c turn_01 --project DIR or look at it", 46, 2,
			"run\n  belay session undo sess_2f4c turn_01 --project DIR\n  or look at it"},
		{"keeps a quoted name whole", "no file is called \"notes of the last meeting.md\", sadly", 30, 0,
			"no file is called\n\"notes of the last meeting.md\",\nsadly"},
		{"an apostrophe opens nothing", "the person's own words 'tis said are these and no others", 20, 0,
			"the person's own\nwords 'tis said are\nthese and no others"},
		{"no width, no wrapping", strings.Repeat("word ", 50) + "end", 0, 2, strings.Repeat("word ", 50) + "end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, hang(c.text, c.width, c.indent)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A command in a hint fits the window where the beginning of an id makes it fit.
func TestHintsAreTypeable(t *testing.T) {
	t.Parallel()
	const hint = "wait for it, or stop it with belay session interrupt sess_769c075a-84f6-4383-8bdb-4edb8bbb07ee"
	for columns, want := range map[int]string{
		0: "hint: " + hint + "\n",
		60: "hint: wait for it, or stop it with\n" +
			"      belay session interrupt sess_769c075a\n",
		80: "hint: wait for it, or stop it with\n" +
			"      belay session interrupt sess_769c075a-84f6-4383-8bdb-4edb8bbb07ee\n",
	} {
		var errs bytes.Buffer
		c := newConsole(nil, &bytes.Buffer{}, &errs, []string{fmt.Sprint("COLUMNS=", columns)})
		c.report(nil, failed(ExitFailed, hint, errors.New("busy")))
		if diff := cmp.Diff("error: busy\n"+want, errs.String()); diff != "" {
			t.Errorf("at %d columns (-want +got)\n%s", columns, diff)
		}
	}
}

// Wrapping changes nothing but white space, and no line is too long unless it is
// one word.
func TestHangProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zé日]{1,12}`)).Draw(t, "words")
		width := rapid.IntRange(minWidth, 60).Draw(t, "width")
		indent := rapid.IntRange(0, 10).Draw(t, "indent")
		got := hang(strings.Join(words, " "), width, indent)
		if diff := cmp.Diff(words, strings.Fields(got), cmp.Comparer(func(a, b []string) bool {
			return strings.Join(a, " ") == strings.Join(b, " ")
		})); diff != "" {
			t.Fatalf("words changed (-want +got)\n%s", diff)
		}
		for i, l := range strings.Split(got, "\n") {
			n := cells(l)
			if i == 0 {
				n += indent
			}
			if n > width && len(strings.Fields(l)) > 1 {
				t.Fatalf("line %q takes %d columns of %d", l, n, width)
			}
		}
	})
}

// Whatever a name or an answer holds, it cannot control the terminal.
func TestCleanProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		for _, r := range clean(s) {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("clean(%q) lets %U through", s, r)
			}
		}
		if l := line(s); strings.ContainsAny(l, "\n\t") {
			t.Fatalf("line(%q) is more than one line", s)
		}
	})
}

func TestCleanKeepsWords(t *testing.T) {
	t.Parallel()
	const plain = "Größe: 3 × 4\n\tdone ✓"
	if got := clean(plain); got != plain {
		t.Errorf("clean changed %q to %q", plain, got)
	}
	if got, want := clean("a\x1b[2Jb\u202ec"), "a\ufffd[2Jb\ufffdc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	tab := &table{heads: []string{"FILE", "VERDICT"}}
	tab.add("a.png", "ok")
	tab.add("long name.pdf", "too\nlarge")
	wide := "FILE           VERDICT\na.png          ok\nlong name.pdf  too large\n"
	if diff := cmp.Diff(wide, tab.String(0)); diff != "" {
		t.Errorf("no limit (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(wide, tab.String(24)); diff != "" {
		t.Errorf("just fits (-want +got)\n%s", diff)
	}
	long := strings.Repeat("n", 244)
	tab.add(long, "ok")
	if diff := cmp.Diff(pad("a.png", maxPadded)+"  ok", strings.Split(tab.String(0), "\n")[1]); diff != "" || !strings.Contains(tab.String(0), long+"  ok\n") {
		t.Errorf("beside a long name (-want +got)\n%s", diff)
	}
	tab.rows = tab.rows[:2]
	narrow := "file     a.png\nverdict  ok\n\nfile     long name.pdf\nverdict  too large\n"
	if diff := cmp.Diff(narrow, tab.String(23)); diff != "" {
		t.Errorf("does not fit (-want +got)\n%s", diff)
	}
}

// Of a table that is too wide, the last column wraps: nothing of it is lost. A path there gets
// a line of its own, and only a preview is cut.
func TestTableNarrow(t *testing.T) {
	t.Parallel()
	prose := table{heads: []string{"WAITS FOR", "BECAUSE"}}
	prose.add("DEL-01-02", "the survey of the site is not issued yet")
	prose.add("DEL-01-03", "")
	path := table{heads: []string{"PROJECT", "FOLDER"}}
	path.add("bridge project", "/home/me/projects/bridge-over-the-river")
	path.add("road", "/home/me/road (gone, or not mounted)")
	preview := table{heads: []string{"SESSION", "MESSAGE"}, preview: 2}
	preview.add("sess_2f4c", "what does the brief leave open?")
	between := table{heads: []string{"SESSION", "MESSAGE", "PROJECT"}, preview: 2}
	between.add("sess_2f4c", "what does the brief leave open?", "/p")
	spaced := table{heads: []string{"SESSION", "MESSAGE", "PROJECT"}, preview: 2}
	spaced.add("sess_2f4c", "what does the brief leave open?", "/home/me/my project")
	for _, c := range []struct {
		name  string
		table table
		width int
		want  string
	}{
		{"prose", prose, 32, "WAITS FOR  BECAUSE\nDEL-01-02  the survey of the\n           site is not issued\n           yet\nDEL-01-03\n"},
		{"prose without room", prose, 26, "waits for  DEL-01-02\nbecause    the survey of\n           the site is not\n           issued yet\n\nwaits for  DEL-01-03\n"},
		{"path", path, 54, "project  bridge project\nfolder   /home/me/projects/bridge-over-the-river\n\nproject  road\nfolder   /home/me/road (gone, or not mounted)\n"},
		{"path that fits", path, 55, "PROJECT         FOLDER\nbridge project  /home/me/projects/bridge-over-the-river\nroad            /home/me/road (gone, or not mounted)\n"},
		{"preview", preview, 30, "SESSION    MESSAGE\nsess_2f4c  what does the brie…\n"},
		{"preview before a path", spaced, 50, "SESSION    MESSAGE             PROJECT\nsess_2f4c  what does the bri…  /home/me/my project\n"},
		{"preview in the middle", between, 40, "SESSION    MESSAGE               PROJECT\nsess_2f4c  what does the brief…  /p\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, c.table.String(c.width)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestColour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		env      []string
		terminal bool
		want     bool
	}{
		{"terminal", nil, true, true},
		{"no terminal", nil, false, false},
		{"NO_COLOR", []string{"NO_COLOR=1"}, true, false},
		{"empty NO_COLOR does not count", []string{"NO_COLOR="}, true, true},
		{"dumb terminal", []string{"TERM=dumb"}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := takesColour(config.Environ(c.env), c.terminal); got != c.want {
				t.Errorf("coloured: %v, want %v", got, c.want)
			}
		})
	}
}

// A reader that went away is no failure; lost output is.
func TestSink(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var errs bytes.Buffer
	if code := Run(context.Background(), []string{"version"}, strings.NewReader(""), w, &errs, nil); code != ExitDone || errs.Len() > 0 {
		t.Errorf("closed pipe: exit code %d, stderr %q", code, &errs)
	}
	if code := Run(context.Background(), []string{"version"}, strings.NewReader(""), full{}, &errs, nil); code != ExitFailed {
		t.Errorf("full disk: exit code %d, want %d", code, ExitFailed)
	}
	if !strings.Contains(errs.String(), "error: write the output: ") || !strings.Contains(errs.String(), "hint: ") {
		t.Errorf("full disk: stderr %q", &errs)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Every typed error has an exit code of the documented ones and a next step.
func TestExplain(t *testing.T) {
	t.Parallel()
	want := map[fault.Type]int{
		fault.InvalidRequest: ExitUsage, fault.MissingAPIKey: ExitUsage, fault.InstructionRootInvalid: ExitUsage,
		fault.WorkingRootConflict: ExitUsage, fault.Unauthorized: ExitUsage, fault.Forbidden: ExitUsage,
		fault.RequestTooLarge: ExitUsage, fault.BudgetExceeded: ExitUsage, fault.SessionNotFound: ExitNotFound, fault.PersonaNotFound: ExitNotFound,
		fault.NotFound: ExitNotFound, fault.WorkingRootInaccessible: ExitNotFound, fault.TurnTimeout: ExitTimedOut,
		fault.DeliverableNotFound: ExitNotFound, fault.RegisterNotFound: ExitNotFound, fault.StatusFileNotFound: ExitNotFound,
		fault.InvalidProjectRoot: ExitUsage, fault.DeliverableOutside: ExitUsage, fault.InvalidDate: ExitUsage, fault.ApprovalSHARequired: ExitUsage,
		fault.AmbiguousName: ExitUsage, fault.InvalidWorkflow: ExitUsage, fault.RunNotFound: ExitNotFound, fault.AttachmentFailure: ExitUsage,
	}
	for _, spec := range fault.Types() {
		code, message, hint, silent := explain(nil, fault.New(spec.Type, "what went wrong"))
		expected, listed := want[spec.Type]
		if !listed {
			expected = ExitFailed
		}
		if code != expected || silent || hint == "" || !strings.Contains(message, string(spec.Type)) {
			t.Errorf("%s: code %d (want %d), message %q, hint %q", spec.Type, code, expected, message, hint)
		}
	}
	for _, spec := range fault.Types() {
		for _, f := range []*fault.Error{
			fault.New(fault.TaskFailed, "it failed (%s)", spec.Type),
			fault.New(fault.StorageFailure, "it failed").Because(fmt.Errorf("it failed (%s)", spec.Type)),
			fault.New(fault.InvalidWorkflow, "it failed (%s)", spec.Type),
		} {
			if _, message, _, _ := explain(nil, f); strings.Count(message, "(") != strings.Count(message, string(spec.Type)) || !strings.HasSuffix(message, string(spec.Type)+")") {
				t.Errorf("%q says its code twice", message)
			}
		}
	}
	for _, word := range []string{"ACTOR", "OPENAI_API_KEY"} {
		if _, message, _, _ := explain(nil, fault.New(fault.InvalidRequest, "it is missing (%s)", word)); !strings.HasSuffix(message, "("+word+") (INVALID_REQUEST)") {
			t.Errorf("%q has no code", message)
		}
	}
	if code, message, _, _ := explain(nil, errors.Join(context.Canceled)); code != ExitInterrupted || message != "interrupted" {
		t.Errorf("cancelled: code %d, message %q", code, message)
	}
	if code, _, hint, _ := explain(nil, errors.New("disk on fire")); code != ExitFailed || hint == "" {
		t.Errorf("unclassified: code %d, hint %q", code, hint)
	}
}

// Every command explains itself with an example, and whatever reads has --json.
func TestHelp(t *testing.T) {
	t.Parallel()
	writes := map[string]bool{
		"serve": true, "discord": true, "interrupt": true, "delete": true, "export": true, "schema": true, "completion bash|zsh|fish": true,
		"allow": true, "deny": true, "cancel": true, "dismiss": true, "steer": true, "chat": true, "continue": true, "refuse": true,
	}
	c := newConsole(nil, &bytes.Buffer{}, &bytes.Buffer{}, nil)
	for _, cmd := range tree(newRoot(c)) {
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s has no example or no short help", cmd.CommandPath())
		}
		if cmd.HasSubCommands() || writes[cmd.Name()] || cmd.Name() == "completion" {
			continue
		}
		if cmd.Flag("json") == nil {
			t.Errorf("%s has no --json", cmd.CommandPath())
		}
	}
}

// A provider's refusal says whose words it prints, and what to do about it.
func TestUpstreamFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		f             *fault.Error
		message, hint string
	}{
		{model.UpstreamFailure("anthropic", 401, "authentication_error", "invalid x-api-key", 0, nil),
			"anthropic answered 401: invalid x-api-key (SDK_FAILURE)", "check ANTHROPIC_API_KEY"},
		{model.UpstreamFailure("anthropic", 429, "rate_limit_error", "slow down", 0, nil), "anthropic answered 429: slow down (SDK_FAILURE)", "wait a while"},
		{model.UpstreamFailure("anthropic", 529, "overloaded_error", "Overloaded", 0, nil), "anthropic answered 529: Overloaded (SDK_FAILURE)", "overloaded"},
		{model.UpstreamFailure("anthropic", 400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", 0, nil),
			"anthropic answered 400: prompt is too long: 9 tokens > 8 maximum (SDK_FAILURE)", "attach fewer or smaller files"},
		{model.UpstreamFailure("openai", 400, "BadRequestError", "This model's maximum context length is 8192 tokens.", 0, nil),
			"openai answered 400: This model's maximum context length is 8192 tokens. (SDK_FAILURE)", "attach less or start a new session"},
		{model.UpstreamFailure("anthropic", 413, "request_too_large", "Too large", 0, nil), "anthropic answered 413: Too large (SDK_FAILURE)", "attach fewer or smaller files"},
		{model.Failure("anthropic", 413, model.RequestTooLarge, "too many bytes"), "too many bytes (SDK_FAILURE)", "attach fewer or smaller files"},
		{model.Failure("anthropic", 502, model.ResponseTooLarge, "too many bytes"), "too many bytes (SDK_FAILURE)", "ask for less"},
		{model.UpstreamFailure("openai", 400, "", "no such voice", 0, nil), "openai answered 400: no such voice (SDK_FAILURE)", "correct what the provider names"},
		{model.Failure("anthropic", 503, model.NetworkError, "no such host"), "no such host (SDK_FAILURE)", "check the network"},
		{model.Failure("scripted", 503, model.NetworkError, "no such host"), "no such host (SDK_FAILURE)", "the script of the scripted provider plays this failure"},
	} {
		_, message, hint, _ := explain(nil, tt.f)
		if message != tt.message || !strings.Contains(hint, tt.hint) {
			t.Errorf("got %q, %q", message, hint)
		}
	}
}
