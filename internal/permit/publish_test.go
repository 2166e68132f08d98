package permit

import "testing"

// Files that leave the machine are asked about in every mode that asks. Only the list of their
// destination makes a question needless: no rule, no mode and no answer for the session does.
func TestPublish(t *testing.T) {
	t.Parallel()
	effect := func(paths ...string) Effect {
		e := Effect{Tool: "attachment.add", Kind: Publish, Paths: paths, Publication: &Publication{Destination: "Discord, #general"}}
		for _, p := range paths {
			e.Publication.Files = append(e.Publication.Files, Published{Path: p})
		}
		return e
	}
	listed, other := effect("out/a.png", "out/deep/b.csv"), effect("out/a.png", "notes.md")
	list := []string{"out/**", "*.pdf"}
	for name, tt := range map[string]struct {
		p    Policy
		e    Effect
		want Outcome
	}{
		"direct":                     {Policy{}, listed, Ask},
		"direct, listed":             {Policy{Publish: list}, listed, Allow},
		"direct, one is not listed":  {Policy{Publish: list}, other, Ask},
		"direct, no file":            {Policy{Publish: list}, effect(), Ask},
		"direct, out of the list":    {Policy{Publish: list}, effect("out/../notes.md"), Ask},
		"acceptEdits":                {Policy{Mode: AcceptEdits}, listed, Ask},
		"acceptEdits, listed":        {Policy{Mode: AcceptEdits, Publish: list}, listed, Allow},
		"dontAsk":                    {Policy{Mode: DontAsk}, listed, Refuse},
		"dontAsk, listed":            {Policy{Mode: DontAsk, Publish: list}, listed, Allow},
		"dontAsk, one is not listed": {Policy{Mode: DontAsk, Publish: list}, other, Refuse},
		"plan, listed":               {Policy{Mode: Plan, Publish: list}, listed, Refuse},
		"a rule of the tool":         {Policy{Allowed: rules(t, "attachment.add")}, listed, Ask},
		"a denial of a file":         {Policy{Denied: rules(t, "attachment.add(out/**)"), Publish: list}, listed, Refuse},
		"nobody can be asked":        {Policy{NeverAsk: "the persona never blocks"}, listed, Refuse},
	} {
		if got := tt.p.Judge(tt.e); got.Outcome != tt.want || got.Reason == "" {
			t.Errorf("%s: %+v, want %s", name, got, tt.want)
		}
	}
	if c := listed.Classes(); len(c) > 0 {
		t.Errorf("an answer could cover %q", c)
	}
}
