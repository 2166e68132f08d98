package openai

import (
	"cmp"
	"strings"

	"belay/internal/model/upstream"
)

// trimmed is a base URL without what people copy along with it.
func trimmed(raw string) string {
	raw = strings.TrimRight(strings.TrimSpace(raw), "/")
	return strings.TrimRight(strings.TrimSuffix(raw, "/chat/completions"), "/")
}

// base is the URL that the SDK puts its paths behind. Servers have their API at
// /v1; only a URL with a path of its own says otherwise.
func base(e upstream.Endpoint) string {
	path := cmp.Or(e.Path(), "/v1")
	return e.Origin() + path + "/"
}
