// Package upstream is what all providers that call a service over HTTP have in
// common: which hosts they may call, how files stream into a request, the caps on
// an answer, and how whatever goes wrong becomes an error without secrets. A
// [Provider] is made of it and of a [Protocol], which is what a package has that is
// named for its service.
//
// Contract: compatible contract, section 6; the HTTP contract, "providers and
// network"; workspace 9.8 "Provider policy".
package upstream

import (
	"strings"

	"belay/internal/fault"
	"belay/internal/model"
)

// Service names the service of a provider.
type Service struct {
	// Name is the provider's name in the configuration and in error details, and
	// what its settings begin with.
	Name string
	// BaseURL is where the service is unless the operator says otherwise. Its
	// host needs no permission.
	BaseURL string
	// Regions are the ends of the names of other hosts that are the service's. They
	// need the operator's permission like any other host, and a key like the service's.
	Regions []string
	// KeyName is the environment variable with the API key.
	KeyName string
	// Open is set where other servers speak the protocol too: those on loopback and
	// on allowed hosts are also called without a key.
	Open bool
}

// Key returns the key of the moment from source, which may be nil. Without one it
// is MISSING_API_KEY, and SDK_FAILURE if no header could carry it.
func (s Service) Key(source func() string) (string, error) {
	key := ""
	if source != nil {
		key = strings.TrimSpace(source())
	}
	if key == "" {
		return "", fault.New(fault.MissingAPIKey, "the %s provider has no API key; set %s", s.Name, s.KeyName).
			With("provider", s.Name).With("category", string(model.MissingAPIKey)).
			WithHint("set %s in the environment that belay runs in", s.KeyName)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", model.Failure(s.Name, 401, model.InvalidAPIKey, "the API key has characters that no key has; set "+s.KeyName+" again")
	}
	return key, nil
}

// MaxTokens is what the answer may have: what was asked for, or the model's
// maximum if the context has room for it.
func MaxTokens(r model.Request, limits model.Limits) int64 {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	const least = 1024
	return min(limits.OutputTokens, max(limits.ContextTokens-r.Measure().Tokens, least))
}
