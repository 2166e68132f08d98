package config

import "bytes"

// shortestKey is how long a key of a service is at least, in bytes. What people give to
// servers of their own is a word such as "ollama", which may be in a name or an address.
const shortestKey = 16

// in reports whether a text holds one of the keys.
func (k Keys) in(text []byte) bool {
	for _, s := range k.All {
		if len(s.value) >= shortestKey && bytes.Contains(text, []byte(s.value)) {
			return true
		}
	}
	return false
}

// Secret is a value that must not be shown: fmt, JSON and logs see only whether
// it is set.
type Secret struct{ value, origin string }

// Reveal returns the value, "" when it is not set.
func (s Secret) Reveal() string { return s.value }

// Set reports whether there is a value.
func (s Secret) Set() bool { return s.value != "" }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.Set() {
		return "(set)"
	}
	return "(not set)"
}

// GoString implements fmt.GoStringer, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
