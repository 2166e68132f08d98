package agent

import (
	"testing"

	"belay/internal/session"
)

// Some services number calls anew in each answer. What a job of an earlier call was about to
// change is not a later call's.
func TestIntentsOfACall(t *testing.T) {
	t.Parallel()
	called := session.Entry{Kind: session.EntryAssistant, Blocks: []session.Block{{Type: session.BlockToolCall, ID: "call_0", Name: "bash"}}}
	intent := func(path string) session.Entry {
		return session.Entry{Kind: session.EntryIntent, Changes: []session.Change{{Call: "call_0", Path: path}}}
	}
	result := session.Entry{Kind: session.EntryTools, Blocks: []session.Block{{Type: session.BlockToolResult, ID: "call_0"}}}
	of := func(job bool, entries ...session.Entry) (paths string) {
		for _, c := range intendedBy(&SuspendedCall{Job: job, Entries: entries}, "call_0") {
			paths += c.Path
		}
		return paths
	}
	if got := of(false, called, result, intent("job"), called, intent("own")); got != "own" {
		t.Errorf("the later call was about to change %s", got)
	}
	if got := of(true, called, result, intent("job")); got != "job" {
		t.Errorf("the job was about to change %s", got)
	}
}
