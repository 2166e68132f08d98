package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// The example's conversation with the Anthropic provider, over its real SDK,
// against an implementation of the API that others wrote. It says what the
// scripted provider says, out of the same script. The mock is strict: a request
// that continues no conversation it knows, or that lacks the reasoning which the
// service wants back during a turn, is refused.
//
// Covers: turn-api REQ-03, REQ-04, REQ-05, workspace 9.7
func TestActingOverTheAPI(t *testing.T) {
	t.Parallel()
	api := startMock(t, fixtures(t, "../examples/agent/conversation.yaml"))
	p, settings := bridge(t, "BELAY_PROVIDER=anthropic", "ANTHROPIC_API_KEY=sk-ant-test", "BELAY_ANTHROPIC_BASE_URL="+api.url)
	p.race()
	session, all := p.act(settings, "edit", "edit")
	checkTalk(t, all)
	checkAsked(t, all, 2)
	p.checkBridge(session, 2)

	for i, r := range api.requests() {
		r.checkPairs(t, i)
	}
	// Three calls of one answer come back as three results of one message, in
	// their order, and so do the two changes.
	last := api.last(t, asking)
	if diff := cmp.Diff([]string{"read read read", "edit edit", "agent_CHECKER", "bash"}, last.calls()); diff != "" {
		t.Errorf("calls by answer (-want +got):\n%s", diff)
	}
	thoughts := 0
	for _, m := range last.Messages {
		for _, b := range m.Content {
			if b.Type == "thinking" && b.Signature != "" && b.Thinking != "" {
				thoughts++
			}
		}
	}
	if thoughts != 4 {
		t.Errorf("the last request has %d of 4 thoughts with their signatures", thoughts)
	}
	// The checker saw its task, and nothing of the engineer's conversation.
	if first := api.last(t, "Check the deck.").Messages[0].Content[0].Text; strings.Contains(first, asking) {
		t.Errorf("the checker was told %q", first)
	}
}

// mockAPI is the mock, behind a proxy that keeps what it was asked.
type mockAPI struct {
	url string

	mu     sync.Mutex
	bodies [][]byte
}

// startMock runs the mock on the fixtures until the test ends.
func startMock(t *testing.T, fixtures string) *mockAPI {
	t.Helper()
	missing := ""
	if _, err := os.Stat("aimock/node_modules/@copilotkit/aimock"); err != nil {
		missing = "the npm mock is not installed; run: make test-tools"
	} else if _, err := exec.LookPath("node"); err != nil {
		missing = "the npm mock needs Node 20.15 or later"
	}
	if missing != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("skipped, not passed: " + missing)
	}
	cmd := exec.CommandContext(t.Context(), "node", "serve.mjs", fixtures)
	cmd.Dir, cmd.Stderr = "aimock", os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close() // ends it
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	target, err := url.Parse(strings.TrimSpace(line))
	must(t, err)
	api := &mockAPI{}
	server := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("X-AIMock-Strict", "true")
			r.Out.Header.Del("Accept-Encoding")
			api.keep(t, r.Out)
		},
	})
	t.Cleanup(server.Close)
	api.url = server.URL
	return api
}

// keep remembers a request, and asks for reasoning in one of Anthropic's: then the
// mock checks that what was thought comes back with its signature.
func (a *mockAPI) keep(t *testing.T, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("read a request: %v", err)
	}
	a.mu.Lock()
	a.bodies = append(a.bodies, body)
	a.mu.Unlock()
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Errorf("a request is not JSON: %v", err)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/messages") {
		fields["thinking"] = map[string]any{"type": "enabled", "budget_tokens": 1024}
	}
	asks := []byte(jsonOf(fields))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(asks)), int64(len(asks))
	r.Header.Set("Content-Length", strconv.Itoa(len(asks)))
}

// wireRequest is a request as the service gets it.
type wireRequest struct {
	Messages []struct {
		Role    string
		Content []struct {
			Type, Text, Thinking, Signature, ID, Name string
			ToolUseID                                 string `json:"tool_use_id"`
		}
	}
}

// all are the bodies of what was asked so far.
func (a *mockAPI) all() [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.bodies)
}

func (a *mockAPI) requests() (all []wireRequest) {
	for _, b := range a.all() {
		var r wireRequest
		if json.Unmarshal(b, &r) == nil {
			all = append(all, r)
		}
	}
	return all
}

// last is the last request of the conversation that began with the words.
func (a *mockAPI) last(t *testing.T, begun string) wireRequest {
	t.Helper()
	for _, r := range slices.Backward(a.requests()) {
		for _, b := range r.Messages[0].Content {
			if strings.Contains(b.Text, begun) {
				return r
			}
		}
	}
	t.Fatalf("no request begins with %q", begun)
	return wireRequest{}
}

// calls are the names of the tools that each answer called.
func (r wireRequest) calls() (all []string) {
	for _, m := range r.Messages {
		var names []string
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				names = append(names, b.Name)
			}
		}
		if len(names) > 0 {
			all = append(all, strings.Join(names, " "))
		}
	}
	return all
}

// checkPairs checks what the service demands: the roles alternate, and the
// message after calls begins with their results, in the calls' order.
func (r wireRequest) checkPairs(t *testing.T, n int) {
	t.Helper()
	var open []string
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			t.Errorf("request %d, message %d is the %s's", n, i, m.Role)
		}
		var calls, results []string
		for j, b := range m.Content {
			switch b.Type {
			case "tool_use":
				calls = append(calls, b.ID)
			case "tool_result":
				if results = append(results, b.ToolUseID); j != len(results)-1 {
					t.Errorf("request %d, message %d: a result stands behind something else", n, i)
				}
			}
		}
		if diff := cmp.Diff(open, results); diff != "" {
			t.Errorf("request %d, message %d: results of the calls before (-want +got):\n%s", n, i, diff)
		}
		open = calls
	}
	if len(open) > 0 {
		t.Errorf("request %d ends with calls", n)
	}
}

// fixtures writes what the mock is to say, out of a script of the scripted
// provider, and returns the file. Each answer is known by the words that its
// conversation began with and by the number of answers before it. One that only
// calls gets a thought, because the service begins such an answer with one.
func fixtures(t *testing.T, script string) string {
	t.Helper()
	data, err := os.ReadFile(script)
	must(t, err)
	var played struct {
		Turns []struct {
			When  string
			Steps []struct {
				Say, Think string
				Call       *struct {
					Name  string
					Input map[string]any
				}
			}
		}
	}
	must(t, yaml.Unmarshal(data, &played))
	type fixture = map[string]any
	var all []fixture
	for _, turn := range played.Turns {
		answers, calling := []fixture{{}}, false
		for _, s := range turn.Steps {
			if calling && s.Call == nil { // the results come first
				answers, calling = append(answers, fixture{}), false
			}
			now := answers[len(answers)-1]
			switch {
			case s.Call != nil:
				calls, _ := now["toolCalls"].([]fixture)
				name := strings.ReplaceAll(s.Call.Name, ".", "_") // as the service takes names
				now["toolCalls"] = append(calls, fixture{"name": name, "arguments": s.Call.Input})
				calling = true
				if now["reasoning"] == nil {
					now["reasoning"] = "What is next?"
				}
			case s.Think != "":
				now["reasoning"] = s.Think
			default:
				now["content"] = s.Say
			}
		}
		for i, a := range answers {
			all = append(all, fixture{"match": fixture{"userMessage": turn.When, "turnIndex": i}, "response": a})
		}
	}
	name := filepath.Join(t.TempDir(), "fixtures.json")
	must(t, os.WriteFile(name, []byte(jsonOf(fixture{"fixtures": all})), 0o600))
	return name
}
