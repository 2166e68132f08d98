package discordtest

import (
	"net/http"
	"strings"
	"time"
)

// Rule makes requests fail or wait. Without Status a request is carried out.
type Rule struct {
	// Method and Path are parts of what the rule is for; empty is all.
	Method, Path string
	// Skip is how many requests pass before, Times how many it is for; 0 is one.
	Skip, Times int
	// Status and Code are the answer.
	Status, Code int
	// RetryAfter is the time in the answer, for a Status 429 or 5xx.
	RetryAfter time.Duration
	// Delay is waited before anything is done.
	Delay time.Duration
	// Cut carries the request out and closes the connection without an answer.
	Cut bool
}

// Script adds a rule. The first rule that fits counts.
func (s *Server) Script(r Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Times == 0 {
		r.Times = 1
	}
	s.rules = append(s.rules, &r)
}

// rule is what happens to a request.
func (s *Server) rule(r *http.Request) *Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rule := range s.rules {
		if rule.Times == 0 || !strings.Contains(r.Method, rule.Method) || !strings.Contains(r.URL.Path, rule.Path) {
			continue
		}
		if rule.Skip > 0 {
			rule.Skip--
			return nil
		}
		rule.Times--
		return rule
	}
	return nil
}

// Unread makes the server drop all bodies while they arrive, and answer that they are
// too large: so a test can measure what sending costs.
func (s *Server) Unread(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread = on
}

func (s *Server) ignores() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unread
}

// Watch has f called at each request, before it is carried out and again before its answer.
// F may end the process that made it. It must not use the server.
func (s *Server) Watch(f func(r *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = f
}

func (s *Server) watched(r *http.Request) {
	s.mu.Lock()
	f := s.watch
	s.mu.Unlock()
	if f != nil {
		f(r)
	}
}

// Rules replaces all rules.
func (s *Server) Rules(rules []*Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = rules
}

// ForgetNonces ends the time for which nonces are known.
func (s *Server) ForgetNonces() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.nonces)
}
