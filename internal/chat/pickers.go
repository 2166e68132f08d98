package chat

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// ModelChoice is a model that turns can be asked for.
type ModelChoice struct {
	ID string
	// About says in a line what is known of it.
	About string
	// Context is how many tokens it takes, input and output together; 0 where that is
	// not known.
	Context int64
	// Usual is set for the one that answers where none is named.
	Usual bool
}

// pickMode lets the person pick a permission mode.
func pickMode(m *Model) {
	c := choices{title: "How much may the agent do without asking?"}
	for _, one := range allModes() {
		c.rows = append(c.rows, &choice{
			row:  row{head: one.name, detail: one.means, mark: one.name == m.info.mode},
			pick: func() tea.Cmd { m.chooseMode(one.name); return nil },
		})
	}
	m.picked(c)
}

// chooseMode sets the permission mode of the next turns, and says what it means.
func (m *Model) chooseMode(name string) {
	m.o.Opts.Mode, m.info.mode = name, name
	m.conversation.notifyInstead("mode", "the next turns run in mode "+name+": "+modeMeaning(name))
}

// pickPersona lets the person pick whom the next turns go to.
func pickPersona(m *Model) tea.Cmd {
	own := m.info.persona
	return m.calls.call(func(ctx context.Context) tea.Msg {
		all, err := m.o.Engine.Personas(ctx)
		if err != nil {
			return choices{err: err}
		}
		c := choices{title: "Whom do the next turns go to?", none: "there are no personas"}
		for _, p := range all {
			c.rows = append(c.rows, &choice{
				row:  row{head: p.ID, detail: render.Glance(p.Description, titleColumns), mark: p.ID == own},
				pick: func() tea.Cmd { return func() tea.Msg { return personaChosen{p.ID} } },
			})
		}
		return c
	})
}

// pickModel lets the person pick the model of the next turns, where it is known which
// there are.
func pickModel(m *Model) tea.Cmd {
	own := m.info.model
	said := notice{kind: noticeInfo, text: "the model is " + cmp.Or(own, "the configured one") + "; /model NAME changes it"}
	if m.o.Models == nil {
		m.conversation.add(&said)
		return nil
	}
	return m.calls.call(func(ctx context.Context) tea.Msg {
		all, err := m.o.Models(ctx)
		if err != nil {
			return choices{err: err}
		}
		c := choices{title: "Which model do the next turns ask?", none: said.text}
		for _, one := range all {
			about := one.About
			if one.Usual {
				about = strings.TrimSuffix("the usual one; "+about, "; ")
			}
			c.rows = append(c.rows, &choice{
				row:  row{head: one.ID, detail: about, mark: one.ID == own},
				pick: func() tea.Cmd { return setModel(m, one.ID) },
			})
		}
		return c
	})
}

// Tokens says how much a model takes and what it costs, for a [ModelChoice]. Prices are
// in US dollars per million tokens, 0 where there are none.
func Tokens(context int64, input, output float64) string {
	var parts []string
	if context > 0 {
		parts = append(parts, count(context)+" tokens of context")
	}
	if input > 0 || output > 0 {
		parts = append(parts, fmt.Sprintf("$%g in, $%g out per million tokens", input, output))
	}
	return strings.Join(parts, ", ")
}
