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

// Stream takes secrets out of a text that comes in pieces. A secret may begin in one
// piece and end in another, so the end of a piece that may begin one is held back. A Stream
// is not safe for concurrent use.
type Stream struct {
	redactor *Redactor
	// shapes is set where what merely looks like a key is taken out, too.
	shapes bool
	held   string
	// before stands for the end of what was returned.
	before string
	// within is set after the beginning of what looks like a key and is too long to be
	// held back: the rest of it is left out.
	within bool
}

// Stream returns a stream without text. It takes out known secrets only.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// OutputStream is [Redactor.Stream] for output of programs: like [Redactor.String] it also
// takes out what looks like a key.
func (r *Redactor) OutputStream() *Stream { return &Stream{redactor: r, shapes: true} }

// Next takes a piece, and returns what is certain to hold no part of a secret.
func (s *Stream) Next(piece string) string {
	known := s.redactor != nil && len(s.redactor.needles) > 0
	if !known && !s.shapes {
		return piece
	}
	text := s.held + piece
	at := len(text)
	if known {
		text = s.redactor.known(text)
		at = len(text) - s.redactor.begun(text)
	}
	if !s.shapes {
		s.held = text[at:]
		return text[:at]
	}
	return s.nextShape(text, at)
}

// Rest returns what was held back, at the end of the text.
func (s *Stream) Rest() string {
	rest := s.held
	s.held = ""
	if s.shapes {
		rest = s.shapeless(rest)
	}
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
