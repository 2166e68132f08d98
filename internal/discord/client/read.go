package client

import (
	"cmp"
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
	got, err := c.channel(ctx, channel)
	if err != nil {
		return "", "", err
	}
	switch got.Type {
	case discord.ChannelTypeGuildPublicThread, discord.ChannelTypeGuildPrivateThread, discord.ChannelTypeGuildNewsThread:
		return got.Guild, got.Parent, nil
	}
	return got.Guild, "", nil // the parent of a channel is only its category
}

// Newest is the id of the newest message of a channel, or the channel's own, which is older
// than all of them, where it has none.
func (c *Client) Newest(ctx context.Context, channel string) (string, error) {
	got, err := c.channel(ctx, channel)
	return cmp.Or(got.Last, channel), err
}

// Guild fails where Discord does not have a server at the moment, or not for the bot.
func (c *Client) Guild(ctx context.Context, id string) error {
	guild, err := snow(id)
	if err != nil {
		return err
	}
	return c.do(ctx, callTimeout, rest.GetGuild.Compile(nil, guild), nil, nil)
}

// channelObject is what belay uses of a channel.
type channelObject struct {
	Guild  string              `json:"guild_id"`
	Parent string              `json:"parent_id"`
	Last   string              `json:"last_message_id"`
	Type   discord.ChannelType `json:"type"`
}

func (c *Client) channel(ctx context.Context, id string) (got channelObject, _ error) {
	ch, err := snow(id)
	if err != nil {
		return got, err
	}
	return got, c.do(ctx, callTimeout, rest.GetChannel.Compile(nil, ch), nil, &got)
}
