package permit

import (
	"strings"
	"testing"
)

func TestHostsOfCommands(t *testing.T) {
	t.Parallel()
	rules := func(texts ...string) []Rule {
		all, err := ParseRules(texts)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for name, c := range map[string]struct {
		policy Policy
		host   string
		want   Outcome
	}{
		"no rule":                      {Policy{Mode: Direct}, "example.com", Ask},
		"acceptEdits is about files":   {Policy{Mode: AcceptEdits}, "example.com", Ask},
		"dontAsk":                      {Policy{Mode: DontAsk}, "example.com", Refuse},
		"plan":                         {Policy{Mode: Plan}, "example.com", Refuse},
		"plan with a rule":             {Policy{Mode: Plan, Allowed: rules("network(example.com)")}, "example.com", Allow},
		"dontAsk with a rule":          {Policy{Mode: DontAsk, Allowed: rules("network(example.com)")}, "example.com", Allow},
		"a pattern":                    {Policy{Allowed: rules("network(*.example.com)")}, "api.example.com", Allow},
		"a pattern and the name alone": {Policy{Allowed: rules("network(*.example.com)")}, "example.com", Ask},
		"another port":                 {Policy{Allowed: rules("network(example.com)")}, "example.com:22", Ask},
		"a rule with the port":         {Policy{Allowed: rules("network(example.com:22)")}, "example.com:22", Allow},
		"a rule for commands":          {Policy{Allowed: rules("bash", "bash(curl *)", "fetch(example.com)")}, "example.com", Ask},
		"every host":                   {Policy{Allowed: rules("network")}, "example.com", Allow},
		"the registries":               {Policy{Allowed: rules("network(registries)")}, "proxy.golang.org", Allow},
		"not a registry":               {Policy{Allowed: rules("network(registries)")}, "proxy.golang.org.example.com", Ask},
		"a denial wins":                {Policy{Allowed: rules("network"), Denied: rules("network(*.example.com)")}, "a.example.com", Refuse},
		"a denial in plan":             {Policy{Mode: Plan, Allowed: rules("network"), Denied: rules("network(registries)")}, "pypi.org", Refuse},
		"nobody to ask":                {Policy{NeverAsk: "it never blocks"}, "example.com", Refuse},
	} {
		if got := c.policy.Judge(HostEffect(c.host)); got.Outcome != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// One answer for the session covers the registries; of any other host it covers that one.
func TestWhatAnAnswerAboutAHostCovers(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"pypi.org": "the usual package registries", "crates.io": "the usual package registries",
		"example.com": "example.com", "pypi.org:8080": "pypi.org:8080",
	} {
		if got := HostEffect(host).KindOfCall(); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

// The end of a host says whose it is.
func TestHostIsShownWhole(t *testing.T) {
	t.Parallel()
	host := strings.Repeat(strings.Repeat("a", 59)+".", 4) + "evil.example:65535"
	if e := HostEffect(host); !strings.HasSuffix(e.Summary, host) {
		t.Errorf("the summary is %q", e.Summary)
	}
}
