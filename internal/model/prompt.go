package model

import (
	"belay/internal/attachment"
	"belay/internal/blank"
)

// NewPrompt returns the user content of a turn, and is the only place that
// decides its mode. With at least one file it is a [BlockPrompt]: the warning if
// there is one, the words if they are more than white space, then the files in
// their order. Without files it is a [StringPrompt]: the warning, a blank line,
// and the words, or the words alone.
//
// Contract: turn API REQ-05, REQ-06; compatible contract 7.4.
func NewPrompt(warning, message string, files []attachment.Part) Prompt {
	if len(files) == 0 {
		if warning == "" {
			return StringPrompt(message)
		}
		return StringPrompt(warning + "\n\n" + message)
	}
	blocks := make(BlockPrompt, 0, len(files)+2)
	if warning != "" {
		blocks = append(blocks, attachment.TextPart{Text: warning})
	}
	if !blank.Is(message) {
		blocks = append(blocks, attachment.TextPart{Text: message})
	}
	return append(blocks, files...)
}
