package discordtest

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// bucket is the state of a rate limit: topics/rate-limits.
type bucket struct {
	left  int
	reset time.Time
}

// limit counts a request in its bucket and sets the headers.
func (s *Server) limit(w http.ResponseWriter, r *http.Request) error {
	name := r.Method + " " + r.PathValue("channel")
	if r.PathValue("channel") == "" {
		name = r.Pattern
	}
	b, now := s.buckets[name], time.Now()
	if b == nil || now.After(b.reset) {
		b = &bucket{s.opts.Rate, now.Add(s.opts.Per)}
		s.buckets[name] = b
	}
	after := time.Until(b.reset)
	h := w.Header()
	h.Set("X-RateLimit-Bucket", strings.ReplaceAll(name, " ", "-"))
	h.Set("X-RateLimit-Limit", strconv.Itoa(s.opts.Rate))
	h.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(b.reset.UnixMilli())/1000))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", after.Seconds()))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(b.left-1, 0)))
	if b.left == 0 {
		retry(w, after)
		return &apiError{status: http.StatusTooManyRequests, Text: "You are being rate limited."}
	}
	b.left--
	return nil
}

func retry(w http.ResponseWriter, after time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	if w.Header().Get("X-RateLimit-Bucket") == "" {
		w.Header().Set("X-RateLimit-Bucket", "scripted")
	}
}
