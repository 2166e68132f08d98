package permit

import (
	"slices"
	"testing"
)

// The rules that an answer "always" writes cover the call, and there are none for calls
// that are asked about each time.
func TestAlwaysRules(t *testing.T) {
	t.Parallel()
	command := func(text string, change ...func(*Effect)) Effect {
		cmds, opaque, err := ParseCommand(text)
		if err != nil {
			t.Fatal(err)
		}
		e := Effect{Tool: "bash", Kind: Execute, Command: text, Commands: cmds, Opaque: opaque, Deferred: true, Done: &Done{Files: 1}, Paths: []string{"out.txt"}}
		for _, f := range change {
			f(&e)
		}
		return e
	}
	files := func(paths ...string) Effect { return Effect{Tool: "edit", Kind: Write, Paths: paths} }
	for name, c := range map[string]struct {
		effect Effect
		want   []string
	}{
		"a subcommand":          {command("go test ./..."), []string{"bash(go test *)"}},
		"several":               {command("cd x && go vet ./... && gofmt -w a.go"), []string{"bash(go vet *)", "bash(gofmt *)"}},
		"all words count":       {command("make check"), []string{"bash(make check)"}},
		"a script":              {command("sh build.sh"), []string{"bash(sh build.sh)"}},
		"quotes":                {command("make 'a b'"), nil},
		"not known":             {command("$X y"), nil},
		"outside":               {command("git push origin", func(e *Effect) { e.Outside = true }), nil},
		"runs by itself":        {command("touch .envrc", func(e *Effect) { e.Automatic = []string{".envrc runs on cd"} }), nil},
		"unconfined":            {command("go test", func(e *Effect) { e.Unconfined = true }), nil},
		"ports":                 {command("npm run dev", func(e *Effect) { e.Ports, e.Done = []uint16{3000}, nil }), nil},
		"in doubt":              {command("go test", func(e *Effect) { e.Doubt = "an earlier one did" }), nil},
		"asked before it runs":  {command("terraform apply", func(e *Effect) { e.Done = nil }), nil},
		"a file":                {files("docs/plan.md"), []string{"edit(docs/plan.md)"}},
		"a file with a pattern": {files("docs/*.md"), nil},
		"a file with a bracket": {files("docs/a(b).md"), nil},
		"many files":            {files("a", "b", "c", "d", "e", "f"), nil},
		"a host":                {HostEffect("example.com:8443"), []string{"network(example.com:8443)"}},
		"a registry":            {HostEffect("proxy.golang.org"), []string{"network(registries)"}},
		"a fetch":               {Effect{Tool: "fetch", Kind: Network, Hosts: []string{"Example.com"}}, []string{"fetch(example.com)"}},
		"a publication":         {Effect{Tool: "send", Kind: Publish, Paths: []string{"a"}}, nil},
		"a delegation":          {Effect{Tool: "agent.x", Kind: Delegate}, nil},
	} {
		var got []string
		for _, r := range c.effect.AlwaysRules() {
			got = append(got, r.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A rule that is added holds for the next call, and a denial still wins.
func TestAddedRules(t *testing.T) {
	t.Parallel()
	added := &AddedRules{}
	p := Policy{Mode: Direct, Added: added}
	e := Effect{Tool: "write", Kind: Write, Paths: []string{"a.md"}}
	if got := p.Judge(e).Outcome; got != Ask {
		t.Fatalf("before: %v", got)
	}
	rule, err := ParseRule("write(a.md)")
	if err != nil {
		t.Fatal(err)
	}
	added.Add(rule)
	if got := p.Judge(e).Outcome; got != Allow {
		t.Errorf("after: %v", got)
	}
	p.Denied = []Rule{rule}
	if got := p.Judge(e).Outcome; got != Refuse {
		t.Errorf("denied: %v", got)
	}
	if p.Denied = nil; len(p.Allowed) > 0 {
		t.Error("the policy itself has changed")
	}
}
