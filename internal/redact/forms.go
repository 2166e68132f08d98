package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"belay/internal/plainjson"
)

// forms returns every encoding of secret that is looked for, itself included.
func forms(secret string) []string {
	all := []string{secret}
	add := func(more ...string) {
		for _, s := range more {
			if len(s) >= MinSecret && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	add(percent(secret)...)
	add(base64Forms(secret)...)
	h := hex.EncodeToString([]byte(secret))
	add(h, strings.ToUpper(h))
	add(quoted(secret)...)
	return all
}

// percent returns the URL encodings: what the usual encoders leave alone, with
// %20 and +, with upper and lower hex digits, once and twice.
func percent(secret string) []string {
	var all []string
	for _, once := range percentOnce(secret) {
		all = append(all, once)
		all = append(all, percentOnce(once)...)
	}
	return all
}

func percentOnce(s string) []string {
	query := url.QueryEscape(s)
	plain := []string{
		query,
		strings.ReplaceAll(query, "+", "%20"),
		url.PathEscape(s),
		component(s),
	}
	all := slices.Clone(plain)
	for _, p := range plain {
		all = append(all, lowerTriplets(p))
	}
	return all
}

// component encodes as encodeURIComponent does in browsers, which leaves a few
// more characters alone than Go's encoders.
func component(s string) string {
	const safe = "-_.!~*'()"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(safe, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return b.String()
}

// lowerTriplets lower-cases the hex digits of percent triplets.
func lowerTriplets(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// base64Forms returns what is certain to appear when a text that holds secret
// is encoded, wherever the secret begins in it. At each of the three alignments
// the characters that also depend on neighbouring bytes are left out, which
// makes padding irrelevant.
func base64Forms(secret string) []string {
	var all []string
	for shift := range 3 {
		buf := append(make([]byte, shift, shift+len(secret)), secret...)
		// Characters that lie wholly within the secret's bits.
		first := (8*shift + 5) / 6
		end := 8 * len(buf) / 6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, enc.EncodeToString(buf)[first:end])
		}
	}
	return all
}

// quoted returns the secret as it looks inside JSON strings and Go quotes.
func quoted(secret string) []string {
	inside := func(q string) string { return q[1 : len(q)-1] }
	all := []string{inside(strconv.Quote(secret)), inside(strconv.QuoteToASCII(secret))}
	if j, err := json.Marshal(secret); err == nil {
		all = append(all, inside(string(j)))
	}
	if j, err := plainjson.Marshal(secret); err == nil {
		all = append(all, inside(string(j)))
	}
	// Many encoders also write a slash as \/.
	for _, q := range slices.Clone(all) {
		all = append(all, strings.ReplaceAll(q, "/", `\/`))
	}
	return all
}
