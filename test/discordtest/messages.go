package discordtest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// messageBody is the body of resources/message#create-message and #edit-message.
type messageBody struct {
	Content          *string           `json:"content"`
	Nonce            any               `json:"nonce"`
	TTS              bool              `json:"tts"`
	Embeds           []any             `json:"embeds"`
	AllowedMentions  *allowedMentions  `json:"allowed_mentions"`
	MessageReference *MessageReference `json:"message_reference"`
	Components       *[]any            `json:"components"`
	Attachments      *[]attachmentBody `json:"attachments"`
	Flags            int               `json:"flags"`
	EnforceNonce     bool              `json:"enforce_nonce"`
}

type allowedMentions struct {
	Parse       []string `json:"parse"`
	Roles       []string `json:"roles"`
	Users       []string `json:"users"`
	RepliedUser bool     `json:"replied_user"`
}

// attachmentBody names a file to keep by its id, or an uploaded one by its index.
type attachmentBody struct {
	ID          any    `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description"`
}

// nonce is a message that was created with one.
type nonce struct {
	message *Message
	until   time.Time
}

func (s *Server) createMessage(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	var b messageBody
	if err := decode(r.json, &b); err != nil {
		return nil, err
	}
	return s.post(c, b, r.files)
}

// post adds a message of the bot to a channel.
func (s *Server) post(c *Channel, b messageBody, files []upload) (*Message, error) {
	if err := s.check(c, b, files); err != nil {
		return nil, err
	}
	if text, _ := b.Nonce.(string); b.EnforceNonce && text != "" {
		if n, ok := s.nonces[c.ID+" "+text]; ok && s.opts.Now().Before(n.until) {
			return n.message, nil
		}
	}
	m := s.newMessage(c, s.Bot)
	m.Nonce, m.Flags = b.Nonce, b.Flags
	if b.Content != nil {
		m.Content = strings.TrimSpace(*b.Content)
	}
	if b.Components != nil {
		m.Components = *b.Components
	}
	if ref := b.MessageReference; ref != nil {
		if err := s.refer(c, m, ref); err != nil {
			return nil, err
		}
	}
	var err error
	if m.Embeds, err = c.embedsOf(b); err != nil {
		return nil, err
	}
	if m.Content == "" && len(files) == 0 && len(m.Components) == 0 && len(m.Embeds) == 0 {
		return nil, refuse(http.StatusBadRequest, codeEmpty, "Cannot send an empty message")
	}
	m.Attachments = append(m.Attachments, s.store(c, files, b.Attachments)...)
	m.Pinged = s.pinged(m, b.AllowedMentions)
	c.messages = append(c.messages, m)
	if text, _ := b.Nonce.(string); text != "" {
		s.nonces[c.ID+" "+text] = nonce{m, s.opts.Now().Add(s.opts.NonceWindow)}
	}
	s.Gateway.message("MESSAGE_CREATE", m)
	return m, nil
}

func (s *Server) newMessage(c *Channel, author User) *Message {
	return &Message{
		ID: s.newID(), ChannelID: c.ID, GuildID: c.Guild, Author: author, Timestamp: time.Now().UTC(), Mentions: []User{},
		MentionRoles: []string{}, Attachments: []Attachment{}, Embeds: []any{}, Components: []any{},
	}
}

func (s *Server) editMessage(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	_, m := c.find(r.PathValue("message"))
	switch {
	case m == nil:
		return nil, refuse(http.StatusNotFound, codeUnknownMessage, "Unknown Message")
	case m.Author.ID != s.Bot.ID:
		return nil, refuse(http.StatusForbidden, codeNotAuthor, "Cannot edit a message authored by another user")
	}
	var b messageBody
	if err := decode(r.json, &b); err != nil {
		return nil, err
	}
	if err := s.edit(c, m, b, r.files); err != nil {
		return nil, err
	}
	s.Gateway.message("MESSAGE_UPDATE", m)
	return m, nil
}

// edit changes a message. The list of attachments replaces the message's: a file that
// is not in it is gone (resources/message#edit-message).
func (s *Server) edit(c *Channel, m *Message, b messageBody, files []upload) error {
	if b.Nonce != nil || b.EnforceNonce || b.MessageReference != nil {
		return refuse(http.StatusBadRequest, codeInvalidForm, "a field is only for new messages")
	}
	if err := s.check(c, b, files); err != nil {
		return err
	}
	content, kept, components, embeds := m.Content, m.Attachments, m.Components, m.Embeds
	if b.Content != nil {
		content = strings.TrimSpace(*b.Content)
	}
	if b.Attachments != nil {
		kept = []Attachment{}
		for _, a := range *b.Attachments {
			id, _ := a.ID.(string)
			if i := slices.IndexFunc(m.Attachments, func(old Attachment) bool { return old.ID == id }); i >= 0 {
				kept = append(kept, m.Attachments[i])
			}
		}
	}
	if b.Components != nil {
		components = *b.Components
	}
	if b.Embeds != nil {
		var err error
		if embeds, err = c.embedsOf(b); err != nil {
			return err
		}
	}
	kept = append(slices.Clone(kept), s.store(c, files, b.Attachments)...)
	if len(kept) > maxFiles {
		return invalid("attachments", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFiles)
	}
	if content == "" && len(kept) == 0 && len(components) == 0 && len(embeds) == 0 {
		return refuse(http.StatusBadRequest, codeEmpty, "Cannot send an empty message")
	}
	now := time.Now().UTC()
	m.Content, m.Attachments, m.Components, m.Embeds, m.EditedTimestamp = content, kept, components, embeds, &now
	return nil
}

func (s *Server) deleteMessage(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	i, m := c.find(r.PathValue("message"))
	if m == nil {
		return nil, refuse(http.StatusNotFound, codeUnknownMessage, "Unknown Message")
	}
	c.messages = slices.Delete(c.messages, i, i+1)
	s.Gateway.deleted(m)
	return nil, nil
}

func (s *Server) getMessage(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	_, m := c.find(r.PathValue("message"))
	if m == nil {
		return nil, refuse(http.StatusNotFound, codeUnknownMessage, "Unknown Message")
	}
	return m, nil
}

// listMessages returns the newest first; with after, the ones next to it.
func (s *Server) listMessages(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	limit := 50
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			return nil, invalid("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and %d.", maxPage)
		}
	}
	all := slices.Clone(c.messages)
	if after := q.Get("after"); after != "" && after != "0" {
		all = slices.DeleteFunc(all, func(m *Message) bool { return !older(after, m.ID) })
		all = all[:min(limit, len(all))]
	} else if before := q.Get("before"); before != "" && before != "0" {
		all = slices.DeleteFunc(all, func(m *Message) bool { return !older(m.ID, before) })
	}
	all = all[max(0, len(all)-limit):]
	slices.Reverse(all)
	return all, nil
}

// older reports whether id a is smaller than id b.
func older(a, b string) bool {
	return len(a) < len(b) || len(a) == len(b) && a < b
}

func (s *Server) react(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	_, m := c.find(r.PathValue("message"))
	if m == nil {
		return nil, refuse(http.StatusNotFound, codeUnknownMessage, "Unknown Message")
	}
	emoji, err := url.PathUnescape(r.PathValue("emoji"))
	if err != nil || emoji == "" {
		return nil, refuse(http.StatusBadRequest, 10014, "Unknown Emoji")
	}
	m.Reactions = append(m.Reactions, emoji)
	return nil, nil
}
