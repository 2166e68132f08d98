package agent

import (
	"fmt"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
)

// Equip gives the turn's own agent its tools, with those that delegate to others, and
// says what it may do with them.
func (a *Run) Equip(delegates []tool.Tool, allow, deny []string) (err error) {
	if a.Tools, err = a.Settings.Tools.With(delegates...); err != nil {
		return err
	}
	var bad []string
	if a.policy, bad = a.policyOf(allow, deny); len(bad) > 0 {
		a.Settings.Warn("BAD_RULES", "these rules cannot be read and do not count: "+fault.List(bad))
	}
	return nil
}

// policyOf is what the turn's persona may do in its mode.
func (a *Run) policyOf(allow, deny []string) (permit.Policy, []string) {
	s := &a.Settings
	p := permit.Policy{Mode: permit.ModeOf(s.Mode), Allowed: s.Allowed, Denied: s.Denied, AskBefore: s.AskBefore, Outside: s.Outside, Added: a.Services.AddedRules}
	if a.Destination != nil && a.Services.Publish != nil {
		p.Publish = a.Services.Publish(*a.Destination)
	}
	if s.Persona.NeverBlocks() {
		p.NeverAsk = fmt.Sprintf("persona %s works without asking (BLOCKING never)", s.Persona.ID)
	}
	var bad []string
	add := func(to []permit.Rule, where string, texts []string) []permit.Rule {
		to = to[:len(to):len(to)] // the rules before are other turns', too
		for _, text := range texts {
			rule, err := permit.ParseRule(text)
			if err != nil {
				bad = append(bad, fmt.Sprintf("%s: %v", where, err))
				continue
			}
			to = append(to, rule)
		}
		return to
	}
	p.Allowed = add(p.Allowed, "auto_approve_tools", s.Persona.AutoApproveTools)
	p.Allowed = add(p.Allowed, "--allow", allow)
	p.Denied = add(p.Denied, "disallowed_tools", s.Persona.DisallowedTools)
	p.Denied = add(p.Denied, "permissions.deny", deny)
	return p, bad
}
