package discord

import (
	"fmt"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/composition"
	"belay/internal/discord/split"
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
	return append(all,
		client.Button{ID: buttonID("deny", id), Label: words[2], Style: client.Danger},
		client.Button{ID: buttonID(verdictNote, id), Label: words[2] + ", with a note…", Style: client.Secondary})
}

// titles say what is asked.
var titles = map[contract.Asks]string{
	contract.AsksChanges: "Apply these changes?",
	contract.AsksRun:     "Run this?",
	contract.AsksHost:    "Allow the network?",
	contract.AsksPublish: "Send these files?",
}

// How much of a question stands in its message, in characters.
const (
	maxCommand   = 500
	maxOutput    = 300
	maxShownDiff = 700
	maxFiles     = 8
)

// questionText is the message of a question. A diff that is too long for it is
// returned for a file.
func questionText(d contract.Decision, where Questions, link string) (text, diff string) {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** %s\n", titles[d.Asks], cut(plain(d.Summary), 200))
	if d.Reason != "" {
		fmt.Fprintf(&b, "%s\n", cut(plain(d.Reason), 200))
	}
	if d.Outside {
		b.WriteString("⚠️ It runs **outside the sandbox**, as the operator.\n")
	}
	if !d.ExpiresAt.IsZero() {
		fmt.Fprintf(&b, "Open until <t:%d:T>.\n", d.ExpiresAt.Unix())
	}
	if where != ByLink {
		diff = details(&b, d)
	}
	if link != "" {
		fmt.Fprintf(&b, "<%s>\n", link)
	}
	text = b.String()
	if split.Length(text) > split.Limit-200 { // the end says later who answered
		text = split.Split(text, split.Limit-200)[0].String()
	}
	return strings.TrimSpace(text), diff
}

// details writes what only some may see, and returns a diff that is too long.
func details(b *strings.Builder, d contract.Decision) (diff string) {
	if d.Command != "" {
		b.WriteString(codeBlock("sh", cut(d.Command, maxCommand)))
	}
	if d.Why != "" {
		fmt.Fprintf(b, "The agent says: %s\n", cut(plain(d.Why), 200))
	}
	if d.Output != "" {
		b.WriteString(codeBlock("", tail(d.Output, maxOutput)))
	}
	if len(d.Hosts) > 0 {
		fmt.Fprintf(b, "Hosts: %s\n", cut(names(d.Hosts), 300))
	}
	if d.Destination != "" {
		fmt.Fprintf(b, "To: %s\n", cut(plain(d.Destination), 100))
	}
	for _, class := range []struct {
		is   contract.Class
		word string
	}{
		{contract.ClassRunsByItself, "⚠️ **Runs by itself**"}, {contract.ClassRunsOnRequest, "Runs when you ask for it"},
		{contract.ClassOrdinary, "Files"}, {contract.ClassDropped, "🚫 **Never applied**"},
	} {
		if list := ofClass(d.Files, class.is); len(list) > 0 {
			fmt.Fprintf(b, "%s: %s\n", class.word, cut(names(list), 300))
		}
	}
	if more := d.FileCount - len(d.Files); more > 0 {
		fmt.Fprintf(b, "and %d more files\n", more)
	}
	for _, n := range d.Notes[:min(len(d.Notes), maxNotes)] {
		fmt.Fprintf(b, "%s\n", cut(plain(n), 150))
	}
	switch {
	case d.Diff == "":
	case split.Length(d.Diff) <= maxShownDiff:
		b.WriteString(codeBlock("diff", d.Diff))
	default:
		diff = d.Diff
		if d.DiffTruncated {
			b.WriteString("The attached diff is not whole.\n")
		}
	}
	return diff
}

func ofClass(files []contract.ChangedFile, class contract.Class) []string {
	var list []string
	for _, f := range files {
		if f.Class == class {
			list = append(list, f.Path)
		}
	}
	if more := len(list) - maxFiles; more > 0 {
		list = append(list[:maxFiles], fmt.Sprintf("and %d more", more))
	}
	return list
}

// maxNotes is how many notes of a question are shown.
const maxNotes = 8

// names are shown as code, so that Discord does not look for anything in them.
func names(list []string) string {
	var all []string
	for _, n := range list {
		all = append(all, "`"+strings.ReplaceAll(composition.Name(n), "`", "'")+"`")
	}
	return strings.Join(all, ", ")
}

// closedText is the message of a question that was answered.
func closedText(text string, d *contract.DecisionClosed) string {
	word := map[contract.Verdict]string{
		contract.VerdictAllow: "✅ Allowed", contract.VerdictAllowSession: "✅ Allowed for this session", contract.VerdictDeny: "❌ Refused",
	}[d.Verdict]
	who := plain(d.By)
	if id, ok := strings.CutPrefix(d.By, platform+":"); ok {
		who = "<@" + id + ">"
	}
	switch d.By {
	case "timeout":
		word, who = "⌛ Nobody answered in time", ""
	case "interrupt":
		word, who = "⏹ The turn was stopped", ""
	}
	if who != "" {
		word += " by " + who
	}
	if d.Note != "" {
		word += ": " + cut(plain(d.Note), 100)
	}
	for _, p := range split.Split(text, split.Limit-200) {
		return p.String() + "\n**" + word + "**"
	}
	return "**" + word + "**"
}

// codeBlock is a code block. Three backticks in the text do not end it.
func codeBlock(lang, text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "```", "`\u200b``")
	return "```" + lang + "\n" + text + "\n```\n"
}

// plain is a text without markdown and mentions of Discord, on its lines.
func plain(text string) string { return markdown.Replace(strings.TrimSpace(text)) }

var markdown = strings.NewReplacer("*", "\\*", "_", "\\_", "`", "\\`", "~", "\\~", "|", "\\|", "<", "\\<", ">", "\\>", "#", "\\#", "[", "\\[", "@", "@\u200b")

// cut shortens a text to n characters from its beginning.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}

// tail shortens a text to n characters at its end.
func tail(text string, n int) string {
	if r := []rune(strings.TrimSpace(text)); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return strings.TrimSpace(text)
}
