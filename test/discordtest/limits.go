package discordtest

import "time"

// Limits of Discord, each with the part of its documentation that states it, below
// https://discord.com/developers/docs.
const (
	// resources/message#create-message, "content".
	maxContent = 2000
	// resources/message#create-message, "nonce".
	maxNonce = 25
	// reference#uploading-files, and the error 30015.
	maxFiles = 10
	// resources/message#get-channel-messages, "limit".
	maxPage = 100
	// components/reference#button.
	maxCustomID = 100
	maxLabel    = 80
	// components/reference#action-row.
	maxButtons = 5
	// The same page, "Legacy Message Component Behavior": five rows.
	maxRows = 5
	// resources/message#embed-object-embed-limits; the last one is the sum of all embeds.
	maxEmbeds       = 10
	maxEmbedTitle   = 256
	maxEmbedText    = 4096
	maxEmbedFields  = 25
	maxEmbedName    = 256
	maxEmbedValue   = 1024
	maxEmbedFooter  = 2048
	maxEmbedsLength = 6000
	// interactions/receiving-and-responding#interaction-response-object, "modal".
	maxTitle = 45
	// components/reference#label, "label".
	maxInputLabel = 45
	// interactions/receiving-and-responding: tokens are valid for 15 minutes. That "you
	// must send an initial response within 3 seconds" is not held against the bot: a
	// busy machine may need longer for one that answers before all else. Tests see by
	// [Answer.Type] that it does.
	tokenValid = 15 * time.Minute
	// events/gateway#rate-limiting: 120 events in 60 s; 4096 bytes each.
	maxGatewayBytes = 4096
)

// fileLimit is the size of one file by boost level: reference#uploading-files and
// resources/guild#guild-object-premium-tier.
func fileLimit(tier int) int64 {
	switch tier {
	case 2:
		return 50 << 20
	case 3:
		return 100 << 20
	}
	return 10 << 20
}

// maxRequest is the largest body; Discord answers 413 and 40005 above it
// (topics/opcodes-and-status-codes#json). The number is not documented: it is the one
// at which clients began to see that answer without boosts.
func maxRequest(tier int) int64 { return max(25<<20, fileLimit(tier)+1<<20) }

// Intents: events/gateway#list-of-intents.
const (
	intentGuilds         = 1 << 0
	intentMessages       = 1 << 9
	intentReactions      = 1 << 10
	intentDirectMessages = 1 << 12
	intentDirectReaction = 1 << 13
	intentContent        = 1 << 15
)

// JSON error codes: topics/opcodes-and-status-codes#json.
const (
	codeUnknownChannel     = 10003
	codeUnknownGuild       = 10004
	codeUnknownMessage     = 10008
	codeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	codeUnauthorized       = 40001
	codeTooLarge           = 40005
	codeAcknowledged       = 40060
	codeNotAuthor          = 50005
	codeEmpty              = 50006
	codePermission         = 50013
	codeInvalidRecipient   = 50033
	codeInvalidForm        = 50035
	codeInvalidJSON        = 50109
)
