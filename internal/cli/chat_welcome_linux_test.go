package cli

import "testing"

// The first screen says who answers, with which key and model, and in which folder. The
// key is that of the environment, and nobody is asked about it.
func TestTheFirstScreenOnATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		args []string
		want string
	}{
		{nil, nil, `(?s)provider.*scripted.*key.*none is needed.*model.*scripted.*folder.*/TestTheFirst.*show a file`},
		{[]string{"ANTHROPIC_API_KEY=sk-not-real"}, []string{"--provider", "anthropic", "--model", "claude-sonnet-5"}, `(?s)provider.*anthropic.*set in the environment; a warning follows.*claude-sonnet-5`},
		{[]string{"BELAY_OPENAI_BASE_URL=http://127.0.0.1:9/v1"}, []string{"--provider", "openai"}, `(?s)provider.*openai.*none, which openai at this address does not need`},
	} {
		x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", c.env, append([]string{"chat"}, c.args...)...)
		x.shows(c.want)
		x.types("\x04")
		x.ends(ExitDone)
	}
}
