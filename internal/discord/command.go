package discord

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/record"
)

// commands are the slash commands.
var commands = []client.Command{
	{Name: "stop", About: "Stops the answer that is being written here."},
	{Name: "status", About: "Shows what happens here."},
	{Name: "new", About: "Begins a new conversation here."},
	{Name: "persona", About: "Shows who can answer, or chooses who does.", Option: "name", OptionAbout: "The persona."},
	{Name: "link", About: "Connects this channel to belay.", Option: "code", OptionAbout: "The code that belay printed.", Required: true},
}

// slash carries out the commands of people.
type slash struct{ s *Surface }

// interact deals with a button, a form or a command in a goroutine of its own. The
// caller holds the lock.
func (s *Surface) interact(in client.Interaction) {
	if in.Parent != "" {
		s.parents[in.Channel] = in.Parent
	}
	select {
	case s.acting <- struct{}{}:
	default:
		return // nobody presses so many buttons
	}
	s.work.Go(func() {
		defer func() { <-s.acting }()
		if in.Command == "" {
			guarded(s.log, func() { questions{s}.pressed(s.life, in) })
			return
		}
		guarded(s.log, func() { slash{s}.command(s.life, in) })
	})
}

// command carries out a slash command.
func (k slash) command(ctx context.Context, in client.Interaction) {
	if in.Command == "link" {
		k.link(ctx, in)
		return
	}
	b, bound := k.s.binding(in.Channel, in.Parent)
	switch {
	case !bound:
		k.s.tell(ctx, in, "This channel is not connected. The operator gets a code from belay; use it here with /link.")
		return
	case !k.mayUse(in):
		k.s.tell(ctx, in, "You may not use belay here.")
		return
	}
	k.s.mu.Lock()
	c, err := k.s.channel(in.Channel)
	k.s.mu.Unlock()
	if err != nil {
		k.s.log.Error("Discord: open a channel", "channel", in.Channel, "error", err)
		k.s.tell(ctx, in, "belay cannot read its record of this channel.")
		return
	}
	if err := k.s.client.Defer(ctx, in, true); err != nil {
		k.s.unanswered(ctx, err)
		return
	}
	text, err := k.perform(ctx, c, b, in)
	if err != nil {
		text = failure(contract.FailureOf(err))
	}
	if err := k.s.client.Later(ctx, in, text); err != nil {
		k.s.unanswered(ctx, err)
	}
}

// mayUse applies the lists of the settings to a command.
func (k slash) mayUse(in client.Interaction) bool {
	return (len(k.s.o.Users) == 0 || slices.Contains(k.s.o.Users, in.Who.ID)) && k.s.serves(in.Guild)
}

// perform does what a command asks for, and says what it did.
func (k slash) perform(ctx context.Context, c *channel, b record.Binding, in client.Interaction) (string, error) {
	switch in.Command {
	case "new":
		return "The next message begins a new conversation. What runs goes on.", c.record.Forget()
	case "persona":
		return k.persona(ctx, c, b, in.Values["name"])
	}
	session := k.session(c, b)
	if session == "" {
		return "Nothing happens here: no conversation has begun.", nil
	}
	state, err := k.s.o.Bus.Status(ctx, session)
	switch {
	case err != nil:
		return "", err
	case in.Command != "stop":
		return statusText(state), nil
	case state.Running == nil:
		return "Nothing runs.", nil
	}
	// It names what it stops: delivered again after a crash, it must not end a later answer.
	return "Stopping.", k.s.o.Bus.Request(ctx, session, requestID(c.id, "slash:"+in.ID), &contract.RequestMessage{
		Queue: contract.QueueInterrupt, Target: state.Running.Request,
		Origin: &contract.Origin{Platform: platform, ChannelID: c.id, UserID: in.Who.ID},
	})
}

// session is the one whose answer is being written, also where /new or another project began
// a conversation meanwhile. Where none is, it is the channel's.
func (k slash) session(c *channel, b record.Binding) string {
	k.s.mu.Lock()
	defer k.s.mu.Unlock()
	if a := c.newest(""); a != nil {
		return a.request.Session
	}
	return c.present(b.Project)
}

// statusText is the answer to /status.
func statusText(st contract.SessionState) string {
	var b strings.Builder
	switch {
	case st.Running != nil:
		fmt.Fprintf(&b, "An answer is being written since <t:%d:R>.\n", st.Running.Since.Unix())
	default:
		b.WriteString("Nothing runs.\n")
	}
	if n := len(st.Queued); n > 0 {
		fmt.Fprintf(&b, "Waiting in line: %d.\n", n)
	}
	if n := len(st.Open); n > 0 {
		fmt.Fprintf(&b, "Open questions: %d.\n", n)
	}
	if st.Session.Model != "" {
		fmt.Fprintf(&b, "Model: %s.\n", plain(st.Session.Model))
	}
	fmt.Fprintf(&b, "Session: `%s`", strings.ReplaceAll(st.Session.SessionID, "`", ""))
	return b.String()
}

// persona lists the personas, or makes one the channel's.
func (k slash) persona(ctx context.Context, c *channel, b record.Binding, name string) (string, error) {
	all, err := k.s.o.Bus.Personas(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(p contract.Persona) bool { return strings.EqualFold(p.ID, name) })
	if i >= 0 {
		return "From the next message on " + plain(all[i].ID) + " answers.", c.record.SetPersona(all[i].ID)
	}
	var text strings.Builder
	now := cmp.Or(c.record.Persona(), b.Persona)
	if name != "" {
		fmt.Fprintf(&text, "There is no persona %s.\n", plain(cut(name, 60)))
	} else if now != "" {
		fmt.Fprintf(&text, "%s answers.\n", plain(now))
	}
	for _, p := range all {
		line := "- " + plain(p.ID) + ": " + cut(plain(p.Description), 80) + "\n"
		if text.Len()+len(line) > 1800 {
			break
		}
		text.WriteString(line)
	}
	return text.String(), nil
}
