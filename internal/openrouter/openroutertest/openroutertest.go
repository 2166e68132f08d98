// Package openroutertest is OpenRouter on loopback, for tests: the page that a browser opens,
// the exchange of a code, and an answer of a model. It enforces the service's rules.
package openroutertest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
)

// Key is the key that the service gives.
const Key = "sk-or-v1-not-a-real-key-0123456789abcdef"

// Service is the service. Its fields may be set before the first request.
type Service struct {
	// URL is its address.
	URL string
	// Exchange answers an exchange in place of the service, nil for the service itself.
	Exchange http.HandlerFunc
	// Models answers a request to a model in place of the service.
	Models http.HandlerFunc

	mu sync.Mutex
	// challenges are those of the codes that were given and not used.
	challenges map[string]string
	codes      []string
	verifiers  []string
}

// New starts a service, which ends with the test.
func New(t testing.TB) *Service {
	t.Helper()
	s := &Service{challenges: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth", s.auth)
	mux.HandleFunc("/api/v1/auth/keys", s.exchange)
	mux.HandleFunc("POST /api/v1/chat/completions", s.answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Secrets are the codes and verifiers that went to and fro.
func (s *Service) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(append([]string(nil), s.codes...), s.verifiers...)
}

// auth is the page on which a person logs in, who does so at once.
func (s *Service) auth(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("callback_url"))
	sum, err2 := base64.RawURLEncoding.DecodeString(q.Get("code_challenge"))
	if err != nil || back.Host == "" || err2 != nil || len(sum) != sha256.Size || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "not a login", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	code := fmt.Sprintf("auth_code_%04d", len(s.codes))
	s.codes, s.challenges[code] = append(s.codes, code), q.Get("code_challenge")
	s.mu.Unlock()
	back.RawQuery = url.Values{"code": {code}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Service) exchange(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Code     string `json:"code"`
		Verifier string `json:"code_verifier"`
		Method   string `json:"code_challenge_method"`
	}
	if r.Method != http.MethodPost {
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	err := json.NewDecoder(r.Body).Decode(&asked)
	s.mu.Lock()
	challenge, known := s.challenges[asked.Code]
	delete(s.challenges, asked.Code) // a code counts once
	s.verifiers = append(s.verifiers, asked.Verifier)
	s.mu.Unlock()
	sum := sha256.Sum256([]byte(asked.Verifier))
	switch {
	case s.Exchange != nil:
		s.Exchange(w, r)
	case err != nil || asked.Method != "S256":
		http.Error(w, `{"error":{"code":400,"message":"Invalid code_challenge_method"}}`, http.StatusBadRequest)
	case !known || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge:
		http.Error(w, `{"error":{"code":403,"message":"Invalid code or code_verifier: `+asked.Code+` `+asked.Verifier+`"}}`, http.StatusForbidden)
	default:
		_, _ = fmt.Fprintf(w, `{"key":%q,"user_id":"user_1"}`, Key)
	}
}

// answer is a model that answers those who have the key.
func (s *Service) answer(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.Models != nil:
		s.Models(w, r)
	case r.Header.Get("Authorization") != "Bearer "+Key:
		http.Error(w, `{"error":{"code":401,"message":"No auth credentials found"}}`, http.StatusUnauthorized)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, ": OPENROUTER PROCESSING\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"OK\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}
}
