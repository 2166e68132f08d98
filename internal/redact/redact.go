// Package redact takes secrets out of text before it leaves the process: out of
// errors, logs and events.
//
// A [Redactor] knows the secret values themselves and finds them in every form
// in which software repeats them: as they are, percent-encoded once or twice,
// in base64 at any alignment, in hex, escaped for JSON or as a Go string. It
// also replaces what merely looks like a common API key, so that a key that
// belay does not know does not leak either.
//
// It is made for text of some kilobytes that rarely holds a secret: when
// nothing matches, the input is returned as it is, without allocation.
//
// It cannot see a secret that is split over two strings, nor one in an encoding
// that is not listed; the first line of defence is not to print keys at all.
package redact

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"belay/internal/plainjson"
)

// Placeholder stands where a secret was.
const Placeholder = "[redacted]"

// lastResort is what remains when a secret is so odd that the placeholder
// itself, next to other text, would spell it. It is shorter than MinSecret.
const lastResort = "***"

// MinSecret is the length in bytes from which a value counts as a secret.
// Shorter ones would tear holes into ordinary text.
const MinSecret = 6

// Redactor replaces a fixed set of secrets. It is immutable and safe for
// concurrent use. A nil Redactor replaces only what looks like a key.
type Redactor struct {
	// needles are all the forms of all the secrets, longest first.
	needles []string
	// keys finds those secrets that are nothing else than keys, nil for none.
	keys *Redactor
}

// New returns a redactor for secrets. Surrounding white space is ignored, and so
// are values shorter than [MinSecret].
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= MinSecret {
			r.needles = append(r.needles, forms(s)...)
		}
	}
	slices.SortFunc(r.needles, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	r.needles = slices.Compact(r.needles)
	return r
}

// WithKeys returns the redactor, which then knows that these of its secrets are keys.
func (r *Redactor) WithKeys(keys ...string) *Redactor {
	return &Redactor{needles: r.needles, keys: New(keys...)}
}

// HoldsKey reports whether s holds one of the keys of [Redactor.WithKeys]. Other secrets may be
// ordinary words.
func (r *Redactor) HoldsKey(s string) bool { return r != nil && r.keys.known(s) != s }

// String returns s without secrets.
func (r *Redactor) String(s string) string {
	clean := keyPatterns(r.known(s))
	if clean != s {
		// A replacement can put two texts next to each other that spell a
		// secret.
		clean = r.known(clean)
	}
	return clean
}

// known replaces the known secrets.
func (r *Redactor) known(s string) string {
	if r == nil || len(r.needles) == 0 {
		return s
	}
	for range 4 {
		spans := r.find(s)
		if len(spans) == 0 {
			return s
		}
		s = replace(s, spans)
	}
	if len(r.find(s)) > 0 {
		return lastResort
	}
	return s
}

// span is a part of a text, [from, to).
type span struct{ from, to int }

// find returns where s holds secrets, in order, overlapping ones joined: of two
// keys that share characters nothing of either stays.
func (r *Redactor) find(s string) []span {
	var found []span
	for _, n := range r.needles {
		for from := 0; ; {
			i := strings.Index(s[from:], n)
			if i < 0 {
				break
			}
			found = append(found, span{from + i, from + i + len(n)})
			from += i + 1
		}
	}
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	joined := found[:1]
	for _, f := range found[1:] {
		if last := &joined[len(joined)-1]; f.from < last.to {
			last.to = max(last.to, f.to)
		} else {
			joined = append(joined, f)
		}
	}
	return joined
}

func replace(s string, spans []span) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, f := range spans {
		b.WriteString(s[at:f.from])
		b.WriteString(Placeholder)
		at = f.to
	}
	b.WriteString(s[at:])
	return b.String()
}

// Error returns an error whose text holds no secrets and that unwraps to err,
// so errors.Is and errors.As still see the original. It returns nil for nil.
func (r *Redactor) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	clean := r.String(text)
	if clean == text {
		return err
	}
	return &redactedError{clean, err}
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// Value returns v, a value as encoding/json makes it, without secrets in its
// strings and keys. Errors become their clean text, raw JSON stays raw JSON;
// values of other types are returned as they are.
func (r *Redactor) Value(v any) any {
	switch v := v.(type) {
	case string:
		return r.String(v)
	case []byte:
		return []byte(r.String(string(v)))
	case json.RawMessage:
		return r.raw(v)
	case error:
		return r.String(v.Error())
	case []string:
		clean := make([]string, len(v))
		for i, s := range v {
			clean[i] = r.String(s)
		}
		return clean
	case []any:
		clean := make([]any, len(v))
		for i, e := range v {
			clean[i] = r.Value(e)
		}
		return clean
	case map[string]string:
		clean := make(map[string]string, len(v))
		for k, s := range v {
			clean[r.String(k)] = r.String(s)
		}
		return clean
	case map[string]any:
		clean := make(map[string]any, len(v))
		for k, e := range v {
			clean[r.String(k)] = r.Value(e)
		}
		return clean
	default:
		return v
	}
}

// raw redacts inside a JSON text. The text is only taken apart when it holds a
// secret, so that the usual case keeps its bytes.
func (r *Redactor) raw(text json.RawMessage) json.RawMessage {
	var v any
	clean := r.String(string(text))
	if clean == string(text) {
		return text
	}
	if json.Valid([]byte(clean)) {
		return json.RawMessage(clean)
	}
	// The replaced span reached over a quote or a bracket.
	if err := json.Unmarshal(text, &v); err == nil {
		if out, err := plainjson.Marshal(r.Value(v)); err == nil {
			return out
		}
	}
	return json.RawMessage(`"` + lastResort + `"`)
}
