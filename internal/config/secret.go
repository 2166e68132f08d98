package config

import (
	"bytes"
	"slices"
	"strings"
)

// shortestKey is how long a key of a service is at least, in bytes. What people give to
// servers of their own is a word such as "ollama", which may be in a name or an address.
const shortestKey = 16

// keyWords are in the names of variables that hold keys.
var keyWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD"}

// namesKey reports whether a variable holds a key by its name.
func namesKey(variable string) bool {
	return slices.ContainsFunc(keyWords, func(w string) bool { return strings.Contains(strings.ToUpper(variable), w) })
}

// add adds a value to All, and to Certain where it is a key by its length, too.
func (k *Keys) add(s Secret, certain bool) {
	k.All = append(k.All, s)
	if certain && len(s.value) >= shortestKey {
		k.Certain = append(k.Certain, s)
	}
}

// added reports whether a text holds a key that is certain more often than it did before.
func (k *Keys) added(text, before []byte) bool {
	return slices.ContainsFunc(k.Certain, func(s Secret) bool {
		return bytes.Count(text, []byte(s.value)) > bytes.Count(before, []byte(s.value))
	})
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
