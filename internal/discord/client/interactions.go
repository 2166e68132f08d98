package client

import (
	"context"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"belay/internal/discord/message"
)

// Interaction is a button that somebody pressed, a form that somebody sent, or a
// command. It must be answered within 3 seconds: with [Client.Tell], [Client.Defer]
// or [Client.Ask].
type Interaction struct {
	ID, Token      string
	Channel, Guild string
	// Parent is the channel of a thread.
	Parent string
	Who    message.Author
	// Message is the one with the button, "" for a command, and Text its text.
	Message, Text string
	// Button or Form is the custom id, or Command the name.
	Button, Form, Command string
	// Values are the options of a command and the fields of a form.
	Values map[string]string
}

// interactionOf converts an interaction, and reports false for other kinds.
func interactionOf(in discord.Interaction) (Interaction, bool) {
	out := Interaction{ID: in.ID().String(), Token: in.Token(), Who: author(in.User()), Values: map[string]string{}}
	if m := in.Member(); m != nil && m.Nick != nil && *m.Nick != "" {
		out.Who.Name = *m.Nick
	}
	if ch := in.Channel(); ch.MessageChannel != nil {
		out.Channel = ch.ID().String()
		if thread, ok := ch.MessageChannel.(discord.GuildThread); ok {
			out.Parent = thread.ParentID().String()
		}
	}
	if g := in.GuildID(); g != nil {
		out.Guild = g.String()
	}
	switch in := in.(type) {
	case discord.ComponentInteraction:
		out.Button, out.Message, out.Text = in.Data.CustomID(), in.Message.ID.String(), in.Message.Content
	case discord.ModalSubmitInteraction:
		out.Form = in.Data.CustomID
		for c := range in.Data.AllComponents() {
			if t, ok := c.(discord.TextInputComponent); ok {
				out.Values[t.CustomID] = t.Value
			}
		}
		if in.Message != nil {
			out.Message, out.Text = in.Message.ID.String(), in.Message.Content
		}
	case discord.ApplicationCommandInteraction:
		data, ok := in.Data.(discord.SlashCommandInteractionData)
		if !ok {
			return out, false
		}
		out.Command = data.CommandName()
		for name := range data.Options {
			out.Values[name] = data.String(name)
		}
	default:
		return out, false
	}
	return out, out.Channel != ""
}

const ephemeral = discord.MessageFlagEphemeral

// Tell answers an interaction with a text that only the person sees.
func (c *Client) Tell(ctx context.Context, in Interaction, text string) error {
	return c.respond(ctx, in, discord.InteractionResponseTypeCreateMessage,
		map[string]any{"content": text, "flags": int(ephemeral), "allowed_mentions": only(nil)})
}

// Defer answers an interaction so that [Client.Later] can say more. With private the
// person sees that something happens; without, the message of the button stays as
// it is.
func (c *Client) Defer(ctx context.Context, in Interaction, private bool) error {
	if private {
		return c.respond(ctx, in, discord.InteractionResponseTypeDeferredCreateMessage, map[string]any{"flags": int(ephemeral)})
	}
	return c.respond(ctx, in, discord.InteractionResponseTypeDeferredUpdateMessage, nil)
}

// Ask answers the press of a button with a form of one text field.
func (c *Client) Ask(ctx context.Context, in Interaction, form, title, label, field string) error {
	input := discord.NewParagraphTextInput(field)
	input.Required, input.MaxLength = false, 1000
	return c.respond(ctx, in, discord.InteractionResponseTypeModal,
		discord.NewModalCreate(form, title, discord.NewLabel(label, input)))
}

func (c *Client) respond(ctx context.Context, in Interaction, kind discord.InteractionResponseType, data any) error {
	id, err := snow(in.ID)
	if err != nil {
		return err
	}
	body := struct {
		Type discord.InteractionResponseType `json:"type"`
		Data any                             `json:"data,omitempty"`
	}{kind, data}
	return c.do(ctx, callTimeout, rest.CreateInteractionResponse.Compile(nil, id, in.Token), body, nil)
}

// Later replaces the text of an answer to an interaction within 15 minutes.
func (c *Client) Later(ctx context.Context, in Interaction, text string) error {
	return c.do(ctx, callTimeout, rest.UpdateInteractionResponse.Compile(nil, c.app, in.Token), Change{Text: &text}.body(), nil)
}

// Whisper sends another text for an answered interaction that only the person sees.
func (c *Client) Whisper(ctx context.Context, in Interaction, text string) error {
	body := struct {
		createBody
		Flags int `json:"flags"`
	}{createBody{Content: text, AllowedMentions: only(nil)}, int(ephemeral)}
	return c.do(ctx, callTimeout, rest.CreateFollowupMessage.Compile(nil, c.app, in.Token), body, nil)
}

// Command is a slash command. Option, where it has one, is a text.
type Command struct {
	Name, About         string
	Option, OptionAbout string
	Required            bool
}

// SetCommands makes these the bot's slash commands, in all servers and direct
// messages.
func (c *Client) SetCommands(ctx context.Context, commands []Command) error {
	var all []discord.ApplicationCommandCreate
	for _, cmd := range commands {
		create := discord.SlashCommandCreate{Name: cmd.Name, Description: cmd.About,
			Contexts: []discord.InteractionContextType{discord.InteractionContextTypeGuild, discord.InteractionContextTypeBotDM}}
		if cmd.Option != "" {
			create.Options = []discord.ApplicationCommandOption{
				discord.ApplicationCommandOptionString{Name: cmd.Option, Description: cmd.OptionAbout, Required: cmd.Required}}
		}
		all = append(all, create)
	}
	return c.do(ctx, callTimeout, rest.SetGlobalCommands.Compile(nil, c.app), all, nil)
}
