package routing

import (
	"testing"

	"belay/internal/discord/message"
)

func TestRoute(t *testing.T) {
	t.Parallel()
	settings := Settings{
		Bot: "1", Guilds: []string{"10"}, Users: []string{"2", "3", "4"},
		Channels: map[string]Channel{
			"100": {Mode: Mention}, "101": {Mode: Active}, "102": {Mode: Active, Users: []string{"3"}}, "900": {Mode: Mention},
		},
	}
	bot := []message.Author{{ID: "1", Name: "belay", Bot: true}}
	running := State{Running: true, Asker: "2", Answer: []string{"555"}}
	for name, c := range map[string]struct {
		m     message.Message
		state State
		want  Decision
	}{
		"a mention": {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "<@1> hi", Mentions: bot}, State{},
			Decision{true, Mentioned, Prompt}},
		"an old mention": {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "<@!1> hi", Mentions: bot}, State{},
			Decision{true, Mentioned, Prompt}},
		"a mention in a code block that Discord did not take as one": {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "`<@1>`"}, State{},
			Decision{Reason: NotMeant}},
		"a ping by reply to another person, forged in the text": {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "hi", Mentions: bot}, State{},
			Decision{Reason: NotMeant}},
		"no mention": {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "hi"}, State{},
			Decision{Reason: NotMeant}},
		"a reply": {message.Message{Channel: "100", Guild: "10", Kind: message.Reply, Author: message.Author{ID: "2"}, Text: "hi", ReplyTo: "7", ReplyAuthor: "1"}, State{},
			Decision{true, Replied, Prompt}},
		"a reply to a person": {message.Message{Channel: "100", Guild: "10", Kind: message.Reply, Author: message.Author{ID: "2"}, Text: "hi", ReplyTo: "7", ReplyAuthor: "3"}, State{},
			Decision{Reason: NotMeant}},
		"an active channel": {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "2"}, Text: "hi"}, State{},
			Decision{true, InActive, Prompt}},
		"a thread of an active channel": {message.Message{Channel: "777", Parent: "101", Guild: "10", Author: message.Author{ID: "2"}, Text: "hi"}, State{},
			Decision{true, InActive, Prompt}},
		"a file alone": {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "2"}, Attachments: []message.Attachment{{ID: "1"}}}, State{},
			Decision{true, InActive, Prompt}},
		"a direct message": {message.Message{Channel: "900", Author: message.Author{ID: "2"}, Text: "hi"}, State{},
			Decision{true, Direct, Prompt}},
		"a direct message that nobody set up": {message.Message{Channel: "901", Author: message.Author{ID: "2"}, Text: "hi"}, State{},
			Decision{Reason: UnknownChannel}},
		"a direct message by a stranger": {message.Message{Channel: "900", Author: message.Author{ID: "9"}, Text: "hi"}, State{},
			Decision{Reason: UnknownUser}},
		"a stranger":               {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "9"}, Text: "hi"}, State{}, Decision{Reason: UnknownUser}},
		"not in this channel":      {message.Message{Channel: "102", Guild: "10", Author: message.Author{ID: "2"}, Text: "hi"}, State{}, Decision{Reason: UnknownUser}},
		"in this channel":          {message.Message{Channel: "102", Guild: "10", Author: message.Author{ID: "3"}, Text: "hi"}, State{}, Decision{true, InActive, Prompt}},
		"another server":           {message.Message{Channel: "101", Guild: "11", Author: message.Author{ID: "2"}, Text: "hi"}, State{}, Decision{Reason: UnknownGuild}},
		"a channel without parent": {message.Message{Channel: "778", Guild: "10", Author: message.Author{ID: "2"}, Text: "hi"}, State{}, Decision{Reason: UnknownChannel}},
		"the bot itself":           {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "1"}, Text: "hi"}, State{}, Decision{Reason: FromBot}},
		"another bot":              {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "2", Bot: true}, Text: "hi"}, State{}, Decision{Reason: FromBot}},
		"a pin":                    {message.Message{Channel: "101", Guild: "10", Kind: message.System, Author: message.Author{ID: "2"}, Text: "hi"}, State{}, Decision{Reason: FromSystem}},
		"a sticker":                {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "2"}, Text: " \n"}, State{}, Decision{Reason: Empty}},
		"the asker mentions":       {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "<@1> stop that", Mentions: bot}, running, Decision{true, Mentioned, Steer}},
		"the asker goes on":        {message.Message{Channel: "101", Guild: "10", Author: message.Author{ID: "2"}, Text: "and"}, running, Decision{true, InActive, FollowUp}},
		"another person asks":      {message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "3"}, Text: "<@1> me too", Mentions: bot}, running, Decision{true, Mentioned, FollowUp}},
		"another person steers":    {message.Message{Channel: "100", Guild: "10", Kind: message.Reply, Author: message.Author{ID: "3"}, Text: "no", ReplyTo: "555", ReplyAuthor: "1"}, running, Decision{true, Replied, Steer}},
		"a reply to an old answer": {message.Message{Channel: "100", Guild: "10", Kind: message.Reply, Author: message.Author{ID: "3"}, Text: "no", ReplyTo: "444", ReplyAuthor: "1"}, running, Decision{true, Replied, FollowUp}},
	} {
		if got := settings.Route(c.m, c.state); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// Without settings nobody is answered.
func TestRouteNobody(t *testing.T) {
	t.Parallel()
	m := message.Message{Channel: "100", Guild: "10", Author: message.Author{ID: "2"}, Text: "<@1> hi", Mentions: []message.Author{{ID: "1"}}}
	if got := (Settings{Bot: "1"}).Route(m, State{}); got.Answer {
		t.Errorf("got %+v", got)
	}
	m.Guild = ""
	if got := (Settings{Bot: "1"}).Route(m, State{}); got.Answer {
		t.Errorf("got %+v", got)
	}
}
