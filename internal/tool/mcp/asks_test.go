package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/tool"
)

// asking is a server that answers a call with requests of its own, without an end, and reads no
// more.
func asking() {
	d := json.NewDecoder(os.Stdin)
	for {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if d.Decode(&m) != nil {
			os.Exit(1)
		}
		switch m.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{"tools":{}},"serverInfo":{"name":"asking"},"protocolVersion":"%s"}}`+"\n", m.ID, m.Params.ProtocolVersion)
		case "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}`+"\n", m.ID)
		case "tools/call":
			for i := 0; ; i++ {
				if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"_meta":{"x":"%s"}}}`+"\n", 1000+i, strings.Repeat("x", 1000)); err != nil {
					os.Exit(0)
				}
			}
		default:
			if len(m.ID) > 0 {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`+"\n", m.ID)
			}
		}
	}
}

// A program that asks without an end and reads no answer loses the connection: belay would keep
// each answer.
func TestProgramThatReadsNoAnswers(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "asking", "asking"))
	set, problems := ready(t, s)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	_, err := run(t, set, "mcp.asking.ask", `{}`)
	if err == nil || !strings.Contains(err.Error(), "it asks again and again, and does not read the answers: 64 wait for it (nobody knows whether it was done") {
		t.Error(err)
	}
	<-s.all[0].attempt.conn.ended
}

// byHTTP is a server whose calls are answered with a body of a type; ID in it is that of the call.
// Without a type it says that it took the call, and no more. The type "session" is an answer for
// another session.
func byHTTP(t *testing.T, kind, body string) (_ Server, calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var said struct {
			ID     json.RawMessage
			Method string
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Mcp-Session-Id", "one")
		switch _ = json.Unmarshal(data, &said); {
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case said.Method == "initialize":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, said.ID)
		case said.Method == "tools/list":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`, said.ID)
		case said.Method == "tools/call":
			calls.Add(1)
			switch w.Header().Set("Content-Type", kind); kind {
			case "":
				w.WriteHeader(http.StatusAccepted)
			case "session":
				w.Header().Set("Mcp-Session-Id", "two")
				w.Header().Set("Content-Type", "application/json")
			}
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", string(said.ID)))
		case said.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, said.ID)
		}
	}))
	t.Cleanup(srv.Close)
	return Server{Name: "x", URL: srv.URL}, calls
}

// A server that asks something back is not called again: a person allowed one call.
func TestServerAsksBack(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"roots":   `"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":{}}},"requestState":"s"`,
		"a text":  `"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"your password?","requestedSchema":{"type":"object","properties":{}}}}}`,
		"nothing": `"inputRequests":{}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, calls := byHTTP(t, "application/json", `{"jsonrpc":"2.0","id":ID,"result":{`+result+`}}`)
			s, _ := open(t, server)
			set, _ := ready(t, s)
			_, err := run(t, set, "mcp.x.a", `{}`)
			if err == nil || !strings.Contains(err.Error(), "the MCP server x asks something back before it makes the call, and belay answers no questions of servers") || calls.Load() != 1 {
				t.Errorf("%v, after %d calls", err, calls.Load())
			}
		})
	}
}

// An answer over HTTP that is there and cannot be read is not called a closed connection.
func TestRemoteAnswerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const events, list = "text/event-stream", "application/json"
	for name, c := range map[string]struct{ kind, body, want string }{
		"no JSON in an event": {events, "data: {no\n\n", "it answered, and belay cannot read that: it is no message of MCP"},
		"no event":            {events, "hello\n\n", "belay cannot read that"},
		"no JSON":             {list, "{no", "belay cannot read that"},
		"a list":              {list, `[{"jsonrpc":"2.0","id":ID,"result":{}}]`, "belay cannot read that"},
		"a large event":       {events, "data: " + strings.Repeat("x", maxMessage+1) + "\n\n", "its answer is too large; one message may have 16 MiB"},
		"no answer":           {"", "", "it took the request, and gave no answer to it"},
		"another session":     {"session", `{"jsonrpc":"2.0","id":ID,"result":{}}`, "it answered for another session than the one that it began"},
		"an end":              {events, ": nothing\n\n", "it closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _ := byHTTP(t, c.kind, c.body)
			s, _ := open(t, server)
			set, _ := ready(t, s)
			if _, err := run(t, set, "mcp.x.a", `{}`); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "nobody knows whether it was done") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A key is in no line of the log, also where a program writes it in two parts.
func TestKeyInTwoWrites(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l := &lastLines{
		redact: func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") },
		logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, part := range []string{"one\nthe key is " + secret[:9], secret[9:] + " and\r\n", strings.Repeat("y", 2*maxKept), "\nlast"} {
		if n, err := io.WriteString(l, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	l.end()
	if _, err := io.WriteString(l, "rest\nnext\n"); err != nil {
		t.Fatal(err)
	}
	said := log.String()
	if strings.Contains(said, "rest") || !strings.Contains(said, "line=next\n") {
		t.Errorf("the rest of a line is logged, or the next is not: %.2000s", said)
	}
	for _, want := range []string{"line=one\n", `line="the key is [redacted] and"`, "line=yyy", "line=last\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %.2000s", want, said)
		}
	}
	if strings.Contains(said, "sesame") {
		t.Errorf("a part of the key is in %.2000s", said)
	}
}

// A program that is named by a path is looked for where it runs.
func TestProgramByAPath(t *testing.T) {
	t.Parallel()
	server := self(t, "here", "yes")
	link := "server"
	dir := t.TempDir()
	if err := os.Symlink(server.Command[0], dir+"/"+link); err != nil {
		t.Skip(err)
	}
	server.Command = []string{"./" + link}
	s := New(Options{Servers: []Server{server, {Name: "none", Command: []string{"./no-such-program"}}}, Dir: dir, Version: "test", Logger: slog.New(slog.DiscardHandler), Clock: (&clock{}).time})
	t.Cleanup(s.Close)
	set, problems := ready(t, s)
	if r, err := run(t, set, "mcp.here.echo", `{"text":"here"}`); err != nil || r.Text != "here" {
		t.Errorf("%q, %v", r.Text, err)
	}
	if len(problems) != 1 || !strings.Contains(problems[0], "there is no program "+dir+"/no-such-program; install it") {
		t.Errorf("%q", problems)
	}
}

// Whoever waits for the server of a tool waits until it has started, and for no other.
func TestAwait(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "slow", "slow"), self(t, "silent", "silent"))
	s.Await(t.Context(), "write")
	if s.all[0].attempt != nil || s.all[1].attempt != nil {
		t.Error("a server was started for another tool")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Await(t.Context(), "mcp.slow.echo")
	}()
	select {
	case <-done:
		t.Error("it did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	if err := os.WriteFile(s.all[0].dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-done
	if set, problems := s.With(t.Context(), tool.NoTools(), []string{"mcp.slow.echo"}); len(problems) > 0 || len(set.Names()) == 0 {
		t.Errorf("%q, %q", set.Names(), problems)
	}
}
