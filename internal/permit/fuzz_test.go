package permit

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// FuzzAllowedCommands holds what matters most: a text that rules allow runs no
// program that they do not allow by itself, however it is put.
func FuzzAllowedCommands(f *testing.F) {
	for _, s := range []string{
		"git status; rm -rf /", "git status $(rm x)", "FOO=bar git status", "env git status", "env -S 'rm x'", `\git status`, "g'i't status",
		"bash -c 'git status; rm x'", "git status | xargs rm", "find . -exec git status \\; -exec rm {} +", "eval git status", "eval \"$x\"",
		"git() { rm x; }; git status", "git status > x", "git status <(rm x)", "git status <<E\n$(rm x)\nE\n", "trap 'rm x' EXIT", "ls; $X",
		"timeout 5 nice -n 1 git status", "sudo git status", "((x=1)); git status", "for PATH in .; do git status; done", "{git,status}",
		"git status ${x:-$(rm x)}", "case x in $(rm x)) git status;; esac", "a=([$(rm x)]=1) git status", "coproc git status", "sh <<< 'rm x'",
		"git 'st'\"at\"us \\\n&& git log", "command -v git; builtin cd x", "git status 2>&1 >/dev/null", "echo `git status`", "alias git=rm; git status",
	} {
		f.Add(s)
	}
	p := Policy{Mode: DontAsk, Allowed: mustRules("bash(git status *)", "bash(git log *)")}
	f.Fuzz(func(t *testing.T, text string) {
		cmds, opaque, err := ParseCommand(text)
		if err != nil && !opaque {
			t.Fatal("a text that cannot be read is not opaque")
		}
		e := Effect{Tool: "bash", Kind: Execute, Command: text, Commands: cmds, Opaque: opaque}
		if p.Judge(e).Outcome != Allow {
			return
		}
		for _, c := range cmds {
			alone := e
			alone.Commands = []Command{c}
			if !c.Wraps && !c.harmless() && p.Judge(alone).Outcome != Allow {
				t.Fatalf("%q is allowed, %q in it is not", text, c.Words)
			}
		}
		// The parser's own tree, without any of the analysis: every word in a
		// command's place is one of the programs that are allowed.
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
		if err != nil {
			t.Fatalf("%q is allowed and cannot be read: %v", text, err)
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name := word(text, call.Args[0])
			base := name.text[strings.LastIndexByte(name.text, '/')+1:]
			if name.fixed() && (base == "git" || base == "eval" || slices.Contains(harmless, base)) {
				return true
			}
			if name.fixed() && slices.Contains([]string{"sh", "bash", "dash", "ash"}, base) { // with a text, which is taken apart
				return true
			}
			if _, wraps := wrappers[base]; name.fixed() && wraps {
				return true
			}
			t.Fatalf("%q is allowed and runs %q", text, name.text)
			return false
		})
	})
}

func mustRules(texts ...string) []Rule {
	rules, err := ParseRules(texts)
	if err != nil {
		panic(err)
	}
	return rules
}

// FuzzRule holds that a rule is read as it is written, again and again, and that
// matching comes to an end.
func FuzzRule(f *testing.F) {
	for _, s := range []string{"bash(git status *)", "write(docs/**)", "fetch(*.example.com)", "mcp.s.*", `bash(a "b c" \*)`, "x(", "bash(***?*)"} {
		f.Add(s, "git status x")
	}
	f.Fuzz(func(t *testing.T, text, call string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again.String() != r.String() || again.Tool() != r.Tool() || again.Bounded() != r.Bounded() {
			t.Fatalf("%q reads as %v, then as %v, %v", text, r, again, err)
		}
		e := Effect{Tool: strings.TrimSuffix(r.Tool(), "*") + "x", Kind: Write, Paths: []string{call}, Hosts: []string{call}}
		if !strings.HasSuffix(r.Tool(), "*") {
			e.Tool = r.Tool()
		}
		for _, kind := range []Kind{Write, Network, Execute} {
			e.Kind, e.Command = kind, call
			e.Commands, e.Opaque, _ = ParseCommand(call)
			denied := Policy{Denied: []Rule{r}}.Judge(e)
			allowed := Policy{Allowed: []Rule{r}, Denied: []Rule{r}}.Judge(e)
			if denied.Outcome == Refuse && allowed.Outcome != Refuse {
				t.Fatalf("%q denies %q, but not where it allows it too", text, call)
			}
			if !r.Bounded() && denied.Outcome != Refuse {
				t.Fatalf("%q does not deny %q", text, call)
			}
		}
	})
}
