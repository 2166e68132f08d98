package test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The example's conversation with the OpenAI provider, over its real SDK, against
// an implementation of the protocol that others wrote, on loopback and without a
// key as a local server is. It says what the scripted provider says, out of the
// same script.
//
// Covers: turn-api REQ-03, REQ-04, REQ-05, workspace 9.7
func TestActingOverOpenAIsProtocol(t *testing.T) {
	t.Parallel()
	api := startMock(t, fixtures(t, "../examples/agent/conversation.yaml"))
	p, settings := bridge(t, "BELAY_PROVIDER=openai", "BELAY_OPENAI_BASE_URL="+api.url+"/v1", "BELAY_MODEL=qwen3")
	session, all := p.act(settings, "edit", "edit")
	checkTalk(t, all)
	checkAsked(t, all, 2)
	p.checkBridge(session, 2)

	var last chatRequest
	for i, body := range api.all() {
		var r chatRequest
		must(t, json.Unmarshal(body, &r))
		r.checkPairs(t, i)
		if slices.ContainsFunc(r.Messages, func(m chatMessage) bool { return strings.Contains(string(m.Content), asking) }) {
			last = r
		}
	}
	// Three calls of one answer come back as three results, in their order, and so
	// do the two changes.
	if diff := cmp.Diff([]string{"read read read", "edit edit", "agent_CHECKER", "bash"}, last.calls()); diff != "" {
		t.Errorf("calls by answer (-want +got):\n%s", diff)
	}
	// What was thought goes back in the field in which it came.
	thoughts := 0
	for _, m := range last.Messages {
		if m.Reasoning != "" {
			thoughts++
		}
	}
	if thoughts != 4 {
		t.Errorf("the last request has %d of 4 thoughts", thoughts)
	}
}

// chatRequest is a request of OpenAI's protocol.
type chatRequest struct{ Messages []chatMessage }

type chatMessage struct {
	Role       string
	Content    json.RawMessage
	Reasoning  string `json:"reasoning_content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct{ Name string }
	} `json:"tool_calls"`
}

// calls are the names of the tools that each answer called.
func (r chatRequest) calls() (all []string) {
	for _, m := range r.Messages {
		var names []string
		for _, c := range m.ToolCalls {
			names = append(names, c.Function.Name)
		}
		if len(names) > 0 {
			all = append(all, strings.Join(names, " "))
		}
	}
	return all
}

// checkPairs checks what the protocol demands: behind calls stand their results, in
// their order, and nothing else in between.
func (r chatRequest) checkPairs(t *testing.T, n int) {
	t.Helper()
	var open []string
	for i, m := range r.Messages {
		switch {
		case m.Role == "tool" && (len(open) == 0 || open[0] != m.ToolCallID):
			t.Errorf("request %d, message %d: a result of %s, while %v are open", n, i, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
		case len(open) > 0:
			t.Errorf("request %d, message %d: %s, while %v are open", n, i, m.Role, open)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("request %d ends with calls", n)
	}
}
