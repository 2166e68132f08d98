package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/tool"
)

// secret is a key of the person's.
const secret = "sesame-open-sesame-1234"

// hostile is a server over HTTP with these tools, and a call of each that answers with text.
func hostile(t *testing.T, text string, tools ...*sdk.Tool) Server {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "hostile " + secret, Version: strings.Repeat("1", 10_000)}, nil)
	for _, to := range tools {
		s.AddTool(to, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	}
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return Server{Name: "bad", URL: srv.URL}
}

// toolOf is a tool with a description and a schema of so many bytes.
func toolOf(name, description string, schema int) *sdk.Tool {
	return &sdk.Tool{Name: name, Description: description, InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","description":%q}`, strings.Repeat("y", schema)))}
}

// redacting is servers from which a key of the person's is removed.
func redacting(t *testing.T, servers ...Server) *Servers {
	t.Helper()
	s := New(Options{
		Servers: servers, Dir: t.TempDir(), Version: "test", Logger: slog.New(slog.DiscardHandler), Clock: time.Now,
		Redact: func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") },
	})
	t.Cleanup(s.Close)
	return s
}

// A key that a server got is in nothing that it says of itself.
func TestServersGiveNoKeyAway(t *testing.T) {
	t.Parallel()
	loud := self(t, "loud", "loud")
	loud.Env = append(loud.Env, "SECRET="+secret)
	s := redacting(t, hostile(t, "", toolOf("a_"+secret, "my key is "+secret, 10), toolOf("b "+secret, secret, 70_000)), loud)
	set, problems := ready(t, s)
	said := fmt.Sprint(set.Names(), problems, s.Report(t.Context(), s.Servers()...))
	for _, spec := range set.Specs() {
		said += spec.Name + spec.Description + string(spec.Schema)
	}
	if strings.Contains(said, "sesame") || !strings.Contains(said, "[redacted]") || !strings.Contains(said, "it wrote: ") {
		t.Errorf("%.3000s", said)
	}
}

// A cut leaves no half of a key, and the file with the whole of a long text has none.
func TestNoHalfOfAKeyIsLeft(t *testing.T) {
	t.Parallel()
	s := redacting(t, hostile(t, strings.Repeat("x", 3085)+secret+strings.Repeat("x", 5000), toolOf("a", "", 10)))
	set, _ := ready(t, s)
	w := environment(t)
	w.Redact = s.all[0].redact
	c, err := set.Prepare(t.Context(), w, "mcp.bad.a", json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context())
	if err != nil || !r.Truncated || strings.Contains(r.Text, "sesame") {
		t.Errorf("%v: %s", err, r.Text[max(0, len(r.Text)-1200):])
	}
	names, err := w.ScratchRoot.FS().(interface {
		ReadFile(name string) ([]byte, error)
	}).ReadFile(r.Text[strings.LastIndex(r.Text, w.Scratch)+len(w.Scratch)+1 : strings.LastIndex(r.Text, "]")])
	if err != nil || strings.Contains(string(names), "sesame") || !strings.Contains(string(names), "[redacted]") {
		t.Errorf("the file: %v", err)
	}
}

// Tools that are too many, too large, or there twice are left out and named, and take no
// others with them.
func TestToolsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	var large []*sdk.Tool
	for i := range 10 {
		large = append(large, toolOf(fmt.Sprintf("large%d", i), "", 60_000))
	}
	s, _ := open(t, hostile(t, "", append(large, toolOf("same", "", 10), toolOf("SAME", "", 10), toolOf("huge", "", 70_000))...), self(t, "files", "yes"))
	set, problems := ready(t, s)
	all := strings.Join(problems, "\n")
	if !slices.Contains(set.Names(), "mcp.files.echo") {
		t.Errorf("the other server's tools: %q", set.Names())
	}
	for _, want := range []string{"there are two tools of the name mcp.bad.s", "the tool huge is left out", "6 more tools; 128 tools with 256 KiB"} {
		if !strings.Contains(strings.ToLower(all), strings.ToLower(want)) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	var many []*sdk.Tool
	for i := range 50 {
		many = append(many, toolOf(fmt.Sprintf("t%d", i), "", 70_000))
	}
	m, _ := open(t, hostile(t, "", many...))
	if _, problems := ready(t, m); len(problems) > maxProblems+1 {
		t.Errorf("%d problems", len(problems))
	}
}

// A server that hangs takes no tools of others away, and a turn that names other tools does
// not ask it.
func TestHangingServerBesideAnother(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "silent", "silent"), self(t, "files", "yes"))
	<-s.all[1].begin().ready
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // as if the patience were over
	set, problems := s.With(ctx, tool.NoTools(), nil)
	if !slices.Contains(set.Names(), "mcp.files.echo") || len(problems) != 1 {
		t.Errorf("%q, %q", set.Names(), problems)
	}
	s2, _ := open(t, self(t, "silent", "silent"), self(t, "files", "yes"))
	<-s2.all[1].begin().ready
	for _, requested := range [][]string{{"read", "MCP.Files.echo"}, {"mcp.files.*"}} {
		if set, problems := s2.With(t.Context(), tool.NoTools(), requested); !slices.Contains(set.Names(), "mcp.files.echo") || len(problems) > 0 {
			t.Errorf("%q: %q, %q", requested, set.Names(), problems)
		}
	}
	if s2.all[0].attempt != nil {
		t.Error("the other server was started")
	}
	if set, _ := s2.With(t.Context(), tool.NoTools(), []string{"read"}); len(set.Names()) != 0 {
		t.Errorf("%q", set.Names())
	}
}

// A panic over what a server says costs its tools, and not the process.
func TestPanicOverAList(t *testing.T) {
	t.Parallel()
	s := New(Options{
		Servers: []Server{hostile(t, "", toolOf("a", "boom", 10))}, Dir: t.TempDir(), Version: "test", Logger: slog.New(slog.DiscardHandler), Clock: time.Now,
		Redact: func(text string) string {
			if text == "boom" {
				panic("over a list")
			}
			return text
		},
	})
	t.Cleanup(s.Close)
	if set, problems := ready(t, s); len(set.Names()) != 0 || len(problems) != 1 || !strings.Contains(problems[0], "its list of tools cannot be read: over a list") {
		t.Errorf("%q, %q", set.Names(), problems)
	}
}
