package permit

import (
	"slices"
	"testing"
)

// Ports are a permission of their own.
func TestPortsOfJobs(t *testing.T) {
	t.Parallel()
	rules := func(texts ...string) []Rule {
		all, err := ParseRules(texts)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	job := func(command string, ports ...uint16) Effect {
		cmds, opaque, err := ParseCommand(command)
		if err != nil {
			t.Fatal(err)
		}
		return Effect{Tool: "bash", Kind: Execute, Command: command, Commands: cmds, Opaque: opaque, Deferred: true, Background: true, Ports: ports}
	}
	for name, c := range map[string]struct {
		policy Policy
		effect Effect
		want   Outcome
	}{
		"no ports":                    {Policy{Mode: Direct}, job("npm run dev"), Allow},
		"no ports in plan":            {Policy{Mode: Plan}, job("npm run dev"), Allow},
		"ports":                       {Policy{Mode: Direct}, job("npm run dev", 3000), Ask},
		"acceptEdits is about files":  {Policy{Mode: AcceptEdits}, job("npm run dev", 3000), Ask},
		"dontAsk":                     {Policy{Mode: DontAsk}, job("npm run dev", 3000), Refuse},
		"plan":                        {Policy{Mode: Plan}, job("npm run dev", 3000), Refuse},
		"a command that looks":        {Policy{Mode: Plan}, job("cat x", 3000), Refuse},
		"a rule":                      {Policy{Mode: Plan, Allowed: rules("ports(3000)")}, job("npm run dev", 3000), Allow},
		"a rule for another port":     {Policy{Allowed: rules("ports(3000)")}, job("npm run dev", 3000, 3001), Ask},
		"rules for each":              {Policy{Allowed: rules("ports(3000)", "ports(30?1)")}, job("npm run dev", 3000, 3001), Allow},
		"every port":                  {Policy{Mode: DontAsk, Allowed: rules("ports")}, job("npm run dev", 3000), Allow},
		"a rule for the command":      {Policy{Allowed: rules("bash", "bash(npm *)", "network")}, job("npm run dev", 3000), Ask},
		"a denial of a port wins":     {Policy{Allowed: rules("ports"), Denied: rules("ports(3001)")}, job("npm run dev", 3000, 3001), Refuse},
		"a denial of ports, no ports": {Policy{Denied: rules("ports")}, job("npm run dev"), Allow},
		"a denied command":            {Policy{Allowed: rules("ports"), Denied: rules("bash(npm *)")}, job("npm run dev", 3000), Refuse},
		"asked before it runs":        {Policy{Allowed: rules("ports"), AskBefore: rules("bash(npm *)")}, job("npm run dev", 3000), Ask},
		"nobody to ask":               {Policy{NeverAsk: "it never blocks"}, job("npm run dev", 3000), Refuse},
	} {
		if got := c.policy.Judge(c.effect); got.Outcome != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
	if r := (Policy{}).JudgeWith(job("npm run dev", 3000), HookAnswer{Verdict: HookAllow}); r.Outcome != Allow {
		t.Errorf("a hook: %+v", r)
	}
}

// Reading a job and stopping it is what the command was that it runs: no rule about
// commands makes a question of it, and a denial of all commands denies it.
func TestCallsAboutJobs(t *testing.T) {
	t.Parallel()
	e := Effect{Tool: "bash", Kind: Execute, Job: "job_1", Deferred: true}
	some, err := ParseRules([]string{"bash(npm *)"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := ParseRules([]string{"bash"})
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{Direct, AcceptEdits, DontAsk, Plan} {
		if r := (Policy{Mode: mode, Denied: some, AskBefore: some}).Judge(e); r.Outcome != Allow {
			t.Errorf("%s: %+v", mode, r)
		}
		if r := (Policy{Mode: mode, Denied: all}).Judge(e); r.Outcome != Refuse {
			t.Errorf("%s: %+v", mode, r)
		}
	}
}

// An answer for the session about ports covers these ports of that command, and says
// nothing about what the command changes.
func TestWhatAnAnswerAboutPortsCovers(t *testing.T) {
	t.Parallel()
	cmds, _, err := ParseCommand("npm run dev")
	if err != nil {
		t.Fatal(err)
	}
	e := Effect{Tool: "bash", Kind: Execute, Command: "npm run dev", Commands: cmds, Ports: []uint16{3000, 3001}}
	if got, want := e.Classes(), []string{"ports 3000 for npm run dev", "ports 3001 for npm run dev"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := e.KindOfCall(), "port 3000 for npm run dev, port 3001 for npm run dev"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Opaque = true
	if got := e.Classes(); got != nil {
		t.Errorf("of a command that nobody knows: %q", got)
	}
}
