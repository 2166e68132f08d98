package persona

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	markdown "belay/internal/workspace/document"
)

// Covers: workspace 9.1, workspace 9.2, workspace 9.5, workspace 9.7
func TestHeader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       header
	}{
		{"header line", "AGENT_TYPE: 2\n", header{typ: Specialist}},
		{"header line with the word", "AGENT_TYPE: TYPE 1\n", header{typ: Manager}},
		{"header line with CR", "AGENT_TYPE: 0\r\nx\r\n", header{typ: Architect}},
		{"no such type", "AGENT_TYPE: 3\n", header{}},
		{"two digits", "AGENT_TYPE: 12\n", header{}},
		{"digits run together", "AGENT_TYPE: 1a\n", header{}},
		{"lower case is no header", "agent_type: 1\n", header{}},
		{"in a sentence", "Write AGENT_TYPE: 1 at the top.\n", header{}},
		{"table", "## Agent Type\n\n| Property | Value |\n|---|---|\n| **AGENT_TYPE** | TYPE 2 |\n| **AGENT_CLASS** | TASK |\n", header{typ: Specialist, class: ClassTask}},
		{"whole table", `| **AGENT_TYPE** | TYPE 1 |
| **AGENT_CLASS** | PERSONA (MANAGER) |
| **INTERACTION_SURFACE** | chat |
| **WRITE_SCOPE** | tool-root-only (` + "`_X/`" + `) |
| **BLOCKING** | allowed |
| **PRIMARY_OUTPUTS** | a \| b |
`, header{typ: Manager, class: ClassPersona, surface: "chat", scope: "tool-root-only (`_X/`)", blocking: "allowed", outputs: "a | b"}},
		{"table without bold, in lower case", "| agent_type | type 0 |\n| agent_class | task |\n", header{typ: Architect, class: ClassTask}},
		{"header wins over table", "AGENT_TYPE: 1\n| **AGENT_TYPE** | TYPE 2 |\n", header{typ: Manager, warnings: []string{"the header says TYPE 1 and the Agent Type table TYPE 2; the header holds"}}},
		{"first of two", "AGENT_TYPE: 1\nAGENT_TYPE: 2\n", header{typ: Manager}},
		{"in a fence", "```\nAGENT_TYPE: 2\n| **AGENT_TYPE** | TYPE 2 |\n```\n", header{}},
		{"after a fence", "```yaml\nAGENT_TYPE: 2\n```\nAGENT_TYPE: 1\n", header{typ: Manager}},
		{"in a tilde fence with backticks", "~~~\n```\nAGENT_TYPE: 2\n~~~\nAGENT_TYPE: 1\n", header{typ: Manager}},
		{"in a longer fence", "````\n```\nAGENT_TYPE: 2\n````\nAGENT_TYPE: 1\n", header{typ: Manager}},
		{"in a fence that never ends", "```\nAGENT_TYPE: 2\n", header{}},
		{"inline code is no fence", "```x``` is code\nAGENT_TYPE: 1\n", header{typ: Manager}},
		{"in a comment", "<!-- AGENT_TYPE: 2\nAGENT_TYPE: 2\n-->\nAGENT_TYPE: 1\n", header{typ: Manager}},
		{"beside a comment", "<!-- a --> AGENT_TYPE: 1 <!-- b -->\n", header{typ: Manager}},
		{"in indented code", "    AGENT_TYPE: 2\n\tAGENT_TYPE: 2\n", header{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, parseHeader(markdown.Parse([]byte(tt.body)), 0), cmp.AllowUnexported(header{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
