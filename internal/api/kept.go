package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"belay/internal/plainjson"
)

// cache keeps what is made once for a state of things: a snapshot or layout of a
// project.
type cache interface {
	Once(key any, make func() (any, error)) (any, error)
}

// kept is an answer's body that is sent many times.
type kept struct {
	// tag is the entity tag, quotes included.
	tag  string
	body []byte
	// size is the body's length. Of a large one packed is all that is kept: the body's
	// compressed form.
	size   int64
	packed []byte
}

// minGzip is the smallest body that is worth to compress, in bytes.
const minGzip = 1 << 10

// compressed is the key of a body's compressed form.
type compressed struct{ of any }

// replyKept answers with the JSON of what make returns, which is encoded and
// compressed once for the cache and key. A client that has it already gets 304.
func replyKept(w *response, r *http.Request, in cache, key any, make func() (any, error)) error {
	return replyOnce(w, r, in, key, func() (*kept, error) {
		v, err := make()
		if err != nil {
			return nil, err
		}
		return written(func(w io.Writer) error { return plainjson.Write(w, v) })
	})
}

func replyOnce(w *response, r *http.Request, in cache, key any, make func() (*kept, error)) error {
	plain, err := once(in, key, make)
	if err != nil {
		return err
	}
	answer := plain
	head := w.Header()
	head["Vary"] = headerVary
	if plain.size >= minGzip && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		if answer, err = once(in, compressed{key}, plain.compress); err != nil {
			return err
		}
		head["Content-Encoding"] = headerGzip
	}
	head["Content-Type"] = headerJSON
	head["Cache-Control"] = headerRevalidate
	head["Etag"] = []string{answer.tag}
	if hasTag(r.Header["If-None-Match"], answer.tag) {
		delete(head, "Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	head["Content-Length"] = []string{strconv.FormatInt(answer.size, 10)}
	w.WriteHeader(http.StatusOK)
	_, _ = answer.WriteTo(w) // the client has left: nobody to tell
	return nil
}

var (
	headerVary       = []string{"Accept-Encoding"}
	headerGzip       = []string{"gzip"}
	headerRevalidate = []string{"private, no-cache"}
)

// once is cache.Once with the type of what is kept.
func once[T any](in cache, key any, make func() (T, error)) (T, error) {
	v, err := in.Once(key, func() (any, error) { return make() })
	got, _ := v.(T)
	return got, err
}

// compress returns the body's compressed form, which has a tag of its own.
func (k *kept) compress() (*kept, error) {
	packed := k.packed
	if packed == nil {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(k.body); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		packed = bytes.Clone(b.Bytes())
	}
	return &kept{tag: strings.TrimSuffix(k.tag, `"`) + `-gzip"`, body: packed, size: int64(len(packed))}, nil
}

// tagOf is the entity tag of an answer that these bytes determine.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return quoted(hex.EncodeToString(sum[:16]))
}

// acceptsGzip reads an Accept-Encoding header.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if name = strings.TrimSpace(name); !strings.EqualFold(name, "gzip") && name != "*" {
			continue
		}
		weight, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
		if q, err := strconv.ParseFloat(weight, 64); !found || err != nil || q > 0 {
			return true
		}
	}
	return false
}

// hasTag reports whether If-None-Match names a tag, as a weak comparison has it.
func hasTag(headers []string, tag string) bool {
	for _, h := range headers {
		for part := range strings.SplitSeq(h, ",") {
			if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == tag {
				return true
			}
		}
	}
	return false
}
