package api

import (
	"net/http"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// The preconditions of a change, which every endpoint with ifMatch takes alike (RFC 9110,
// sections 13.1.1 and 13.1.2).
const (
	ifMatch     = "If-Match"
	ifNoneMatch = "If-None-Match"
)

// preconditions are their entries in the reference: doc says what the entity tags are of.
func preconditions(doc string) []param {
	return []param{
		{in: "header", name: ifMatch, doc: doc},
		{in: "header", name: ifNoneMatch, doc: "entity tags that the content must not have; * refuses to change what is there"},
	}
}

// matching is what a request demands of the content that it changes: it is asked about the
// entity tag, without quotes, "" for content that is not there. It is nil where the request
// demands nothing. A header that is there and cannot be read is INVALID_REQUEST: a client that
// wanted to be careful must not overwrite anything.
func matching(r *http.Request) (func(tag string) bool, error) {
	var p params
	match, none := p.entityTags(r, ifMatch), p.entityTags(r, ifNoneMatch)
	if err := p.err(); err != nil || match == nil && none == nil {
		return nil, err
	}
	return func(tag string) bool {
		return (match == nil || tag != "" && names(match, tag, "")) && (none == nil || tag == "" || !names(none, tag, "W/"))
	}, nil
}

// names reports whether one of the entity tags is tag. Weak is the mark of those that count
// though they say nothing about the bytes, "" for none.
func names(tags []string, tag, weak string) bool {
	return slices.ContainsFunc(tags, func(t string) bool { return t == "*" || strings.TrimPrefix(t, weak) == quoted(tag) })
}

// entityTag is one at the beginning of a text.
var entityTag = lazyregexp.New(`^(W/)?"[^"\x00-\x20\x7f]*"`)

// entityTags reads a header of entity tags, or of * alone; nil where it is not there.
func (p *params) entityTags(r *http.Request, name string) (tags []string) {
	lines := r.Header[name]
	if len(lines) == 0 {
		return nil
	}
	rest := strings.Trim(strings.Join(lines, ","), ", \t")
	if rest == "*" {
		return []string{rest}
	}
	for rest != "" {
		tag := entityTag.FindString(rest)
		after := strings.TrimLeft(rest[len(tag):], " \t")
		if tag == "" || after != "" && after[0] != ',' {
			tags = nil
			break
		}
		tags, rest = append(tags, tag), strings.TrimLeft(after, ", \t")
	}
	if len(tags) == 0 {
		p.badWith("send the ETag of the answer as it came, with its quotes, or leave the header out", name, "must be entity tags in quotes, or * alone")
	}
	return tags
}
