package discordtest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// refer makes m a reply. A message that is gone is an error unless
// fail_if_not_exists is false: resources/message#message-reference-structure.
func (s *Server) refer(c *Channel, m *Message, ref *MessageReference) error {
	_, to := c.find(ref.MessageID)
	if to == nil {
		if ref.FailIfNotExists == nil || *ref.FailIfNotExists {
			return invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
		return nil
	}
	m.Type = 19
	m.Reference = &MessageReference{MessageID: to.ID, ChannelID: c.ID, GuildID: c.Guild}
	copied := *to
	copied.Referenced = nil
	m.Referenced = &copied
	return nil
}

// check holds a body to the limits.
func (s *Server) check(c *Channel, b messageBody, files []upload) error {
	tier := 0
	if g := s.guilds[c.Guild]; g != nil {
		tier = g.Tier
	}
	if b.Content != nil && utf8.RuneCountInString(*b.Content) > maxContent {
		return invalid("content", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxContent)
	}
	if text, ok := b.Nonce.(string); ok && len(text) > maxNonce {
		return invalid("nonce", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxNonce)
	}
	if len(files) > maxFiles {
		return invalid("attachments", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFiles)
	}
	if c.withoutFiles && len(files) > 0 {
		return refuse(http.StatusForbidden, codePermission, "Missing Permissions")
	}
	var total int64
	for _, f := range files {
		total += int64(len(f.data))
		if int64(len(f.data)) > fileLimit(tier) {
			return refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "Request entity too large")
		}
		if len(f.data) == 0 {
			return refuse(http.StatusBadRequest, codeEmpty, "Cannot send an empty message")
		}
	}
	if total > maxRequest(tier) {
		return refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "Request entity too large")
	}
	if a := b.AllowedMentions; a != nil {
		if a.Parse == nil {
			return invalid("allowed_mentions.parse", "BASE_TYPE_REQUIRED", "This field is required")
		}
		if slices.Contains(a.Parse, "users") && len(a.Users) > 0 || slices.Contains(a.Parse, "roles") && len(a.Roles) > 0 {
			return invalid("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse and a list are exclusive")
		}
	}
	if err := checkEmbeds(b.Embeds); err != nil {
		return err
	}
	if b.Components != nil {
		return checkComponents(*b.Components)
	}
	return nil
}

// pinged are the people who are notified: resources/message#allowed-mentions-object.
// Without the object everybody who is named is.
func (s *Server) pinged(m *Message, a *allowedMentions) []string {
	var all []string
	named := func(kind string) bool { return a == nil || slices.Contains(a.Parse, kind) }
	if named("everyone") && (strings.Contains(m.Content, "@everyone") || strings.Contains(m.Content, "@here")) {
		all = append(all, "everyone")
	}
	if named("roles") && strings.Contains(m.Content, "<@&") {
		all = append(all, "role")
	}
	for id := range strings.SplitSeq(m.Content, "<@") {
		if id, _, ok := strings.Cut(id, ">"); ok && (named("users") || a != nil && slices.Contains(a.Users, id)) {
			if _, err := strconv.ParseUint(id, 10, 64); err == nil {
				all = append(all, id)
			}
		}
	}
	if m.Referenced != nil && (a == nil || a.RepliedUser) {
		all = append(all, m.Referenced.Author.ID)
	}
	return all
}
