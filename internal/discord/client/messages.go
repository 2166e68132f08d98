package client

import (
	"context"
	"io"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"belay/internal/discord/message"
)

// Upload is a file to send. Open is called each time the request is made; Size must
// be the number of bytes that it gives.
type Upload struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error)
}

// NewMessage is a message to send.
type NewMessage struct {
	Text string
	// ReplyTo is the message that it answers. Where that is gone it is no reply.
	ReplyTo string
	// Nonce makes repetitions harmless: within a few minutes Discord returns the
	// message that it has. At most 25 characters.
	Nonce string
	Embed *Embed
	Files []Upload
	// Buttons stand below the text, at most 5.
	Buttons []Button
	// Ping are the people who are notified; all others are not, nor anybody who is
	// replied to.
	Ping []string
}

// Button is a button. Style is one of Discord's.
type Button struct {
	ID, Label string
	Style     Style
}

// Style is the look of a button.
type Style int

// The styles.
const (
	Primary   = Style(discord.ButtonStylePrimary)
	Secondary = Style(discord.ButtonStyleSecondary)
	Danger    = Style(discord.ButtonStyleDanger)
)

// createBody is Discord's body of a new message. The library's own leaves out
// fail_if_not_exists where it is false, and true is the default.
type createBody struct {
	Content         string                    `json:"content,omitempty"`
	Nonce           string                    `json:"nonce,omitempty"`
	EnforceNonce    bool                      `json:"enforce_nonce,omitempty"`
	AllowedMentions mentions                  `json:"allowed_mentions"`
	Reference       *reference                `json:"message_reference,omitempty"`
	Embeds          []Embed                   `json:"embeds,omitempty"`
	Components      []discord.LayoutComponent `json:"components,omitempty"`
}

type reference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

// mentions allow notifications of the people in Users only.
type mentions struct {
	Parse       []string `json:"parse"`
	Users       []string `json:"users"`
	RepliedUser bool     `json:"replied_user"`
}

func only(people []string) mentions {
	return mentions{Parse: []string{}, Users: append([]string{}, people...)}
}

// Send creates a message and returns it as Discord has it. Where a message with the
// nonce exists that one is returned, whatever m says.
func (c *Client) Send(ctx context.Context, channel string, m NewMessage) (message.Message, error) {
	id, err := snow(channel)
	if err != nil {
		return message.Message{}, err
	}
	body := createBody{
		Content: m.Text, Nonce: m.Nonce, EnforceNonce: m.Nonce != "", AllowedMentions: only(m.Ping), Components: row(m.Buttons),
		Embeds: embeds(m.Embed),
	}
	if m.ReplyTo != "" {
		body.Reference = &reference{MessageID: m.ReplyTo}
	}
	timeout := callTimeout
	if len(m.Files) > 0 {
		ctx, timeout = withUploads(ctx, m.Files), uploadTimeout
	}
	var got discord.Message
	err = c.do(ctx, timeout, rest.CreateMessage.Compile(nil, id), body, &got)
	return convert(got), err
}

// Change is an edit of a message: of what is not nil. Its files stay.
type Change struct {
	Text    *string
	Buttons *[]Button
}

type editBody struct {
	Content         *string                    `json:"content,omitempty"`
	AllowedMentions mentions                   `json:"allowed_mentions"`
	Components      *[]discord.LayoutComponent `json:"components,omitempty"`
}

// Edit changes a message of the bot.
func (c *Client) Edit(ctx context.Context, channel, id string, change Change) error {
	ch, err := snow(channel)
	if err != nil {
		return err
	}
	m, err := snow(id)
	if err != nil {
		return err
	}
	return c.do(ctx, callTimeout, rest.UpdateMessage.Compile(nil, ch, m), change.body(), nil)
}

func (change Change) body() editBody {
	body := editBody{Content: change.Text, AllowedMentions: only(nil)}
	if change.Buttons != nil {
		rows := append([]discord.LayoutComponent{}, row(*change.Buttons)...)
		body.Components = &rows
	}
	return body
}

// row is one row of buttons, or nothing.
func row(buttons []Button) []discord.LayoutComponent {
	if len(buttons) == 0 {
		return nil
	}
	var all []discord.InteractiveComponent
	for _, b := range buttons {
		all = append(all, discord.ButtonComponent{Style: discord.ButtonStyle(b.Style), Label: b.Label, CustomID: b.ID})
	}
	return []discord.LayoutComponent{discord.NewActionRow(all...)}
}

// Direct is the channel of the direct messages between the bot and a person. Discord makes
// it where there is none.
func (c *Client) Direct(ctx context.Context, person string) (channel string, err error) {
	id, err := snow(person)
	if err != nil {
		return "", err
	}
	var got struct {
		ID string `json:"id"`
	}
	err = c.do(ctx, callTimeout, rest.CreateDMChannel.Compile(nil), discord.DMChannelCreate{RecipientID: id}, &got)
	return got.ID, err
}

// Delete removes a message of the bot.
func (c *Client) Delete(ctx context.Context, channel, id string) error {
	return c.onMessage(ctx, rest.DeleteMessage, channel, id)
}

// React adds an emoji to a message.
func (c *Client) React(ctx context.Context, channel, id, emoji string) error {
	return c.onMessage(ctx, rest.AddReaction, channel, id, emoji)
}

func (c *Client) onMessage(ctx context.Context, e *rest.Endpoint, channel, id string, more ...any) error {
	ch, err := snow(channel)
	if err != nil {
		return err
	}
	m, err := snow(id)
	if err != nil {
		return err
	}
	return c.do(ctx, callTimeout, e.Compile(nil, append([]any{ch, m}, more...)...), nil, nil)
}

// Typing shows for about ten seconds that the bot writes.
func (c *Client) Typing(ctx context.Context, channel string) error {
	ch, err := snow(channel)
	if err != nil {
		return err
	}
	return c.do(ctx, callTimeout, rest.SendTyping.Compile(nil, ch), nil, nil)
}
