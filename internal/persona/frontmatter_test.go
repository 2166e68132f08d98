package persona

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// declared is what a file says, in a form that tests can write down.
type declared struct {
	Type              Type
	Class             string
	Description       string
	Model             string
	MaxTurns          int
	Tools             *[]string
	Subagents         []string
	Disallowed, Auto  []string
	Body              string
	Warnings          int
	FirstWarningNames string
}

func declare(t *testing.T, text string) declared {
	t.Helper()
	p := parse("agents/AGENT_X.md", "x", []byte(text)).persona
	d := declared{
		Type: p.Type, Class: p.Class, Description: p.Description, Model: p.Model, MaxTurns: p.MaxTurns,
		Tools: p.Tools, Subagents: p.Subagents, Disallowed: p.DisallowedTools, Auto: p.AutoApproveTools,
		Body: p.Body, Warnings: len(p.Warnings),
	}
	if len(p.Warnings) > 0 {
		d.FirstWarningNames, _, _ = strings.Cut(p.Warnings[0], " ")
		d.FirstWarningNames = strings.TrimSuffix(d.FirstWarningNames, ":")
	}
	return d
}

// Covers: workspace 9.7
func TestFrontmatter(t *testing.T) {
	t.Parallel()
	list := func(s ...string) *[]string { l := append([]string{}, s...); return &l }
	tests := []struct {
		name, text string
		want       declared
	}{
		{"none", "body\n", declared{Body: "body\n"}},
		{"empty file", "", declared{}},
		{"every field", `---
description: "Does: things"
model: some-model # a comment
max_turns: 7
tools: [read, write]
subagents: A, B-C
disallowed_tools: bash
auto_approve_tools:
  - read
  - "list files"
unknown: {deep: [1, 2]}
---
body
`, declared{
			Description: "Does: things", Model: "some-model", MaxTurns: 7, Tools: list("read", "write"),
			Subagents: []string{"A", "B_C"}, Disallowed: []string{"bash"}, Auto: []string{"read", "list files"}, Body: "body\n",
		}},
		{"tools as a comma scalar", "---\ntools: read, write , ,bash\n---\n", declared{Tools: list("read", "write", "bash")}},
		{"an empty list is kept", "---\ntools: []\n---\n", declared{Tools: list()}},
		{"an empty value is an empty list", "---\ntools:\n---\n", declared{Tools: list()}},
		{"tools of the wrong type do not widen", "---\ntools: {a: b}\n---\n", declared{Tools: list(), Warnings: 1, FirstWarningNames: "tools"}},
		{"a number as tools does not widen", "---\ntools: 5\n---\n", declared{Tools: list(), Warnings: 1, FirstWarningNames: "tools"}},
		{"items that are no strings", "---\ntools: [read, 5, null, [x]]\n---\n", declared{Tools: list("read"), Warnings: 2, FirstWarningNames: "tools"}},
		{"hyphenated keys", "---\nmax-turns: 3\nauto-approve-tools: read\n---\n", declared{MaxTurns: 3, Auto: []string{"read"}}},
		{"closing line at the end of the file", "---\nmodel: m\n---", declared{Model: "m"}},
		{"CRLF", "---\r\nmodel: m\r\n---\r\nbody\r\n", declared{Model: "m", Body: "body\r\n"}},
		{"byte order mark", "\uFEFF---\nmodel: m\n---\nbody", declared{Model: "m", Body: "body"}},
		{"blanks after the rules", "--- \nmodel: m\n---\t\nbody", declared{Model: "m", Body: "body"}},
		{"empty block", "---\n---\nbody", declared{Body: "body"}},
		{"comments only", "---\n# nothing\n---\nbody", declared{Body: "body"}},
		{"never closed", "---\nmodel: m\nbody\n", declared{Body: "---\nmodel: m\nbody\n", Warnings: 1, FirstWarningNames: "frontmatter"}},
		{"a rule further down", "\n---\nmodel: m\n---\n", declared{Body: "\n---\nmodel: m\n---\n"}},
		{"four hyphens", "----\nmodel: m\n----\n", declared{Body: "----\nmodel: m\n----\n"}},
		{"tools after a blank line", "\n---\ntools: [read]\n---\n", declared{Tools: list(), Body: "\n---\ntools: [read]\n---\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools below four hyphens", "----\ndisallowed_tools: bash\n----\n", declared{Tools: list(), Body: "----\ndisallowed_tools: bash\n----\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in lines that end with CR", "---\rdisallowed_tools: bash\r---\r", declared{Tools: list(), Body: "---\rdisallowed_tools: bash\r---\r", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in another spelling", "\n---\ndisallowedTools: [bash]\n---\n", declared{Tools: list(), Body: "\n---\ndisallowedTools: [bash]\n---\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in capitals", "\n---\nTools: [read]\n---\n", declared{Tools: list(), Body: "\n---\nTools: [read]\n---\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools below a comment", "<!-- licence -->\n---\ntools: [read]\n---\n", declared{Tools: list(), Body: "<!-- licence -->\n---\ntools: [read]\n---\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in a block with a language", "---yaml\ntools: [read]\n---\n", declared{Tools: list(), Body: "---yaml\ntools: [read]\n---\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in TOML", "+++\ntools = [\"read\"]\n+++\n", declared{Tools: list(), Body: "+++\ntools = [\"read\"]\n+++\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"a rule in prose", "Intro.\n\n---\n\nTools: these are used with care, as follows: first.\n", declared{Body: "Intro.\n\n---\n\nTools: these are used with care, as follows: first.\n"}},
		{"tools below what stands between rules", "\n---\nmodel: m\n---\ntools: x\n", declared{Body: "\n---\nmodel: m\n---\ntools: x\n"}},
		{"tools in an empty block's body", "---\n---\ntools: x\n", declared{Body: "tools: x\n"}},
		{"tools that are merged", "---\nb: &b {disallowed_tools: [bash]}\n<<: *b\n---\n", declared{Tools: list(), Warnings: 2, FirstWarningNames: "merge"}},
		{"not YAML", "---\nmodel: [m\n---\nbody", declared{Body: "body", Warnings: 1, FirstWarningNames: "frontmatter"}},
		{"tools beside what is not YAML", "---\ntools: [read]\nmodel: [m\n---\nbody", declared{Tools: list(), Body: "body", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in braces that are not YAML", "---\n{tools: [read], model: [m}\n---\nbody", declared{Tools: list(), Body: "body", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools in a block that is never closed", "---\ndisallowed-tools: bash\nbody\n", declared{Tools: list(), Body: "---\ndisallowed-tools: bash\nbody\n", Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"tools twice", "---\ntools: [read]\ntools: [bash]\n---\n", declared{Tools: list(), Warnings: 2, FirstWarningNames: "frontmatter"}},
		{"disallowed tools of the wrong type", "---\ndisallowed_tools: {bash: true}\ntools: [read, bash]\n---\n", declared{Disallowed: []string{}, Tools: list(), Warnings: 2, FirstWarningNames: "disallowed_tools"}},
		{"a misspelt key about tools", "---\ndisalowed_tools: [write]\ntools: [read, write]\n---\n", declared{Tools: list(), Warnings: 2, FirstWarningNames: "\"disalowed_tools\""}},
		{"a misspelt key", "---\nmodell: x\ntools: [read]\n---\n", declared{Tools: list("read"), Warnings: 1, FirstWarningNames: "\"modell\""}},
		{"keys of others", "---\nname: X\ncolor: red\nversion: 1\nlicense: y\nmodels: [a]\n---\n", declared{Warnings: 1, FirstWarningNames: "\"models\""}},
		{"not a mapping", "---\n- a\n---\nbody", declared{Body: "body", Warnings: 1, FirstWarningNames: "frontmatter"}},
		{"a key twice", "---\nmodel: a\nmodel: b\n---\n", declared{Warnings: 1, FirstWarningNames: "frontmatter"}},
		{"a key twice, spelled twice", "---\nmax_turns: 1\nmax-turns: 2\n---\n", declared{Warnings: 1, FirstWarningNames: "frontmatter"}},
		{"max_turns quoted", "---\nmax_turns: \"7\"\n---\n", declared{Warnings: 1, FirstWarningNames: "max_turns"}},
		{"max_turns zero", "---\nmax_turns: 0\n---\n", declared{Warnings: 1, FirstWarningNames: "max_turns"}},
		{"max_turns negative", "---\nmax_turns: -1\n---\n", declared{Warnings: 1, FirstWarningNames: "max_turns"}},
		{"max_turns fraction", "---\nmax_turns: 1.5\n---\n", declared{Warnings: 1, FirstWarningNames: "max_turns"}},
		{"model of the wrong type", "---\nmodel: [a]\n---\n", declared{Warnings: 1, FirstWarningNames: "model"}},
		{"subagents merge spellings", "---\nsubagents: [A_B, A-B, ' A_B ', '../x', '']\n---\n", declared{Subagents: []string{"A_B"}, Warnings: 1, FirstWarningNames: "subagents"}},
		{"an alias is not expanded", "---\nx: &x [read]\ntools: *x\n---\n", declared{Tools: list(), Warnings: 1, FirstWarningNames: "tools"}},
		{"too large", "---\nx: " + strings.Repeat("a", maxFrontmatter) + "\nmodel: m\n---\nbody", declared{Body: "body", Warnings: 1, FirstWarningNames: "frontmatter"}},
		{"not UTF-8", "a\xffb", declared{Body: "a\uFFFDb", Warnings: 1, FirstWarningNames: "the"}},
		{"type in frontmatter does not count", "---\nAGENT_TYPE: 2\nAGENT_CLASS: TASK\n---\nbody", declared{Body: "body"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, declare(t, tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is no YAML is named by its line in the file.
func TestFrontmatterNamesTheLine(t *testing.T) {
	t.Parallel()
	p := parse("agents/AGENT_X.md", "x", []byte("---\nmodel: m\n max_turns: 3\n---\nbody")).persona
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "line 3: ") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// A file of aliases of aliases must not take memory or time.
func TestFrontmatterAliasBomb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("---\na: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'z'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10), ", "))
	}
	b.WriteString("tools: [*z]\n---\nbody")
	p := parse("agents/AGENT_X.md", "x", []byte(b.String())).persona
	if p.Tools != nil && len(*p.Tools) > 0 {
		t.Errorf("tools = %v", *p.Tools)
	}
}

// The body is never lost or changed, and what is declared is well-formed,
// whatever the bytes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"---\ntools: a, b\nmax_turns: 3\nsubagents: [X]\n---\nAGENT_TYPE: 1\n", "---\n---", "---", "\uFEFF---\r\nmodel: x\r\n---\r\n",
		"```\nAGENT_TYPE: 2\n```\n| **AGENT_TYPE** | TYPE 1 |\n", "<!-- AGENT_TYPE: 2", "---\n? [a]\n: b\n---\n", "a\xff\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := parse("agents/AGENT_X.md", "x", []byte(text))
		p := d.persona
		valid := strings.ToValidUTF8(strings.TrimPrefix(text, "\uFEFF"), "\uFFFD")
		if !strings.HasSuffix(valid, p.Body) {
			t.Fatalf("body %q is not the end of %q", p.Body, valid)
		}
		if head := strings.TrimSuffix(valid, p.Body); head != "" && (!strings.HasPrefix(head, "---") || !isRule(strings.TrimSuffix(lastLine(head), "\n"))) {
			t.Fatalf("%q was taken as frontmatter", head)
		}
		if p.MaxTurns < 0 {
			t.Fatalf("max_turns = %d", p.MaxTurns)
		}
		for _, s := range p.Subagents {
			if !namePattern.MatchString(s) || strings.Contains(s, "-") {
				t.Fatalf("subagent %q", s)
			}
		}
		if p.Type != "" && p.Type != Architect && p.Type != Manager && p.Type != Specialist {
			t.Fatalf("type %q", p.Type)
		}
	})
}

func lastLine(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}
