package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"belay/internal/blank"
	"belay/internal/lazyregexp"
)

// Discord is the surface in Discord. It runs where [Keys].Discord is set.
type Discord struct {
	API      string
	Channels map[string]DiscordChannel
	Guilds   []string
	Users    []string
	Debounce time.Duration
	// Merge is union or newest.
	Merge string
	// Questions is channel, dm or link.
	Questions    string
	MaxFileBytes int64
}

// DiscordChannel is how a channel is connected.
type DiscordChannel struct {
	Project string `json:"project"`
	Persona string `json:"persona,omitempty"`
	// Mode is mention or active, "" is mention.
	Mode     string   `json:"mode,omitempty"`
	Deciders []string `json:"deciders,omitempty"`
	// Publish lists patterns of files that the agent may send to the channel without a
	// question, relative to the project.
	Publish []string `json:"publish,omitempty"`
}

// discords are the settings of the surface in Discord.
func discords(c *Config) []*key {
	d := &c.Discord
	return []*key{
		{name: "discord.channels", value: discordChannels(&d.Channels),
			doc: "Channels of Discord by id: the project, and if you like persona, mode (mention or active), deciders, the users who answer questions there, and publish, patterns of files that the agent may send there without a question. /link connects channels too; an entry here wins.",
			why: "Channels are set up without /link, or differently."},
		{name: "discord.guilds", value: list{&d.Guilds, snowflake},
			doc: "Servers of Discord, by id, whose connected channels are read. Blank is all.",
			why: "A channel must not work when it moves to another server."},
		{name: "discord.users", value: list{&d.Users, snowflake},
			doc: "People in Discord, by id, who are answered. Blank is everybody who can write in a connected channel.",
			why: "Only some people of a channel may use belay."},
		{name: "discord.debounce", value: duration(&d.Debounce, 0, time.Minute), def: "1.5s",
			doc: "How long belay waits for more messages of a person before it passes them on as one. An edit within that time counts.",
			why: "People write in several short messages, or want a faster answer."},
		{name: "discord.merge", value: choice[string]{p: &d.Merge, words: []string{"union", "newest"}}, def: "union",
			doc: "What becomes of messages that come together where one of them has files: the agent gets the texts and files of all (union), or the newest message alone (newest).",
			why: "One person's words must not stand beside another's files. The words of all others are lost then, as the specification recommends."},
		{name: "discord.questions", value: choice[string]{p: &d.Questions, words: []string{"channel", "dm", "link"}}, def: "channel",
			doc: "Where command, output and diff of a question are shown: in the channel, in direct messages to the deciders (dm), or only on the page that the question links to.",
			why: "Others in the channel must not see the files."},
		{name: "discord.max_file_bytes", value: orNone(limit[int64]{p: &d.MaxFileBytes, min: 1, max: gib, form: sizeForm}), def: "0",
			doc: "Largest file that is posted to Discord; a line of text stands for a larger one. 0 is what the server allows: 10 MiB, and more with boosts.",
			why: "Large files must not leave this machine."},
		{name: "discord.api", value: text{&d.API, true, baseURL}, def: "https://discord.com/api/v10",
			doc: "Base of the REST API. It gets the bot's token.",
			why: "Another server with Discord's API is used, or a proxy."},
	}
}

// discordToken is the variable of the bot's token.
const discordToken = "BELAY_DISCORD_TOKEN"

var snowflakePattern = lazyregexp.New(`^[0-9]{1,20}$`)

// snowflake checks an id of Discord.
func snowflake(s string) (string, error) {
	if !snowflakePattern.MatchString(s) {
		return "", errors.New("holds " + strconv.Quote(s) + ", which is no id of Discord (turn on its developer mode and choose Copy ID)")
	}
	return s, nil
}

// maxDeciders bounds the people who answer in one channel.
const maxDeciders = 100

func discordChannels(p *map[string]DiscordChannel) value {
	word := map[string]any{"type": "string"}
	return entries[DiscordChannel]{
		p: p, what: "channels", most: 1000, name: snowflake, example: `{"123456789012345678": {project: /home/me/project}}`, read: discordChannel,
		entry: map[string]any{"type": "object", "additionalProperties": false, "required": []string{"project"}, "properties": map[string]any{
			"project": word, "persona": word, "mode": map[string]any{"enum": []string{"mention", "active"}},
			"deciders": map[string]any{"type": "array", "items": word}, "publish": map[string]any{"type": "array", "items": word},
		}},
	}
}

var channelFields = []string{"project", "persona", "mode", "deciders", "publish"}

func discordChannel(n *yaml.Node, wrong *badNodes) (c DiscordChannel) {
	isMapping := readFields(n, channelFields, wrong, func(name string, val *yaml.Node) (err error) {
		if name != "deciders" && name != "publish" && (val.Kind != yaml.ScalarNode || oneLine(val.Value) != nil) {
			return errors.New("expects a string")
		}
		switch name {
		case "project":
			c.Project, err = folderPath(val.Value)
		case "persona":
			c.Persona = val.Value
		case "mode":
			if c.Mode = val.Value; !slices.Contains([]string{"mention", "active"}, c.Mode) {
				err = errors.New("must be mention or active")
			}
		case "deciders":
			c.Deciders, err = deciders(val)
		case "publish":
			c.Publish, err = patterns(val)
		}
		return err
	})
	if isMapping && !wrong.at("project") && c.Project == "" {
		wrong.add(n, "", errors.New("has no project"))
	}
	return c
}

func deciders(n *yaml.Node) (ids []string, err error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxDeciders {
		return nil, fmt.Errorf("expects a list of at most %d ids", maxDeciders)
	}
	if ids, err = words(n); err == nil {
		err = eachOf(ids, snowflake)
	}
	return ids, err
}

// maxPublish bounds the patterns of one channel.
const maxPublish = 100

func patterns(n *yaml.Node) (all []string, err error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxPublish {
		return nil, fmt.Errorf("expects a list of at most %d patterns of files", maxPublish)
	}
	if all, err = words(n); err == nil {
		err = eachOf(all, filePattern)
	}
	return all, err
}

func filePattern(p string) (string, error) {
	if blank.Is(p) || oneLine(p) != nil {
		return "", fmt.Errorf("%q is no pattern of files, such as reports/*.pdf", p)
	}
	return p, nil
}
