// Package composition makes one request to an agent of messages from Discord.
//
// [Burst] gathers what a person writes within a short time, [Chain] finds the
// messages that a reply is about, and [Compose] writes all of them as one text.
// Each message stands under a line that names its author. Nothing that a person
// writes, nor a person's name, can look like such a line.
//
// The files of all messages are in the one block at the end of the text; see
// package block. The package is pure.
// Specification: the bus and Discord, B1 to B3.
package composition

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"belay/internal/attachment/block"
	"belay/internal/discord/message"
)

// The caps of one request.
const (
	// MaxChain is the number of messages that a chain of replies goes back.
	MaxChain = 20
	// maxQuote is how much of an earlier message is repeated, in bytes, and maxQuotes of all
	// of them.
	maxQuote, maxQuotes = 2000, 40 << 10
	// maxName is how much of a person's name is shown, in characters.
	maxName = 64
)

// Request is what an agent gets.
type Request struct {
	// Text ends with the block of files where there are any.
	Text string
	// Dropped are files that are not in the block: too many, or not valid.
	Dropped []string
}

// Chain returns the messages that m is about, the oldest first and without m. It
// follows replies through lookup, at most [MaxChain] of them, and stops at a message
// that is not found, was deleted, or is in another channel.
func Chain(m message.Message, lookup func(id string) (message.Message, bool)) []message.Message {
	var chain []message.Message
	seen := map[string]bool{m.ID: true}
	for at := m; len(chain) < MaxChain && at.ReplyTo != "" && !seen[at.ReplyTo]; {
		if at.ReplyChannel != "" && at.ReplyChannel != m.Channel {
			break
		}
		next, ok := lookup(at.ReplyTo)
		if !ok || next.Deleted || next.Channel != m.Channel {
			break
		}
		seen[next.ID] = true
		chain = append(chain, next)
		at = next
	}
	slices.Reverse(chain)
	return chain
}

// Compose writes the request of messages, the oldest first. Before them stand the
// messages of chain, which the agent may not have seen; those that are among
// messages are left out, and long ones are shortened. Of many the last ones stay. Where one of them has files, merge
// says what becomes of the others. Bot is the bot's user id: its name is taken off the
// beginning of a text.
func Compose(merge block.Policy, bot string, chain, messages []message.Message) Request {
	var (
		r   Request
		all []string
	)
	add := func(text string, m message.Message) {
		whole, dropped := block.Compose(text, files(m))
		all = append(all, whole)
		r.drop(dropped)
	}
	var quotes []message.Message
	room := maxQuotes
	for _, m := range slices.Backward(chain) {
		if slices.ContainsFunc(messages, func(other message.Message) bool { return other.ID == m.ID }) {
			continue
		}
		if room -= len(quote(bot, m)); room < 0 {
			break // the older ones are left out
		}
		quotes = append(quotes, m)
	}
	for _, m := range slices.Backward(quotes) {
		add(quote(bot, m), m)
	}
	for _, m := range messages {
		add(header("message", bot, m)+body(bot, m), m)
	}
	text, dropped := merge.Merge(all)
	r.Text = text
	r.drop(dropped)
	return r
}

// quote is an earlier message as it is repeated.
func quote(bot string, m message.Message) string {
	return header("earlier message", bot, m) + shorten(body(bot, m))
}

// drop notes files that do not reach the agent.
func (r *Request) drop(items []block.Item) {
	for _, it := range items {
		r.Dropped = append(r.Dropped, it.Filename)
	}
}

// header is the line above a message.
func header(what, bot string, m message.Message) string {
	who := fmt.Sprintf("%q (user %s)", Name(m.Author.Name), m.Author.ID)
	if m.Author.ID == bot {
		who = "you"
	}
	return fmt.Sprintf("[%s from %s]\n", what, who)
}

// Name is a person's name as it is safe to show: without control characters, on one
// line, and not long.
func Name(name string) string {
	name = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, name)), " ")
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName]) + "…"
	}
	if name == "" {
		return "somebody"
	}
	return name
}

// body is what a person wrote, with names in place of ids.
func body(bot string, m message.Message) string {
	text := strings.TrimSpace(m.Text)
	for _, own := range []string{"<@" + bot + ">", "<@!" + bot + ">"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, own))
	}
	var pairs []string
	for _, who := range m.Mentions {
		name := "@" + Name(who.Name)
		pairs = append(pairs, "<@"+who.ID+">", name, "<@!"+who.ID+">", name)
	}
	return escape(breaks.Replace(strings.NewReplacer(pairs...).Replace(text)))
}

// breaks makes one kind of all ends of lines, so that none hides a header.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// escape puts a backslash before lines that look like a header.
func escape(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		trimmed := strings.TrimLeftFunc(line, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
		if lower := strings.ToLower(trimmed); strings.HasPrefix(lower, "[message from") || strings.HasPrefix(lower, "[earlier message from") {
			lines[i] = `\` + trimmed
		}
	}
	return strings.Join(lines, "\n")
}

// shorten cuts an earlier message at the end of a line or word.
func shorten(text string) string {
	if len(text) <= maxQuote {
		return text
	}
	text = strings.ToValidUTF8(text[:maxQuote], "")
	if i := strings.LastIndexFunc(text, unicode.IsSpace); i > maxQuote/2 {
		text = text[:i]
	}
	return text + " […]"
}

// files are the items of a message's attachments.
func files(m message.Message) []block.Item {
	var items []block.Item
	for _, a := range m.Attachments {
		items = append(items, block.Item{
			ID:  "discord:" + m.Channel + ":" + m.ID + ":" + a.ID,
			URL: a.URL, Filename: a.Filename, MIMEType: a.MimeType, Size: a.Size,
		})
	}
	return items
}
