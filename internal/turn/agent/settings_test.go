package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"belay/internal/permit"
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

// A denial of files that cannot be followed holds for every tool that shows them.
func TestDisallowFiles(t *testing.T) {
	t.Parallel()
	all, err := tool.NewSet(namedTool("read"), namedTool("write"), namedTool("grep"))
	if err != nil {
		t.Fatal(err)
	}
	for entry, says := range map[string]string{
		"read(secrets/{key,other}.txt)": "the agent reads no files", "Raed(secrets/**)": "the agent reads no files",
		"write({a,b}/**)": "the agent changes no files", "raed": "the agent goes without the tool read",
	} {
		s := Settings{Persona: persona.Persona{DisallowedTools: []string{entry}}}
		s.Disallow(all)
		rules, err := permit.ParseRules(s.Persona.DisallowedTools)
		if err != nil {
			t.Fatal(err)
		}
		denied := permit.Policy{Denied: rules}
		if len(s.Warnings) != 1 || !strings.HasSuffix(s.Warnings[0].Message, says) {
			t.Errorf("%s: %v", entry, s.Warnings)
		}
		if closed := denied.Unreadable("secrets/key.txt", false) != ""; closed != (says == "the agent reads no files") {
			t.Errorf("%s: files are closed: %v", entry, closed)
		}
	}
}
