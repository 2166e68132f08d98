package permit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bash is the effect of a confined command at the project's own folder.
func bash(t testing.TB, text string) Effect {
	t.Helper()
	e := Effect{Tool: "bash", Kind: Execute, Command: text}
	e.Commands, e.Opaque, _ = ParseCommand(text) // what is no command is opaque
	return e
}

func rules(t testing.TB, texts ...string) []Rule {
	t.Helper()
	all, err := ParseRules(texts)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Covers: turn-api REQ-04
func TestModes(t *testing.T) {
	t.Parallel()
	effects := map[string]Effect{
		"read":     {Tool: "read", Kind: Read, Paths: []string{"a"}},
		"write":    {Tool: "write", Kind: Write, Paths: []string{"a"}},
		"command":  bash(t, "make"),
		"apart":    {Tool: "bash", Kind: Execute, Command: "$X", Opaque: true, Deferred: true},
		"online":   {Tool: "bash", Kind: Execute, Command: "ls", Deferred: true, Network: true},
		"fetch":    {Tool: "fetch", Kind: Network, Hosts: []string{"example.com"}},
		"delegate": {Tool: "agent.TASK", Kind: Delegate},
		"unknown":  {Tool: "odd", Kind: "odd"},
	}
	for mode, want := range map[string]map[string]Outcome{
		"direct":      {"read": Allow, "write": Ask, "command": Ask, "apart": Allow, "online": Ask, "fetch": Ask, "delegate": Allow, "unknown": Ask},
		"acceptEdits": {"read": Allow, "write": Allow, "command": Ask, "apart": Allow, "online": Ask, "fetch": Ask, "delegate": Allow, "unknown": Ask},
		"dontAsk":     {"read": Allow, "write": Refuse, "command": Refuse, "apart": Allow, "online": Refuse, "fetch": Refuse, "delegate": Allow, "unknown": Refuse},
		"plan":        {"read": Allow, "write": Refuse, "command": Refuse, "apart": Allow, "online": Refuse, "fetch": Refuse, "delegate": Allow, "unknown": Refuse},
		"PIPELINE":    {"read": Allow, "write": Ask, "command": Ask, "apart": Allow, "online": Ask, "fetch": Ask, "delegate": Allow, "unknown": Ask},
	} {
		for name, e := range effects {
			got := Policy{Mode: ModeOf(mode)}.Judge(e)
			if got.Outcome != want[name] || got.Reason == "" {
				t.Errorf("%s, %s: %+v, want %s with a reason", mode, name, got, want[name])
			}
			blocked := Policy{Mode: ModeOf(mode), NeverAsk: "the persona never blocks"}.Judge(e)
			if want[name] == Ask && (blocked.Outcome != Refuse || !strings.Contains(blocked.Reason, "never blocks")) ||
				want[name] != Ask && blocked.Outcome != want[name] {
				t.Errorf("%s, %s where nobody can be asked: %+v", mode, name, blocked)
			}
		}
	}
}

// Covers: turn-api REQ-04
func TestRules(t *testing.T) {
	t.Parallel()
	write := func(paths ...string) Effect { return Effect{Tool: "write", Kind: Write, Paths: paths} }
	fetch := func(hosts ...string) Effect { return Effect{Tool: "fetch", Kind: Network, Hosts: hosts} }
	unconfined := bash(t, "git status")
	unconfined.Unconfined = true
	below := bash(t, "echo > x")
	below.Dir = "docs"
	for _, c := range []struct {
		allow, deny string
		e           Effect
		want        Outcome
	}{
		{"write(docs/**)", "", write("docs/a/b.md"), Allow},
		{"write(docs/**)", "", write("docs/a.md", "src/b"), Ask},
		{"write(docs/**)", "", write("docs/../src/b"), Ask},
		{"write(docs/*)", "", write("docs/a/b"), Ask},
		{"write(docs/**)", "", write(), Ask},
		{"write", "", write(), Allow},
		{"WRITE", "", write("x"), Allow},
		{"edit", "", write("x"), Ask},
		{"write", "write(secret/**)", write("x", "secret/y"), Refuse},
		{"write", "write(secret/**)", write("./a/../SECRET/y"), Refuse},
		{"", "read(secret/**)", Effect{Tool: "read", Kind: Read, Paths: []string{"secret/x"}}, Refuse},
		{"", "read", Effect{Tool: "read", Kind: Read, Paths: []string{"x"}}, Refuse},
		{"fetch(example.com)", "", fetch("Example.com."), Allow},
		{"fetch(example.com)", "", fetch("example.com", "evil.com"), Ask},
		{"fetch(example.com)", "", fetch("example.com.evil.com"), Ask},
		{"fetch(*.example.com)", "", fetch("a.b.example.com"), Allow},
		{"fetch(*.example.com)", "", fetch(), Ask},
		{"", "agent.*", Effect{Tool: "agent.TASK", Kind: Delegate}, Refuse},
		{"agent.TASK", "agent.TASK", Effect{Tool: "agent.TASK", Kind: Delegate}, Refuse},
		{"fetch", "fetch(*.evil.com)", fetch("x.EVIL.com"), Refuse},
		{"mcp.server.*", "", Effect{Tool: "mcp.server.tool", Kind: Execute}, Allow},
		{"mcp.server.*", "", Effect{Tool: "mcp.server2.tool", Kind: Execute}, Ask},
		{"mcp.server.tool", "", Effect{Tool: "mcp.server.tool", Kind: Write}, Allow},

		{"bash(make *)", "", bash(t, "make x y"), Allow},
		{"bash(make *)", "", bash(t, "make"), Allow},
		{"bash(make test)", "", bash(t, "make test"), Allow},
		{"bash(make test)", "", bash(t, "make test x"), Ask},
		{"bash(make test)", "", bash(t, "make test$X"), Ask},
		{"bash(make * x)", "", bash(t, "make $Y x"), Ask},
		{"bash(make *)", "", bash(t, "make $Y"), Allow},
		{"bash(make *)", "", bash(t, "make; rm x"), Ask},
		{"bash(make *)", "", bash(t, "make $(rm x)"), Ask},
		{"bash(make *)", "", bash(t, "make > Makefile"), Ask},
		{"bash(make *)", "", bash(t, "make && git status"), Ask},
		{"bash(make *) write(out/**)", "", bash(t, "make > out/log"), Allow},
		{"bash(make *) write(out/**)", "", bash(t, "cd .. && make > out/log"), Ask},
		{"bash(make *) write", "", bash(t, "make > ../log"), Ask},
		{"bash(make *)", "", bash(t, "env make x"), Allow},
		{"bash(make *)", "", bash(t, "FOO=bar make"), Ask},
		{"bash(make *) bash(FOO=*)", "", bash(t, "FOO=bar make"), Allow},
		{"bash(make *)", "", bash(t, "./make"), Ask},
		{"bash(make *)", "", bash(t, "/usr/bin/make"), Allow},
		{"bash(make *)", "", bash(t, "bash -c 'make x'"), Allow},
		{"bash(make *)", "", bash(t, "bash -c 'make x; rm y'"), Ask},
		{"bash(make *)", "", bash(t, "xargs make"), Allow},
		{"bash(make *)", "", bash(t, "make() { rm x; }; make"), Ask},
		{"bash(sh *)", "", bash(t, "sh -c 'rm x'"), Ask},
		{"bash(find *)", "", bash(t, "find . -exec rm {} +"), Ask},
		{"bash(find *) bash(rm *)", "", bash(t, "find . -exec rm {} +"), Allow},
		{"bash(sudo *)", "", bash(t, "sudo rm x"), Ask},
		{"bash(rm *)", "", bash(t, "sudo rm x"), Ask},
		{"bash(npm run test:*)", "", bash(t, "npm run test:unit"), Allow},
		{"bash(uniq '*')", "", bash(t, "uniq x"), Ask},
		{"bash(make '*')", "", bash(t, "make x"), Ask},
		{"bash(make '*')", "", bash(t, "make '*'"), Allow},
		{"bash(*)", "", bash(t, "make"), Allow},
		{"bash(*)", "", bash(t, "$X"), Ask},
		{"bash", "", bash(t, "$X"), Allow},
		{"Bash(echo *)", "", bash(t, "echo hi"), Allow},
		{"bash", "", bash(t, "if"), Allow},
		{"bash(make)", "", Effect{Tool: "bash", Kind: Execute}, Ask},
		{"bash", "", unconfined, Ask},
		{"", "", bash(t, "bash -c ''"), Ask},

		{"bash", "bash(rm *)", bash(t, "ls; rm x"), Refuse},
		{"bash", "bash(rm *)", bash(t, "ls $(rm x)"), Refuse},
		{"bash", "bash(rm *)", bash(t, "/tmp/RM x"), Refuse},
		{"bash", "bash(rm *)", bash(t, `\r"m" x`), Refuse},
		{"bash", "bash(rm *)", bash(t, "env nohup rm x"), Refuse},
		{"bash", "bash(rm *)", bash(t, "find . -exec rm {} +"), Refuse},
		{"bash", "bash(env *)", bash(t, "env make"), Refuse},
		{"bash", "bash(rm *)", bash(t, "$X"), Ask},
		{"bash", "bash(git push --force *)", bash(t, "git push $X"), Ask},
		{"bash", "bash(git push --force *)", bash(t, "git push origin"), Allow},
		{"bash", "bash(git push)", bash(t, "git push $X"), Ask},
		{"bash", "write(docs/**)", bash(t, "echo > docs/x"), Refuse},
		{"bash", "write(docs/**)", below, Refuse},
		{"bash", "write(docs/**)", bash(t, "cd docs; echo > x"), Ask},
		{"bash", "write", bash(t, "echo > x"), Refuse},
		{"bash", "bash", bash(t, "ls"), Refuse},
	} {
		p := Policy{Mode: Direct, Allowed: rules(t, list(c.allow)...), Denied: rules(t, list(c.deny)...)}
		got := p.Judge(c.e)
		if got.Outcome != c.want {
			t.Errorf("allow %q, deny %q, %q %v: %+v, want %s", c.allow, c.deny, c.e.Command, c.e.Paths, got, c.want)
		}
		if got.Outcome == Refuse && got.Rule != c.deny {
			t.Errorf("deny %q, %q: the ruling names %q", c.deny, c.e.Command, got.Rule)
		}
	}
}

// list splits rules at the blanks between them.
func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(s, ") ", ")\n"), "\n")
}

func TestParseRuleRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "()", "(x)", "bash(", "bash(x", "bash()", "bash( )", "bash)x(", "1bash", "ba sh(x)", "bash(x)y",
		"bash('x)", `bash(x\)`, "bash(a\nb)", "bash(\x00)", "*", ".*", "bash(" + strings.Repeat("x", 1000) + ")",
	} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q was read as %+v", text, r)
		}
	}
	if _, err := ParseRules([]string{"read", "(", "bash("}); err == nil || strings.Count(err.Error(), "rule ") != 2 {
		t.Errorf("two broken rules of three: %v, want both told", err)
	}
	var r Rule
	if err := r.UnmarshalText([]byte("Read(a/**)")); err != nil || r.String() != "Read(a/**)" || r.Tool() != "read" || !r.Bounded() {
		t.Errorf("the rule came out as %v, %v", r, err)
	}
	if (Rule{}).Names("") || (Policy{Allowed: []Rule{{}}}).Judge(Effect{Kind: Write}).Outcome != Ask {
		t.Error("the zero rule names something")
	}
}

// A pattern matches what its pieces, in order, can be found in, and no other end.
func TestGlobMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(`[ab]{0,3}`), 1, 5).Draw(t, "pieces")
		fill := rapid.SliceOfN(rapid.StringMatching(`[abc]{0,3}`), len(pieces), len(pieces)).Draw(t, "fill")
		var s strings.Builder
		for i, p := range pieces {
			s.WriteString(p)
			if i < len(pieces)-1 {
				s.WriteString(fill[i])
			}
		}
		if g := glob(strings.Join(pieces, anyText)); !g.match(s.String(), false) {
			t.Fatalf("%q does not match %q", g, s.String())
		}
		if g := glob(strings.Join(pieces, anyText) + "d"); g.match(s.String(), false) {
			t.Fatalf("%q matches %q", g, s.String())
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	p := Policy{Mode: Direct}
	for i := range 20 {
		p.Allowed = append(p.Allowed, rules(b, fmt.Sprintf("bash(git x%d *)", i))...)
		p.Denied = append(p.Denied, rules(b, fmt.Sprintf("read(secret%d/**)", i))...)
	}
	for name, e := range map[string]Effect{
		"read":    {Tool: "read", Kind: Read, Paths: []string{"docs/a/b.md"}},
		"command": bash(b, "git x19 status | grep -v x && ls"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if p.Judge(e).Outcome != Allow {
					b.Fatal("refused")
				}
			}
		})
	}
}

func BenchmarkParseCommand(b *testing.B) {
	for b.Loop() {
		if _, opaque, err := ParseCommand("git log --oneline | grep -v x && (cd src; go test ./... > out 2>&1)"); opaque || err != nil {
			b.Fatal(opaque, err)
		}
	}
}

// The question says what an answer for the session covers.
func TestKindOfCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    Effect
		want string
	}{
		{bash(t, "cd a && npm install x; rm -rf b | head"), "npm install, rm"},
		{bash(t, "make > log"), "> log, make"},
		{bash(t, "eval $X"), ""},
		{Effect{Tool: "fetch", Kind: Network, Hosts: []string{"Example.com"}}, "example.com"},
		{Effect{Tool: "write", Kind: Write, Paths: []string{"a"}}, "every write of ordinary files in the write scope"},
	} {
		if got := c.e.KindOfCall(); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.e.Tool, c.e.Command, got, c.want)
		}
	}
}

// A denial of files counts for all that a command changed: folders, and what is in a
// repository, too.
func TestDenialsOfWhatACommandChanged(t *testing.T) {
	t.Parallel()
	e := Effect{Tool: "bash", Kind: Execute, Deferred: true, Done: &Done{Files: 2}, Paths: []string{"a", ".git"}, Touched: []string{"a", "src/new", ".git/refs/heads/x"}}
	for rule, want := range map[string]Outcome{
		"write(src/**)": Refuse, "write(.git/refs/**)": Refuse, "write(a)": Refuse, "write": Refuse, "write(b)": Ask, "edit(a)": Ask,
	} {
		denied, err := ParseRules([]string{rule})
		if err != nil {
			t.Fatal(err)
		}
		if got := (Policy{Denied: denied}).Judge(e); got.Outcome != want {
			t.Errorf("%s: %+v, want %s", rule, got, want)
		}
	}
}

// A folder that came as a whole may hold anything: a rule about files counts for it only with
// everything in it.
func TestRulesAboutWholeFolders(t *testing.T) {
	t.Parallel()
	e := Effect{Tool: "bash", Kind: Execute, Deferred: true, Done: &Done{Files: 60_000}, Paths: []string{"out"}, Touched: []string{"out"}, Whole: []string{"out"}}
	for _, c := range []struct {
		allowed, denied string
		want            Outcome
	}{
		{"", "", Allow},
		{"", "write(**/.env)", Ask},
		{"", "write(OUT/*/.env)", Ask},
		{"", "write(o*/.env)", Ask},
		{"", "write(docs/**)", Allow},
		{"", "write(docs/out/.env)", Allow},
		{"", "write(*.env)", Allow},
		{"write(out/**)", "write(**/.env)", Ask},
		{"", "write", Refuse},
		{"", "write(out)", Refuse},
		{"write(**)", "edit(**/.env)", Allow},
	} {
		p := Policy{Mode: AcceptEdits, Allowed: rules(t, strings.Fields(c.allowed)...), Denied: rules(t, strings.Fields(c.denied)...)}
		if got := p.Judge(e); got.Outcome != c.want {
			t.Errorf("allowed %q, denied %q: %+v, want %s", c.allowed, c.denied, got, c.want)
		}
	}
	runs := e
	runs.Automatic = []string{"out/.bin/x: it runs"}
	p := Policy{Allowed: rules(t, "write(out/**)"), Denied: rules(t, "write(**/.env)")}
	if got := p.Judge(runs); got.Outcome != Ask {
		t.Errorf("with files that run by themselves: %+v", got)
	}
	for allowed, want := range map[string]Outcome{"write(out/**)": Allow, "write(**)": Allow, "write(out)": Ask, "write(*)": Ask, "write(out/*)": Ask, "write(out/**/*.o)": Ask, "write": Allow} {
		if got := (Policy{Allowed: rules(t, allowed)}).Judge(e); got.Outcome != want {
			t.Errorf("allowed %q: %+v, want %s", allowed, got, want)
		}
	}
}

// A question fits into its file, however many files a command changed and however long
// their names are.
func TestShownFits(t *testing.T) {
	t.Parallel()
	e := Effect{Tool: "bash", Kind: Execute, Done: &Done{Files: 50_000}}
	for i := range 50_000 {
		name := fmt.Sprintf("%05d%s", i, strings.Repeat("\x01", 200))
		e.Paths, e.Automatic, e.OnRequest = append(e.Paths, name), append(e.Automatic, name), append(e.OnRequest, name)
		e.Done.Ignored = append(e.Done.Ignored, Ignored{"out/" + name, 1})
	}
	text, err := json.Marshal(e.Shown())
	if err != nil || len(text) > maxRequestBytes/2 {
		t.Errorf("the question has %d bytes, %v", len(text), err)
	}
	if n := len(e.Shown().Paths); n == 0 {
		t.Error("it names no file")
	}
	e = Effect{Tool: "project.scaffold", Kind: Write, Paths: e.Paths}
	if n := len(e.Shown().Paths); n == 0 || n > maxShownPaths {
		t.Errorf("a call that has not run names %d files", n)
	}
}
