package agent

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"belay/internal/persona"
	"belay/internal/tool"
)

type namedTool string

func (n namedTool) Spec() tool.Spec {
	return tool.Spec{Name: string(n), Schema: json.RawMessage(`{"type":"object"}`)}
}

func (namedTool) Prepare(context.Context, *tool.Environment, json.RawMessage) (tool.Call, error) {
	return nil, nil
}

// A misspelt denial takes away what it was meant for, and is said. Names of tools of other
// systems say nothing.
func TestDisallow(t *testing.T) {
	t.Parallel()
	all, err := tool.NewSet(namedTool("read"), namedTool("write"), namedTool("edit"), namedTool("bash"), namedTool("fetch"))
	if err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]string{
		"write": "", "WRITE": "", "bash(rm *)": "", "mcp.files.*": "", "WebFetch": "", "MultiEdit": "", "Task": "", "agent.X": "", "": "",
		"wirte": "write", "bsh(rm *)": "bash", "write(": "write", "Raed": "read", "write({a,b}/**)": "write", "bash(git push && git tag)": "bash",
	} {
		s := Settings{Persona: persona.Persona{DisallowedTools: []string{entry}}}
		got := s.Disallow(all)
		if taken := slices.Contains(got, want) && entry != want; (want != "") != taken || (want != "") != (len(s.Warnings) == 1) {
			t.Errorf("%q takes away %q, with the warnings %v; want %q", entry, got, s.Warnings, want)
		}
	}
}
