package discord

import (
	"fmt"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/split"
	"belay/internal/render"
)

// unseen says that a question is not shown whole, and where it can be allowed.
func unseen(d contract.Decision) string {
	what := "question"
	switch {
	case d.CommandTruncated: // or a list is cut: the bus does not say which
	case d.DiffTruncated:
		what = "diff"
	case d.FileCount > len(d.Files):
		what = "list of files"
	}
	return "⚠️ The " + what + " cannot be shown whole here. Whoever wants to allow it looks at it " + elsewhere(d) + ".\n"
}

// elsewhere is where all of a question is shown.
func elsewhere(d contract.Decision) string {
	return "on belay's page, or with `belay decision show " + strings.ReplaceAll(d.DecisionID, "`", "") + "`"
}

// titles say what is asked.
var titles = map[contract.Asks]string{
	contract.AsksChanges: "Apply these changes?",
	contract.AsksRun:     "Run this?",
	contract.AsksHost:    "Allow the network?",
	contract.AsksPublish: "Send these files?",
}

// questionMessage is a question as it is sent.
type questionMessage struct {
	// text says what is asked, embed shows the details. Plain has both, for channels where
	// no embed is shown.
	text, plain string
	embed       *client.Embed
	// buttons allow nothing that is not shown whole; plainButtons are those of plain.
	buttons, plainButtons []client.Button
	// files are what is too long for the message.
	files []attachedText
}

// frame is what a question stands in: how much of it is shown there, the link to the page, and
// the texts around it.
type frame struct {
	where               Questions
	link, before, after string
}

// newQuestion writes a question. Attach says that files can go with it: without them what is
// too long is not shown whole.
func newQuestion(d contract.Decision, f frame, attach bool) questionMessage {
	var q questionMessage
	var about questionDetails
	if f.where != ByLink {
		about = detailsOf(d, attach)
		q.embed = about.embed()
	}
	if attach {
		q.files = about.attached
	}
	seen := whole(d) && (attach || len(about.attached) == 0)
	head, after := heading(d, f, seen), f.after
	if f.link != "" {
		after = "<" + f.link + ">\n" + after
	}
	q.text, q.buttons = strings.TrimSpace(head+after), buttons(d)
	if !seen {
		q.buttons = refusals(d)
	}
	q.plain, q.plainButtons = q.text, q.buttons
	if q.embed == nil {
		return q
	}
	var details strings.Builder
	about.write(&details)
	// Of what is too long the details are cut, not the link, nor the names of those who are asked.
	room := func() int { return split.Limit - roomForTheEnd - split.Length(head+after) }
	if split.Length(details.String()) > room() {
		head, q.plainButtons = heading(d, f, false), refusals(d)
	}
	q.plain = strings.TrimSpace(head + shortened(details.String(), room()) + after)
	return q
}

// heading is what is asked, and what people must know of it. By link it shows nothing of what
// the agent does.
func heading(d contract.Decision, f frame, seen bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s**%s**", f.before, titles[d.Asks])
	if f.where != ByLink {
		b.WriteString(" " + summaryOf(d))
	}
	b.WriteString("\n")
	if d.Outside {
		b.WriteString("⚠️ It runs **outside the sandbox**, as the operator.\n")
	}
	if !seen {
		b.WriteString(unseen(d))
	}
	if d.Reason != "" && f.where != ByLink {
		fmt.Fprintf(&b, "%s\n", cut(plain(d.Reason), 200))
	}
	if !d.ExpiresAt.IsZero() {
		fmt.Fprintf(&b, "Open until <t:%d:T>.\n", d.ExpiresAt.Unix())
	}
	return b.String()
}

// summaryOf is the line that says what is asked.
func summaryOf(d contract.Decision) string { return cut(plain(d.Summary), maxSummary) }

// roomForTheEnd is what the line that says who answered may take, in characters.
const roomForTheEnd = 200

// shortened is the beginning of a text, with its code blocks closed.
func shortened(text string, limit int) string {
	if split.Length(text) <= limit {
		return text
	}
	return split.Split(text, limit)[0].String() + "\n"
}

// closedText is the message of a question that was answered. Private says that it may show what
// the decider wrote.
func closedText(text string, d *contract.DecisionClosed, private bool) string {
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
	if d.Note != "" && private {
		word += ": " + cut(plain(d.Note), 100)
	}
	for _, p := range split.Split(text, split.Limit-roomForTheEnd) {
		return p.String() + "\n**" + word + "**"
	}
	return "**" + word + "**"
}

// codeBlock is a code block. Three backticks in the text do not end it.
func codeBlock(lang, text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "```", "`\u200b``")
	return "```" + lang + "\n" + text + "\n```\n"
}

// plain is a text without markdown and mentions of Discord, on its lines. What Discord would not
// show in it has a sign.
func plain(text string) string { return markdown.Replace(strings.TrimSpace(render.Visible(text))) }

var markdown = strings.NewReplacer("*", "\\*", "_", "\\_", "`", "\\`", "~", "\\~", "|", "\\|", "<", "\\<", ">", "\\>", "#", "\\#", "[", "\\[", "@", "@\u200b")

// cut shortens a text to n characters from its beginning, as Discord counts them.
func cut(text string, n int) string {
	if split.Length(text) <= n {
		return text
	}
	length := 0
	for i, r := range text {
		if length += split.Length(string(r)); length >= n { // a mark follows
			return text[:i] + "…"
		}
	}
	return text
}

// tail shortens a text to n characters at its end.
func tail(text string, n int) string {
	text = strings.TrimSpace(text)
	if split.Length(text) <= n {
		return text
	}
	all, length := []rune(text), 0
	for i := len(all) - 1; i >= 0; i-- {
		if length += split.Length(string(all[i])); length >= n {
			return "…" + string(all[i+1:])
		}
	}
	return text
}
