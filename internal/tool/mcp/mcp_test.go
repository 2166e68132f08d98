package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/attachment"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/mcp/mcptest"
)

// serving makes this test binary the server.
const serving = "BELAY_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(serving) {
	case "":
		os.Exit(m.Run())
	case "deaf": // it does not read what follows the list of its tools
		byHand(true)
	case "odd": // its answers are not what they should be
		byHand(false)
	case "asking": // it asks, and reads no answer once it is called
		asking()
	case "bursting": // it asks much at once, and reads the answers
		bursting()
	case "slow": // it starts when its file is there
		for _, err := os.Stat("go"); err != nil; _, err = os.Stat("go") {
			time.Sleep(time.Millisecond)
		}
		os.Exit(mcptest.Main())
	case "silent": // it never answers, and does not end when its input does
		select {}
	case "noise": // it is no MCP server, and says so on stderr
		os.Stdout.WriteString("hello\n")
		os.Stderr.WriteString("usage: noise\n")
		os.Exit(2)
	case "loud": // it says its key and ends
		os.Stderr.WriteString("key " + os.Getenv("SECRET") + "\n")
		os.Exit(2)
	case "flood": // one message without an end
		for line := strings.Repeat("x", 1<<20); ; {
			if _, err := os.Stdout.WriteString(line); err != nil {
				os.Exit(0)
			}
		}
	default:
		os.Exit(mcptest.Main())
	}
}

// self is this test binary as a server.
func self(t *testing.T, name, how string) Server {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: name, Command: []string{path}, Env: append(os.Environ(), serving+"="+how, "ONE=two")}
}

// clock is a time that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t *testing.T, servers ...Server) (*Servers, *clock) {
	t.Helper()
	c := &clock{now: time.Unix(1e9, 0)}
	s := New(Options{Servers: servers, Dir: t.TempDir(), Version: "test", Logger: slog.New(slog.DiscardHandler), Clock: c.time})
	t.Cleanup(s.Close)
	return s, c
}

// ready returns the set with all tools once the servers have started, however long that
// takes on a busy machine.
func ready(t *testing.T, s *Servers) (*tool.Set, []string) {
	t.Helper()
	for _, v := range s.all {
		<-v.begin().ready
	}
	return s.With(t.Context(), tool.NoTools(), nil)
}

// admitter takes all files.
type admitter struct{ t *testing.T }

func (a admitter) Admit(_ context.Context, path string) (attachment.Item, error) {
	if strings.HasSuffix(path, ".bin") {
		return attachment.Item{}, tool.Refuse("no such kind")
	}
	if _, err := os.Stat(path); err != nil {
		a.t.Error(err)
	}
	return attachment.Item{Name: filepath.Base(path)}, nil
}

func environment(t *testing.T) *tool.Environment {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return &tool.Environment{Scratch: dir, ScratchRoot: root, Files: admitter{t}, Limits: tool.Limits{OutputBytes: 4096}}
}

func run(t *testing.T, set *tool.Set, name, input string) (tool.Result, error) {
	t.Helper()
	c, err := set.Prepare(t.Context(), environment(t), name, json.RawMessage(input))
	if err != nil {
		return tool.Result{}, err
	}
	return c.Run(t.Context())
}

// The tools of a server are offered under names that rules can name, and what they answer
// reaches the model.
func TestTools(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "files", "yes"))
	set, problems := ready(t, s)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	long := slices.IndexFunc(set.Names(), func(n string) bool { return strings.HasPrefix(n, "mcp.files.a.tool.with") })
	if long < 0 || len(set.Names()[long]) > 64 {
		t.Errorf("the long name: %q", set.Names())
	}
	for _, tt := range []struct{ tool, input, want string }{
		{"mcp.files.echo", `{"text":"hello"}`, "hello"},
		{"mcp.files.variable", `{"text":"ONE"}`, "ONE=two"},
		{"mcp.files.structured", `{}`, `{"degrees":21}`},
		{"mcp.files.structured", ``, `{"degrees":21}`},
		{"mcp.files.lookahead", `{"text":"yes"}`, "ahead"},
		{set.Names()[max(long, 0)], `{}`, "long name"},
	} {
		input := tt.input
		if input == "" {
			input = "{}"
		}
		if r, err := run(t, set, tt.tool, input); err != nil || r.Text != tt.want || r.Failed {
			t.Errorf("%s(%s): %q, %v", tt.tool, tt.input, r.Text, err)
		}
	}
	if _, err := run(t, set, "mcp.files.echo", `{}`); err == nil || !strings.Contains(err.Error(), "missing property 'text'") {
		t.Errorf("an input without a text: %v", err)
	}
	if _, err := run(t, set, "mcp.files.lookahead", `{"text":"no"}`); err == nil || !strings.Contains(err.Error(), "must not begin with no") {
		t.Errorf("what the server refuses: %v", err)
	}
	if r, err := run(t, set, "mcp.files.fail", `{}`); err != nil || !r.Failed || r.Text != "the disk is on fire" {
		t.Errorf("a call that failed: %+v, %v", r, err)
	}
	if again, _ := s.With(t.Context(), tool.NoTools(), nil); again.Names()[0] != set.Names()[0] {
		t.Error("the order changed")
	}
}

// A call says all of its input before it runs, and is external.
func TestEffect(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "files", "yes"))
	set, _ := ready(t, s)
	c, err := set.Prepare(t.Context(), environment(t), "mcp.files.echo", json.RawMessage(`{"text":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	e := c.Effect()
	if e.Kind != permit.External || e.Command != "{\n  \"text\": \"hello\"\n}" || e.Summary != `mcp.files.echo {"text":"hello"}` {
		t.Errorf("%+v", e)
	}
	deep := `{"text":` + strings.Repeat("[", 5000) + `"[\"["` + strings.Repeat("]", 5000) + `}`
	if e := (&call{tool: &remoteTool{server: s.all[0]}, input: json.RawMessage(deep)}).Effect(); e.Command != deep {
		t.Errorf("a deep input of %d bytes is shown as %d", len(deep), len(e.Command))
	}
	for mode, want := range map[permit.Mode]permit.Outcome{permit.Direct: permit.Ask, permit.AcceptEdits: permit.Ask, permit.Plan: permit.Refuse, permit.DontAsk: permit.Refuse} {
		if r := (permit.Policy{Mode: mode}).Judge(e); r.Outcome != want {
			t.Errorf("%s: %+v", mode, r)
		}
	}
}

// Images are attached, other files are kept, and a long text is cut and kept whole.
func TestResults(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "files", "yes"))
	set, _ := ready(t, s)
	r, err := run(t, set, "mcp.files.files", `{}`)
	if err != nil || len(r.Items) != 1 || !strings.HasSuffix(r.Items[0].Name, ".png") {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, want := range []string{"here\n\n", "(image/png, 70 bytes) is attached", "(audio/x-nothing, 8 bytes) was kept and is not shown: no such kind", "note://1:\na note", "note://2 (second): another note"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("no %q in %s", want, r.Text)
		}
	}
	r, err = run(t, set, "mcp.files.long", `{"bytes":100000}`)
	if err != nil || !r.Truncated || len(r.Text) > 4096 || !strings.Contains(r.Text, "of 100000 bytes; the whole text is in ") {
		t.Errorf("%d bytes, %v: %s", len(r.Text), err, r.Text[max(0, len(r.Text)-200):])
	}
}

// A server that dies in a call is not asked again for the same, and is there for the next
// one. Its own last words are in the answer.
func TestServerDies(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "files", "yes"))
	set, _ := ready(t, s)
	_, err := run(t, set, "mcp.files.die", `{}`)
	if err == nil || !strings.Contains(err.Error(), "the connection to the MCP server files broke during the call") || !strings.Contains(err.Error(), "out of memory") ||
		!strings.Contains(err.Error(), "nobody knows whether it was done") {
		t.Fatal(err)
	}
	<-s.all[0].attempt.conn.ended
	if r, err := run(t, set, "mcp.files.echo", `{"text":"again"}`); err != nil || r.Text != "again" {
		t.Errorf("%q, %v", r.Text, err)
	}
}

// A call has a time, and a turn that ends takes its calls with it.
func TestCallEnds(t *testing.T) {
	t.Parallel()
	short := self(t, "files", "yes")
	short.Timeout = 50 * time.Millisecond
	s, _ := open(t, short)
	set, _ := ready(t, s)
	if _, err := run(t, set, "mcp.files.wait", `{}`); err == nil || !strings.Contains(err.Error(), "did not answer within 50 ms") {
		t.Fatal(err)
	}
	c, err := set.Prepare(t.Context(), environment(t), "mcp.files.wait", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrClosed)
	if _, err := c.Run(ctx); err != os.ErrClosed {
		t.Errorf("an interrupted call: %v", err)
	}
}

// What is no server says why, is left alone for a while, and is tried again later.
func TestServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	s, c := open(t, self(t, "noise", "noise"), Server{Name: "none", Command: []string{"no-such-program"}}, self(t, "flood", "flood"))
	set, problems := ready(t, s)
	if len(set.Names()) != 0 || len(problems) != 3 {
		t.Fatal(set.Names(), problems)
	}
	for i, want := range []string{"it ended, or wrote something else than MCP messages to stdout; it wrote: usage: noise", "there is no program no-such-program", "the tools of the MCP server flood are missing"} {
		if !strings.Contains(problems[i], want) {
			t.Errorf("no %q in %q", want, problems[i])
		}
	}
	first := s.all[1].attempt
	if s.all[1].begin() != first {
		t.Error("it is tried again at once")
	}
	c.pass(restartPause)
	if s.all[1].begin() == first {
		t.Error("it is never tried again")
	}
}

// A server that says nothing delays no turn for long, and ends with the process.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "silent", "silent"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // as if the patience were over
	set, problems := s.With(ctx, tool.NoTools(), nil)
	if len(set.Names()) != 0 || len(problems) != 1 || !strings.Contains(problems[0], "still starting") {
		t.Errorf("%q, %q", set.Names(), problems)
	}
	s.Close()
	if a := s.all[0].attempt; a.err == nil {
		t.Error("it started")
	}
}

// Only the tools that a person named are offered, and new ones show after the server said so.
func TestToolsChange(t *testing.T) {
	t.Parallel()
	some := self(t, "files", "yes")
	some.Tools = []string{"ec*", "grow", "late"}
	s, _ := open(t, some)
	set, _ := ready(t, s)
	if got := set.Names(); !slices.Equal(got, []string{"mcp.files.echo", "mcp.files.grow"}) {
		t.Fatal(got)
	}
	if _, err := run(t, set, "mcp.files.grow", `{}`); err != nil {
		t.Fatal(err)
	}
	for {
		set, _ = s.With(t.Context(), tool.NoTools(), nil)
		if slices.Contains(set.Names(), "mcp.files.late") {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal(set.Names())
		}
	}
}

// A remote server gets its token, and no other host does.
func TestRemote(t *testing.T) {
	t.Parallel()
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcptest.Server() }, nil)
	guarded := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		case r.URL.Path == "/huge":
			w.Header().Set("Content-Type", "application/json")
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case r.Header.Get("Authorization") != "Bearer open sesame":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			h.ServeHTTP(w, r)
		}
	}
	srv := httptest.NewServer(http.HandlerFunc(guarded))
	t.Cleanup(srv.Close)
	s, _ := open(t, Server{Name: "far", URL: srv.URL, Token: "open sesame"}, Server{Name: "closed", URL: srv.URL}, Server{Name: "moved", URL: srv.URL + "/moved"}, Server{Name: "huge", URL: srv.URL + "/huge"})
	set, problems := ready(t, s)
	if r, err := run(t, set, "mcp.far.echo", `{"text":"far"}`); err != nil || r.Text != "far" {
		t.Errorf("%q, %v", r.Text, err)
	}
	if len(problems) != 3 || !strings.Contains(problems[0], "name the variable that has it with token_env") || !strings.Contains(problems[1], "follows no redirect") || !strings.Contains(problems[2], "too large") {
		t.Errorf("%q", problems)
	}
}

// A report names all servers with their tools or with what is wrong.
func TestReport(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "files", "yes"), Server{Name: "none", Command: []string{"no-such-program"}})
	all := s.Report(t.Context(), s.Servers()...)
	if len(all) != 2 || all[0].Server != "mcptest 1.0.0" || len(all[0].Tools) < 10 || all[1].Error == "" {
		t.Fatalf("%+v", all)
	}
	for _, o := range all[0].Tools {
		if o.ReadOnly != (o.Own == "echo") {
			t.Errorf("%+v", o)
		}
	}
}
