package discord

import (
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
)

// verdictNote is a refusal for which a form asks for a note first.
const verdictNote = "note"

// verdicts are the answers by the names that custom ids have.
var verdicts = map[string]contract.Verdict{
	"allow": contract.VerdictAllow, "session": contract.VerdictAllowSession, "deny": contract.VerdictDeny, verdictNote: contract.VerdictDeny,
}

// buttonPrefix begins the custom ids of questions.
const buttonPrefix = "belay:"

// maxButtonID leaves room for the prefix and a verdict in a custom id of 100
// characters.
const maxButtonID = 84

// buttonID is a button's custom id, which has the question's id in it.
func buttonID(verdict, decision string) string { return buttonPrefix + verdict + ":" + decision }

// parseButton takes a custom id apart.
func parseButton(id string) (verdict, decision string, ok bool) {
	rest, ok := strings.CutPrefix(id, buttonPrefix)
	if !ok {
		return "", "", false
	}
	verdict, decision, ok = strings.Cut(rest, ":")
	_, known := verdicts[verdict]
	return verdict, decision, ok && known && decision != ""
}

// labels are the words of the buttons: allow, allow for the session, refuse.
var labels = map[contract.Asks][3]string{
	contract.AsksChanges: {"Apply changes", "Apply for this session", "Discard"},
	contract.AsksRun:     {"Run", "Run such for this session", "Refuse"},
	contract.AsksHost:    {"Allow host", "Allow for this session", "Refuse"},
	contract.AsksPublish: {"Send", "Send for this session", "Refuse"},
}

// buttons are those of a question.
func buttons(d contract.Decision) []client.Button {
	id := d.DecisionID
	if len(id) > maxButtonID {
		return nil // no such ids are made; the link to the page remains
	}
	words := labels[d.Asks]
	all := []client.Button{{ID: buttonID("allow", id), Label: words[0], Style: client.Primary}}
	if d.Session {
		all = append(all, client.Button{ID: buttonID("session", id), Label: words[1], Style: client.Secondary})
	}
	return append(all, refusals(d)...)
}

// whole reports whether the bus has all that a question is about. Nobody allows here what
// nobody can see here.
func whole(d contract.Decision) bool {
	return !d.CommandTruncated && !d.DiffTruncated && d.FileCount <= len(d.Files)
}

// refusals are the buttons of a question that refuse.
func refusals(d contract.Decision) []client.Button {
	id, word := d.DecisionID, labels[d.Asks][2]
	if len(id) > maxButtonID {
		return nil
	}
	return []client.Button{
		{ID: buttonID("deny", id), Label: word, Style: client.Danger},
		{ID: buttonID(verdictNote, id), Label: word + ", with a note…", Style: client.Secondary},
	}
}
