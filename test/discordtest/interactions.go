package discordtest

import (
	"net/http"
	"time"
	"unicode/utf8"
)

// Interaction is a press of a button, a command, or a form, and the bot's answer.
// Read it through [Server.Answer].
type Interaction struct {
	ID, Token string
	channel   *Channel
	message   *Message // of a button
	made      time.Time
	answer    Answer
}

// Answer is how the bot answered an interaction.
type Answer struct {
	// Type is the callback's: 4 message, 5 message later, 6 edit later, 7 edit,
	// 9 form; 0 while there is none.
	Type int
	// Private says that only the person sees the answer.
	Private bool
	// Text is the message's, and Modal the form.
	Text  string
	Modal map[string]any
}

const flagEphemeral = 1 << 6

// Press presses a button as a person.
func (s *Server) Press(who User, channel, message, customID string) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	_, m := c.find(message)
	return s.interact(who, c, 3, map[string]any{"custom_id": customID, "component_type": 2}, m)
}

// Submit sends a form as a person.
func (s *Server) Submit(who User, channel, message, customID string, values map[string]string) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := []any{}
	for id, value := range values {
		rows = append(rows, map[string]any{"type": 18, "id": 1, "component": map[string]any{"type": 4, "id": 2, "custom_id": id, "value": value}})
	}
	c := s.channels[channel]
	_, m := c.find(message)
	return s.interact(who, c, 5, map[string]any{"custom_id": customID, "components": rows}, m)
}

// Command uses a slash command as a person; options are texts.
func (s *Server) Command(who User, channel, name string, options map[string]string) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	opts := []any{}
	for k, v := range options {
		opts = append(opts, map[string]any{"name": k, "type": 3, "value": v})
	}
	return s.interact(who, s.channels[channel], 2, map[string]any{"id": s.newID(), "name": name, "type": 1, "options": opts}, nil)
}

// interact sends an interaction: interactions/receiving-and-responding#interaction-object.
func (s *Server) interact(who User, c *Channel, kind int, data map[string]any, m *Message) *Interaction {
	it := &Interaction{ID: s.newID(), channel: c, message: m, made: time.Now()}
	it.Token = "token-" + it.ID
	s.interactions[it.Token] = it
	o := map[string]any{
		"id": it.ID, "application_id": s.App, "type": kind, "token": it.Token, "version": 1, "data": data, "channel_id": c.ID,
		"channel": s.channelObject(c), "app_permissions": "0", "locale": "en-GB", "entitlements": []any{},
		"authorizing_integration_owners": map[string]any{}, "context": 0, "attachment_size_limit": fileLimit(0),
	}
	if c.Guild == "" {
		o["user"] = who
	} else {
		o["guild_id"], o["guild_locale"] = c.Guild, "en-GB"
		o["guild"] = map[string]any{"id": c.Guild, "locale": "en-GB", "features": []any{}}
		o["member"] = map[string]any{"user": who, "roles": []any{}, "joined_at": time.Time{}, "deaf": false, "mute": false, "permissions": "0", "flags": 0}
	}
	if m != nil {
		o["message"] = clone(m)
	}
	s.Gateway.dispatch("INTERACTION_CREATE", 0, o)
	s.notify()
	return it
}

// Answer is what the bot answered so far.
func (s *Server) Answer(it *Interaction) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return it.answer
}

// callbackBody is interactions/receiving-and-responding#interaction-response-object.
type callbackBody struct {
	Type int            `json:"type"`
	Data map[string]any `json:"data"`
}

func (s *Server) callback(r *request) (any, error) {
	it := s.interactions[r.PathValue("token")]
	var b callbackBody
	if err := decode(r.json, &b); err != nil {
		return nil, err
	}
	switch {
	case it == nil || it.ID != r.PathValue("id"):
		return nil, refuse(http.StatusNotFound, codeUnknownInteraction, "Unknown interaction")
	case it.answer.Type != 0:
		return nil, refuse(http.StatusBadRequest, codeAcknowledged, "Interaction has already been acknowledged.")
	}
	text, _ := b.Data["content"].(string)
	flags, _ := b.Data["flags"].(float64)
	components, _ := b.Data["components"].([]any)
	if utf8.RuneCountInString(text) > maxContent {
		return nil, invalid("data.content", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxContent)
	}
	answer := Answer{Type: b.Type, Private: int(flags)&flagEphemeral != 0, Text: text}
	switch b.Type {
	case 4:
		if text == "" && len(components) == 0 {
			return nil, refuse(http.StatusBadRequest, codeEmpty, "Cannot send an empty message")
		}
	case 5:
	case 6, 7:
		if it.message == nil {
			return nil, invalid("type", "BASE_TYPE_CHOICES", "there is no message to edit")
		}
		if b.Type == 7 {
			if _, ok := b.Data["components"]; ok {
				it.message.Components = components
			}
			if _, ok := b.Data["content"]; ok {
				it.message.Content = text
			}
			s.Gateway.message("MESSAGE_UPDATE", it.message)
		}
	case 9:
		if err := checkModal(b.Data); err != nil {
			return nil, err
		}
		answer.Modal = b.Data
	default:
		return nil, invalid("type", "BASE_TYPE_CHOICES", "no such type")
	}
	it.answer = answer
	return nil, nil
}

// answered is an interaction whose answer can be changed.
func (s *Server) answered(r *request) (*Interaction, error) {
	it := s.interactions[r.PathValue("token")]
	if it == nil || it.answer.Type == 0 || time.Since(it.made) > tokenValid || r.PathValue("app") != s.App {
		return nil, refuse(http.StatusNotFound, codeUnknownWebhook, "Unknown Webhook")
	}
	return it, nil
}

func (s *Server) getOriginal(r *request) (any, error) {
	it, err := s.answered(r)
	if err != nil {
		return nil, err
	}
	return s.privateMessage(it), nil
}

func (s *Server) editOriginal(r *request) (any, error) {
	it, err := s.answered(r)
	if err != nil {
		return nil, err
	}
	var b messageBody
	if err := decode(r.json, &b); err != nil {
		return nil, err
	}
	if err := s.check(it.channel, b, r.files); err != nil {
		return nil, err
	}
	if it.answer.Type == 6 || it.answer.Type == 7 {
		if err := s.edit(it.channel, it.message, b, r.files); err != nil {
			return nil, err
		}
		s.Gateway.message("MESSAGE_UPDATE", it.message)
		return it.message, nil
	}
	if b.Content != nil {
		it.answer.Text = *b.Content
	}
	return s.privateMessage(it), nil
}

// followUp sends another message for an interaction.
func (s *Server) followUp(r *request) (any, error) {
	it, err := s.answered(r)
	if err != nil {
		return nil, err
	}
	var b messageBody
	if err := decode(r.json, &b); err != nil {
		return nil, err
	}
	if b.Flags&flagEphemeral == 0 {
		return s.post(it.channel, b, r.files)
	}
	if err := s.check(it.channel, b, r.files); err != nil {
		return nil, err
	}
	it.answer.Text, it.answer.Private = *b.Content, true
	return s.privateMessage(it), nil
}

// privateMessage is a message that no channel has.
func (s *Server) privateMessage(it *Interaction) *Message {
	m := s.newMessage(it.channel, s.Bot)
	m.Content, m.Flags = it.answer.Text, flagEphemeral
	return m
}

func (s *Server) setCommands(r *request) (any, error) {
	var all []map[string]any
	if err := decode(r.json, &all); err != nil {
		return nil, err
	}
	for _, c := range all {
		name, _ := c["name"].(string)
		about, _ := c["description"].(string)
		if name == "" || len(name) > 32 || about == "" || len(about) > 100 {
			return nil, invalid("name", "BASE_TYPE_BAD_LENGTH", "a command has a name of 1 to 32 and a description of 1 to 100 characters")
		}
		c["id"], c["application_id"], c["version"], c["default_member_permissions"] = s.newID(), s.App, s.newID(), nil
	}
	s.commands = all
	return all, nil
}

// Commands are the names of the slash commands that the bot has.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, c := range s.commands {
		names = append(names, c["name"].(string))
	}
	return names
}
