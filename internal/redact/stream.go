package redact

import (
	"encoding/json"
	"strings"
)

// Known returns s without the secrets that the redactor was made for, in any of their
// forms. Unlike [Redactor.String] it leaves what merely looks like a key: what people and
// models write is kept as it is otherwise.
func (r *Redactor) Known(s string) string { return r.known(s) }

// KnownJSON is [Redactor.Known] for a JSON text, which stays one.
func (r *Redactor) KnownJSON(text json.RawMessage) json.RawMessage {
	clean := r.known(string(text))
	switch {
	case clean == string(text):
		return text
	case json.Valid([]byte(clean)):
		return json.RawMessage(clean)
	}
	return r.raw(text)
}

// Stream takes known secrets out of a text that comes in pieces. A secret may begin in one
// piece and end in another, so the end of a piece that may begin one is held back. A Stream
// is not safe for concurrent use.
type Stream struct {
	redactor *Redactor
	held     string
}

// Stream returns a stream without text.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// Next takes a piece, and returns what is certain to hold no part of a secret.
func (s *Stream) Next(piece string) string {
	if s.redactor == nil || len(s.redactor.needles) == 0 {
		return piece
	}
	text := s.redactor.known(s.held + piece)
	at := len(text) - s.redactor.begun(text)
	s.held = text[at:]
	return text[:at]
}

// Rest returns what was held back, at the end of the text.
func (s *Stream) Rest() string {
	rest := s.held
	s.held = ""
	return rest
}

// begun is the length of the longest end of a text that begins a secret.
func (r *Redactor) begun(text string) (most int) {
	for _, n := range r.needles {
		for size := min(len(n)-1, len(text)); size > most; size-- {
			if strings.HasSuffix(text, n[:size]) {
				most = size
				break
			}
		}
	}
	return most
}
