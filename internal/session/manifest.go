package session

import (
	"belay/internal/attachment"
	"belay/internal/event"
)

// Manifest lists every input that the model saw in a turn (http.md,
// "/manifest"): proof that can be checked against the files.
type Manifest struct {
	Turn       string           `json:"turn"`
	Time       Time             `json:"time"`
	Persona    string           `json:"persona"`
	Mode       string           `json:"mode"`
	Provider   string           `json:"provider"`
	Model      string           `json:"model"`
	PromptMode event.PromptMode `json:"promptMode"`
	Tools      []string         `json:"tools"`
	// Instructions are the files that made the system prompt, in its order.
	Instructions []Source `json:"instructions"`
	// SystemSHA256 is the digest of the system prompt as it was sent.
	SystemSHA256 string `json:"systemSha256"`
	// Attachments are this turn's files; History those of earlier turns that
	// were sent again.
	Attachments []Delivered `json:"attachments"`
	History     History     `json:"history"`
	// Shown are files that tools showed to the model in the course of the turn.
	// It is gathered from the transcript, not stored.
	Shown []attachment.Item `json:"shown,omitempty"`
}

// Source is one file that went into a prompt.
type Source struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// Cut is set when only the first bytes of the file were used.
	Cut bool `json:"cut,omitempty"`
}

// Delivered is an attachment and how the model got it.
type Delivered struct {
	attachment.Item
	Used string `json:"used"`
	// Note says what the model did not get of it: that it was cut, or made smaller.
	Note string `json:"note,omitempty"`
}

// History says which earlier turns were part of the request.
type History struct {
	Turns       int         `json:"turns"`
	Elided      int         `json:"elided"`
	Attachments []Delivered `json:"attachments,omitempty"`
}
