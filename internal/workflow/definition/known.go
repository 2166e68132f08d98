package definition

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn"
)

// Options are what a file is read with beside its own text.
type Options struct {
	// Open reads the files that the workflow uses; nil reads none.
	Open Opener
	// Tools are the tools that agents can be given, Providers those who can answer. Where
	// they are nil, what the file says of them is taken as it is.
	Tools, Providers []string
}

// permitted refuses tools that there are not, and rules of permission that cannot be read or
// are of no tool: a denial of such a tool would deny nothing, and nobody would notice.
func (d *decoder) permitted(o *authored.Object) {
	if d.known.Tools == nil {
		return
	}
	for i, n := range o.List("tools") {
		if n != nil && !slices.ContainsFunc(d.known.Tools, func(t string) bool { return tool.Names(n.Text, t) || tool.Names(t, n.Text) }) {
			d.report.Beyond(authored.RuleReference, n, authored.At(o.Path("tools"), i), d.toolMeant(n.Text), "there is no tool %q", n.Text)
		}
	}
	p := o.Object("permissions")
	if p == nil {
		return
	}
	for _, list := range []string{"allow", "deny"} {
		for i, n := range p.List(list) {
			if n == nil {
				continue
			}
			if problem, hint := d.rule(list, n.Text); problem != "" {
				d.report.Beyond(authored.RuleReference, n, authored.At(p.Path(list), i), hint, "%s", problem)
			}
		}
	}
}

// rule says what is wrong with a rule of permission.
func (d *decoder) rule(list, text string) (problem, hint string) {
	r, err := permit.ParseRule(text)
	if err == nil && !turn.NamesTool(r, d.known.Tools) {
		return fmt.Sprintf("rule %q: there is no tool %q", text, r.Tool()), d.toolMeant(r.Tool())
	}
	if err = permit.CheckRule("permit."+list, text); err != nil {
		return permit.RuleProblem(err)
	}
	return "", ""
}

// toolMeant is a hint to what may have been meant by the name of a tool: all of them, where
// none is like it.
func (d *decoder) toolMeant(name string) string {
	if meant := nearest.Of(name, d.known.Tools); meant != "" {
		return "did you mean " + meant + "?"
	}
	return "there are " + strings.Join(d.known.Tools, ", ")
}

// provider refuses a provider that there is not.
func (d *decoder) provider(m *authored.Object) string {
	name := m.Text("provider")
	if name != "" && d.known.Providers != nil && !slices.Contains(d.known.Providers, name) {
		m.Beyond(authored.RuleReference, "provider", oneOf(name, d.known.Providers), "there is no provider %q", name)
	}
	return name
}
