package agent

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// questionID is the id of the question about a call or, once it has run, about its
// changes.
func (c *toolCall) questionID() string {
	switch {
	case c.changes != nil && c.changes.Second():
		return AutomaticQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth)
	case c.changes != nil:
		return ChangesQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth)
	}
	return DecisionID(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth)
}

// ChangesQuestion is the id of the question about what a call changed.
func ChangesQuestion(session, turn, agent, call string, nth int) string {
	return DecisionID(session, turn, agent+" changes", call, nth)
}

// AutomaticQuestion is the id of the question about what a call changed and other programs run
// by themselves, where it changed other files as well.
func AutomaticQuestion(session, turn, agent, call string, nth int) string {
	return DecisionID(session, turn, agent+" automatic changes", call, nth)
}

// changeID names the changes of a call while they are not real.
func (c *toolCall) changeID() string {
	return ChangeID(ChangesQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth))
}

// ChangeID names the changes that a [ChangesQuestion] is about.
func ChangeID(question string) string { return "chg_" + strings.TrimPrefix(question, "dec_") }

// DecisionID is the id of the question about the nth call of that id of one agent
// in a turn: the same after a restart.
func DecisionID(session, turn, agent, call string, nth int) string {
	sum := fingerprint(session, turn, agent, call, strconv.Itoa(nth))
	return "dec_" + hex.EncodeToString(sum[:12])
}
