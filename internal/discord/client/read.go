package client

import (
	"context"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"belay/internal/discord/message"
)

// Message returns a message.
func (c *Client) Message(ctx context.Context, channel, id string) (message.Message, error) {
	ch, err := snow(channel)
	if err != nil {
		return message.Message{}, err
	}
	m, err := snow(id)
	if err != nil {
		return message.Message{}, err
	}
	var got discord.Message
	err = c.do(ctx, callTimeout, rest.GetMessage.Compile(nil, ch, m), nil, &got)
	return convert(got), err
}

// After returns at most 100 messages that follow one in a channel, the oldest first.
func (c *Client) After(ctx context.Context, channel, id string) ([]message.Message, error) {
	ch, err := snow(channel)
	if err != nil {
		return nil, err
	}
	after, err := snow(id)
	if err != nil {
		return nil, err
	}
	var got []discord.Message
	values := discord.QueryValues{"limit": 100, "after": after}
	if err := c.do(ctx, callTimeout, rest.GetMessages.Compile(values, ch), nil, &got); err != nil {
		return nil, err
	}
	all := make([]message.Message, len(got))
	for i, m := range got {
		all[len(got)-1-i] = convert(m)
	}
	return all, nil
}

// Place says where a channel is: its server and, for a thread, its channel. Both are
// empty for a direct message.
func (c *Client) Place(ctx context.Context, channel string) (guild, parent string, err error) {
	ch, err := snow(channel)
	if err != nil {
		return "", "", err
	}
	var got struct {
		Guild  string              `json:"guild_id"`
		Parent string              `json:"parent_id"`
		Type   discord.ChannelType `json:"type"`
	}
	if err := c.do(ctx, callTimeout, rest.GetChannel.Compile(nil, ch), nil, &got); err != nil {
		return "", "", err
	}
	switch got.Type {
	case discord.ChannelTypeGuildPublicThread, discord.ChannelTypeGuildPrivateThread, discord.ChannelTypeGuildNewsThread:
		return got.Guild, got.Parent, nil
	}
	return got.Guild, "", nil // the parent of a channel is only its category
}
