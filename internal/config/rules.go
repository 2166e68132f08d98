package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/nearest"
)

// rule checks the shape of a rule; package permit reads it.
func rule(s string) (string, error) {
	if !ruleShape.MatchString(s) || len(s) > 1024 {
		return "", stepError{fmt.Sprintf("%.60q is not a rule", s), "write a tool, or a tool and what it is called with, as in bash(git status *)"}
	}
	// A denial of a tool that there is not would deny nothing, and nobody would notice.
	name, _, _ := strings.Cut(strings.ToLower(s), "(")
	if begin, all := strings.CutSuffix(name, "*"); !strings.HasPrefix(name, "agent.") && !strings.HasPrefix(name, mcpPrefix) && !slices.ContainsFunc(ToolNames, func(tool string) bool {
		return tool == name || all && strings.HasPrefix(tool, begin)
	}) {
		if meant := nearest.Of(name, ToolNames); meant != "" {
			return "", stepError{fmt.Sprintf("%.60q: there is no tool %s", s, name), "did you mean " + meant + "?"}
		}
		return "", stepError{fmt.Sprintf("%.60q: there is no tool %s", s, name), "there are " + strings.Join(ToolNames, ", ") + ", and agent.NAME"}
	}
	return s, nil
}

// ToolNames are the tools that rules may name, beside the agents and the tools of MCP
// servers, which [builder.mcpRules] checks. network and ports,
// what commands reach and which ports of theirs are opened, are no tools that a model
// calls.
var ToolNames = []string{
	"read", "write", "edit", "list", "glob", "grep", "attachment.add", "attachment.download", "fetch", "bash", "network", "ports",
	"project.list", "project.graph", "project.status", "project.propose", "project.scaffold", "project.snapshot", "skill",
}

// ModelTools are those of them that a model calls.
func ModelTools() []string {
	return slices.DeleteFunc(slices.Clone(ToolNames), func(name string) bool { return name == "network" || name == "ports" })
}

var ruleShape = lazyregexp.New(`^[A-Za-z*][A-Za-z0-9_.*-]*(\(.*\))?$`)

// denials are a list that grows stricter by what is added.
type denials struct{ list }

// tighten adds what the other list has.
func (v denials) tighten(o value) bool {
	other := *o.(denials).p
	all := append(slices.Clone(*v.p), other...)
	slices.Sort(all)
	all = slices.Compact(all)
	changed := len(all) > len(*v.p)
	*v.p = all
	return changed
}

// checkRules has further checks made of the rules of a permit setting.
func (k *key) checkRules(check func(setting, rule string) error) {
	if check == nil || !strings.HasPrefix(k.name, "permit.") {
		return
	}
	also := func(own list) list {
		return list{own.p, func(s string) (string, error) {
			s, err := own.check(s)
			if err == nil {
				err = check(k.name, s)
			}
			return s, err
		}}
	}
	switch v := k.value.(type) {
	case list:
		k.value = also(v)
	case denials:
		k.value = denials{also(v.list)}
	}
}

// hookRules has these checks made of the rules of hooks, too: one that matches nothing would
// never have its hook asked.
func (b *builder) hookRules(c *Config, check func(setting, rule string) error) {
	if check == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.Hooks)) {
		for _, rule := range c.Hooks[name].Calls {
			if err := check("hooks", rule); err != nil {
				message, hint := parts(err)
				b.problem(b.byName["hooks"].origin, "hooks."+name+".calls", message, hint)
			}
		}
	}
}
