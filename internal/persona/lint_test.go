package persona

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

// whole is an instruction file that has all that the specification demands.
const whole = `---
description: "checks what others drew"
---
[[DOC:AGENT_INSTRUCTIONS]]
# AGENT INSTRUCTIONS — CHECKER (Drawings)
AGENT_TYPE: 2

## Agent Type

| Property | Value |
|---|---|
| **AGENT_TYPE** | TYPE 2 |
| **AGENT_CLASS** | TASK |
| **INTERACTION_SURFACE** | spawned |
| **WRITE_SCOPE** | tool-root-only (_Reconciliation/) |
| **BLOCKING** | never |
| **PRIMARY_OUTPUTS** | A report |

[[BEGIN:PROTOCOL]]
Look.
[[END:PROTOCOL]]
[[BEGIN:SPEC]]
It is right.
[[END:SPEC]]
[[BEGIN:STRUCTURE]]
A table:
` + "```" + `
[[BEGIN:EXAMPLE]]
` + "```" + `
[[END:STRUCTURE]]
[[BEGIN:RATIONALE]]
Why.
[[END:RATIONALE]]
`

// told are findings as "LINE CODE".
func told(all []finding.Finding) []string {
	var got []string
	for _, f := range all {
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.Code))
	}
	return got
}

// Covers: workspace 9.1, 9.2, 9.3, 9.5, 9.6
func TestLint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, with string
		want            []string
	}{
		{"whole", "", "", nil},
		{"line ends of Windows", "\n", "\r\n", nil},
		{"no marker", "[[DOC:AGENT_INSTRUCTIONS]]\n", "", []string{"0 AGENT_MARKER"}},
		{"the marker as code", "[[DOC:AGENT_INSTRUCTIONS]]\n", "`[[DOC:AGENT_INSTRUCTIONS]]`\n", []string{"0 AGENT_MARKER"}},
		{"no heading", "# AGENT INSTRUCTIONS — CHECKER (Drawings)\n", "", []string{"0 AGENT_HEADING"}},
		{"another heading", "AGENT INSTRUCTIONS — CHECKER", "Checker", []string{"5 AGENT_HEADING"}},
		{"another name", "— CHECKER", "— DRAWER", []string{"5 AGENT_NAME"}},
		{"no type line", "AGENT_TYPE: 2\n", "", []string{"0 AGENT_TYPE"}},
		{"no such type", "AGENT_TYPE: 2", "AGENT_TYPE: 3", []string{"6 AGENT_TYPE"}},
		{"two types", "AGENT_TYPE: 2", "AGENT_TYPE: 1", []string{"12 AGENT_TYPES_DIFFER"}},
		{"no table", "## Agent Type", "## What it is", []string{"0 AGENT_TABLE"}},
		{"a property less", "| **BLOCKING** | never |\n", "", []string{"10 AGENT_PROPERTY"}},
		{"a property without value", "| **BLOCKING** | never |", "| **BLOCKING** | |", []string{"10 AGENT_PROPERTY"}},
		{"a value that means nothing", "| never |", "| sometimes |", []string{"16 AGENT_VALUE"}},
		{"a type that means nothing", "| TYPE 2 |", "| TYPE X |", []string{"12 AGENT_VALUE"}},
		{"another letter case", "| TASK |", "| Task (quick) |", nil},
		{"two values", "| spawned |", "| spawned or chat |", []string{"14 AGENT_VALUE_REMARK"}},
		{"a remark", "| spawned |", "| spawned — by others |", nil},
		{"an unlisted value", "tool-root-only (_Reconciliation/)", "knowledge-type-local", []string{"15 AGENT_VALUE_UNLISTED"}},
		{"no section", "[[BEGIN:SPEC]]\nIt is right.\n[[END:SPEC]]\n", "", []string{"0 AGENT_SECTION"}},
		{"a section without end", "[[END:SPEC]]\n", "", []string{"22 AGENT_SECTION", "24 AGENT_SECTIONS"}},
		{"a section without beginning", "[[BEGIN:SPEC]]\n", "", []string{"23 AGENT_SECTIONS"}},
		{"a section that ends twice", "[[END:SPEC]]\n", "[[END:SPEC]]\n[[END:SPEC]]\n", []string{"25 AGENT_SECTIONS"}},
		{"a section twice", "[[BEGIN:RATIONALE]]\n", "[[BEGIN:SPEC]]\n[[END:SPEC]]\n[[BEGIN:RATIONALE]]\n", []string{"31 AGENT_SECTIONS", "32 AGENT_SECTIONS"}},
		{"frontmatter that is no YAML", "description: ", "description: [", []string{"1 AGENT_FRONTMATTER"}},
		{"a field of the wrong type", "description: \"checks what others drew\"", "max_turns: many", []string{"1 AGENT_FRONTMATTER"}},
		{"not UTF-8", "Why.", "Why\xff.", []string{"0 AGENT_NOT_TEXT"}},
		{"empty", whole, "", []string{"0 AGENT_MARKER", "0 AGENT_TYPE", "0 AGENT_HEADING", "0 AGENT_TABLE", "0 AGENT_SECTION", "0 AGENT_SECTION", "0 AGENT_SECTION", "0 AGENT_SECTION"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := whole
			if c.old != "" {
				if !strings.Contains(text, c.old) {
					t.Fatalf("the file has no %q", c.old)
				}
				text = strings.ReplaceAll(text, c.old, c.with)
			}
			all := Lint("agents/AGENT_CHECKER.md", []byte(text))
			if diff := cmp.Diff(c.want, told(all)); diff != "" {
				t.Error(diff)
			}
			for _, f := range all {
				if f.Path != "agents/AGENT_CHECKER.md" || f.Fix == "" || f.Message == "" {
					t.Errorf("%+v lacks something", f)
				}
			}
		})
	}
}

// Covers: workspace 9.7
func TestLintRoot(t *testing.T) {
	t.Parallel()
	manager := strings.NewReplacer("— CHECKER", "— LEAD", "TYPE: 2", "TYPE: 1", "TYPE 2", "TYPE 1", "description: \"checks what others drew\"",
		"subagents: [CHECKER, NOBODY, LEAD, TALKER]").Replace(whole)
	talker := strings.NewReplacer("— CHECKER", "— TALKER", "| TASK |", "| PERSONA |").Replace(whole)
	wants := strings.NewReplacer("— CHECKER", "— WANTS", "description: \"checks what others drew\"", "subagents: CHECKER").Replace(whole)
	dir := makeRoot(t, map[string]string{
		"agents/AGENT_PLAIN.md": strings.ReplaceAll(whole, "— CHECKER", "— PLAIN"), "agents/AGENT_CHECKER.md": whole, "agents/AGENT_LEAD.md": manager,
		"agents/AGENT_TALKER.md": talker, "agents/AGENT_WANTS.md": wants, "agents/AGENT_a b.md": "x", "agents/NOTES.md": "x",
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Remove(filepath.Join(dir, "docs", "PLAN.md")))
	must(os.Mkdir(filepath.Join(dir, "agents", "AGENT_FOLDER.md"), 0o700))
	all, err := open(t, dir).Lint()
	must(err)
	var got []string
	for _, f := range all {
		got = append(got, f.Path+" "+f.Code)
	}
	want := []string{
		"agents/AGENT_FOLDER.md AGENT_UNREADABLE",
		"agents/AGENT_LEAD.md AGENT_SUBAGENT", "agents/AGENT_LEAD.md AGENT_SUBAGENT", "agents/AGENT_LEAD.md AGENT_SUBAGENT_CLASS",
		"agents/AGENT_WANTS.md AGENT_DELEGATES", "agents/AGENT_a b.md AGENT_FILE_NAME", "docs/PLAN.md INSTRUCTION_ROOT_ENTRY",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if all, err := open(t, filepath.Join(dir, "nowhere")).Lint(); err != nil || len(all) != len(entries) {
		t.Errorf("a root that is not there: %+v, %v", all, err)
	}
}

func TestLintEmbedded(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", "../../examples/agent/instructions"} {
		if all, err := open(t, dir).Lint(); err != nil || len(all) > 0 {
			t.Errorf("%q: %v, %v", dir, told(all), err)
		}
	}
}

// Every finding about a real instruction root, each of them looked at.
func TestLintCorpus(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	all, err := open(t, filepath.Join(corpora, "instruction-root")).Lint()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"agents/AGENT_CHIRALITY_FRAMEWORK.md:5 AGENT_NAME",     // "Chirality Framework"
		"agents/AGENT_CHIRALITY_LENS.md:5 AGENT_NAME",          // "Chirality Lens"
		"agents/AGENT_CHIRALITY_LENS.md:24 AGENT_VALUE_REMARK", // "spawned or INIT-TASK"
		"agents/AGENT_DOMAIN_DOCUMENTS.md:42 AGENT_VALUE_UNLISTED",
		"agents/AGENT_PREPARATION.md:319 AGENT_SECTIONS", // PROTOCOL ends twice
	}
	var got []string
	for _, f := range all {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Code))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzLint holds the linter to the reader: a file in which it finds no error
// declares everything, and findings name lines that are there.
func FuzzLint(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("---\n---\n[[BEGIN:SPEC]]\n[[BEGIN:SPEC]]\n| | |\n|-|-|\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		all := Lint("agents/AGENT_CHECKER.md", data)
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 1
		for _, f := range all {
			if f.Line < 0 || f.Line > lines {
				t.Errorf("%+v is beyond the end", f)
			}
		}
		if errors, _ := finding.Count(all); errors > 0 {
			return
		}
		p := parse("agents/AGENT_CHECKER.md", "x", data).persona
		if p.Type == "" || p.Class == "" || p.WriteScope == "" || p.Blocking == "" || p.Surface == "" || p.Outputs == "" {
			t.Errorf("it finds nothing, and the reader %+v", p.Summary)
		}
	})
}
