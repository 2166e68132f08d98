package discordtest

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"
)

// User is a person or a bot.
type User struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
}

// Guild is a server of Discord. Tier is its boost level, which raises the limit of
// files.
type Guild struct {
	ID   string
	Name string
	Tier int
	// hidden makes requests for the guild and its channels fail as if there were none.
	hidden bool
}

// Channel is a text channel, a thread (Parent is set), or a direct message channel
// (Guild is empty, With is the person).
type Channel struct {
	ID, Name      string
	Guild, Parent string
	With          User
	messages      []*Message
	// forbidden makes the bot's requests fail with 50013.
	forbidden bool
	// withoutFiles makes messages with files fail with 50013.
	withoutFiles bool
	embeds       EmbedRule
}

// AddGuild adds a server.
func (s *Server) AddGuild(name string, tier int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &Guild{ID: s.newID(), Name: name, Tier: tier}
	s.guilds[g.ID] = g
	return g.ID
}

// HideGuild has a server be away, or come back.
func (s *Server) HideGuild(id string, hidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guilds[id].hidden = hidden
}

// AddChannel adds a text channel.
func (s *Server) AddChannel(guild, name string) string {
	return s.addChannel(&Channel{Guild: guild, Name: name})
}

// AddThread adds a thread of a channel. A bot learns of it at once.
func (s *Server) AddThread(parent, name string) string {
	s.mu.Lock()
	guild := s.channels[parent].Guild
	s.mu.Unlock()
	id := s.addChannel(&Channel{Guild: guild, Parent: parent, Name: name})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Gateway.dispatch("THREAD_CREATE", intentGuilds, s.channelObject(s.channels[id]))
	return id
}

// RemoveChannel deletes a channel or a thread.
func (s *Server) RemoveChannel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[id]
	delete(s.channels, id)
	event := "CHANNEL_DELETE"
	if c.Parent != "" {
		event = "THREAD_DELETE"
	}
	s.Gateway.dispatch(event, intentGuilds, s.channelObject(c))
}

// AddDirect adds the direct message channel of a person.
func (s *Server) AddDirect(with User) string { return s.addChannel(&Channel{With: with}) }

func (s *Server) addChannel(c *Channel) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ID = s.newID()
	s.channels[c.ID] = c
	return c.ID
}

// Forbid takes away, or gives back, the right to write in a channel.
func (s *Server) Forbid(channel string, forbidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[channel].forbidden = forbidden
}

// ForbidFiles takes away, or gives back, the right to attach files in a channel.
func (s *Server) ForbidFiles(channel string, forbidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[channel].withoutFiles = forbidden
}

// Person returns a new person.
func (s *Server) Person(name string) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := User{ID: s.newID(), Username: name, Discriminator: "0", GlobalName: &name}
	s.people[u.ID] = u
	return u
}

// Direct is the direct message channel of a person, "" where there is none.
func (s *Server) Direct(with User) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.directOf(with.ID)
}

func (s *Server) directOf(person string) string {
	for id, c := range s.channels {
		if c.Guild == "" && c.With.ID == person {
			return id
		}
	}
	return ""
}

// openDirect is resources/user#create-dm.
func (s *Server) openDirect(r *request) (any, error) {
	var b struct {
		Recipient string `json:"recipient_id"`
	}
	if err := decode(r.json, &b); err != nil {
		return nil, err
	}
	who, known := s.people[b.Recipient]
	if !known {
		return nil, refuse(http.StatusBadRequest, codeInvalidRecipient, "Invalid Recipient(s)")
	}
	id := s.directOf(who.ID)
	if id == "" {
		id = s.newID()
		s.channels[id] = &Channel{ID: id, With: who}
	}
	return s.channelObject(s.channels[id]), nil
}

// Attachment is a file on a message.
type Attachment struct {
	ID          string  `json:"id"`
	Filename    string  `json:"filename"`
	Description *string `json:"description,omitempty"`
	ContentType string  `json:"content_type,omitempty"`
	Size        int64   `json:"size"`
	URL         string  `json:"url"`
	ProxyURL    string  `json:"proxy_url"`
}

// Message is a message as the API gives it.
type Message struct {
	ID              string            `json:"id"`
	ChannelID       string            `json:"channel_id"`
	GuildID         string            `json:"guild_id,omitempty"`
	Author          User              `json:"author"`
	Content         string            `json:"content"`
	Timestamp       time.Time         `json:"timestamp"`
	EditedTimestamp *time.Time        `json:"edited_timestamp"`
	TTS             bool              `json:"tts"`
	MentionEveryone bool              `json:"mention_everyone"`
	Mentions        []User            `json:"mentions"`
	MentionRoles    []string          `json:"mention_roles"`
	Attachments     []Attachment      `json:"attachments"`
	Embeds          []any             `json:"embeds"`
	Components      []any             `json:"components"`
	Pinned          bool              `json:"pinned"`
	Type            int               `json:"type"`
	Flags           int               `json:"flags"`
	Nonce           any               `json:"nonce,omitempty"`
	Reference       *MessageReference `json:"message_reference,omitempty"`
	Referenced      *Message          `json:"referenced_message,omitempty"`
	// Pinged are the people whom the message notified; the API has no such field.
	Pinged []string `json:"-"`
	// Reactions are the emojis of the bot.
	Reactions []string `json:"-"`
}

// MessageReference says which message another one answers.
type MessageReference struct {
	Type            int    `json:"type,omitempty"`
	MessageID       string `json:"message_id,omitempty"`
	ChannelID       string `json:"channel_id,omitempty"`
	GuildID         string `json:"guild_id,omitempty"`
	FailIfNotExists *bool  `json:"fail_if_not_exists,omitempty"`
}

// Messages are the messages of a channel, the oldest first.
func (s *Server) Messages(channel string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Message
	for _, m := range s.channels[channel].messages {
		all = append(all, *m)
	}
	return all
}

// Own are the bot's messages of a channel.
func (s *Server) Own(channel string) []Message {
	return slices.DeleteFunc(s.Messages(channel), func(m Message) bool { return m.Author.ID != s.Bot.ID })
}

// File returns the bytes of a file on a message.
func (s *Server) File(t testing.TB, a Attachment) []byte {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[pathOf(a.URL)]
	if f == nil {
		t.Fatalf("the CDN has no %s", a.URL)
	}
	return f.data
}

// find returns a message. The caller holds the lock.
func (c *Channel) find(id string) (int, *Message) {
	i := slices.IndexFunc(c.messages, func(m *Message) bool { return m.ID == id })
	if i < 0 {
		return i, nil
	}
	return i, c.messages[i]
}

// channelObject is a channel as the API gives it
// (https://discord.com/developers/docs/resources/channel#channel-object).
func (s *Server) channelObject(c *Channel) map[string]any {
	o := map[string]any{"id": c.ID, "name": c.Name, "guild_id": c.Guild, "type": 0, "position": 0, "permission_overwrites": []any{}, "parent_id": nil, "last_message_id": nil}
	if c.Guild == "" {
		o = map[string]any{"id": c.ID, "type": 1, "recipients": []User{c.With}, "last_message_id": nil}
	}
	if n := len(c.messages); n > 0 {
		o["last_message_id"] = c.messages[n-1].ID
	}
	if c.Parent != "" {
		o["type"], o["parent_id"], o["owner_id"] = 11, c.Parent, s.Bot.ID
		o["thread_metadata"] = map[string]any{"archived": false, "auto_archive_duration": 1440, "locked": false, "archive_timestamp": time.Time{}}
	}
	return o
}

// guildObject is the payload of GUILD_CREATE.
func (s *Server) guildObject(g *Guild) map[string]any {
	channels, threads := []any{}, []any{}
	for _, id := range slices.Sorted(maps.Keys(s.channels)) {
		switch c := s.channels[id]; {
		case c.Guild == g.ID && c.Parent == "":
			channels = append(channels, s.channelObject(c))
		case c.Guild == g.ID:
			threads = append(threads, s.channelObject(c))
		}
	}
	return map[string]any{
		"id": g.ID, "name": g.Name, "owner_id": s.Bot.ID, "premium_tier": g.Tier, "unavailable": false, "member_count": 1, "large": false,
		"joined_at": time.Time{}, "channels": channels, "threads": threads, "members": []any{}, "roles": []any{}, "emojis": []any{}, "stickers": []any{},
		"voice_states": []any{}, "presences": []any{}, "stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	}
}
