package discordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// apiError is an error as the API gives it: reference#error-messages.
type apiError struct {
	status int
	Code   int    `json:"code"`
	Text   string `json:"message"`
	Errors any    `json:"errors,omitempty"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Text) }

func refuse(status, code int, format string, args ...any) error {
	return &apiError{status: status, Code: code, Text: fmt.Sprintf(format, args...)}
}

// invalid is the error of one field of a body.
func invalid(field, code, format string, args ...any) error {
	var errs any = map[string]any{"_errors": []any{map[string]any{"code": code, "message": fmt.Sprintf(format, args...)}}}
	parts := strings.Split(field, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		errs = map[string]any{parts[i]: errs}
	}
	return &apiError{status: http.StatusBadRequest, Code: codeInvalidForm, Text: "Invalid Form Body", Errors: errs}
}

// request is a request with its body read.
type request struct {
	*http.Request
	json  []byte
	files []upload
}

// upload is a part files[n] of a multipart body.
type upload struct {
	index int
	name  string
	data  []byte
}

// handler answers a request. It holds the server's lock. A nil result is 204.
type handler func(s *Server, r *request) (any, error)

func (s *Server) routes(mux *http.ServeMux) {
	const api = "/api/v10"
	for pattern, h := range map[string]handler{
		"GET /gateway":                                                     (*Server).getGateway,
		"GET /gateway/bot":                                                 (*Server).getGateway,
		"GET /users/@me":                                                   func(s *Server, _ *request) (any, error) { return s.Bot, nil },
		"POST /users/@me/channels":                                         (*Server).openDirect,
		"GET /channels/{channel}":                                          (*Server).getChannel,
		"GET /guilds/{guild}":                                              (*Server).getGuild,
		"GET /channels/{channel}/messages":                                 (*Server).listMessages,
		"POST /channels/{channel}/messages":                                (*Server).createMessage,
		"GET /channels/{channel}/messages/{message}":                       (*Server).getMessage,
		"PATCH /channels/{channel}/messages/{message}":                     (*Server).editMessage,
		"DELETE /channels/{channel}/messages/{message}":                    (*Server).deleteMessage,
		"POST /channels/{channel}/typing":                                  (*Server).typing,
		"PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me": (*Server).react,
		"PUT /applications/{app}/commands":                                 (*Server).setCommands,
		"POST /interactions/{id}/{token}/callback":                         (*Server).callback,
		"GET /webhooks/{app}/{token}/messages/@original":                   (*Server).getOriginal,
		"PATCH /webhooks/{app}/{token}/messages/@original":                 (*Server).editOriginal,
		"POST /webhooks/{app}/{token}":                                     (*Server).followUp,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+api+path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, h) })
	}
	mux.HandleFunc(api+"/", func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, func(*Server, *request) (any, error) { return nil, refuse(http.StatusNotFound, 0, "404: Not Found") })
	})
}

// serve reads a request, applies scripted faults and rate limits, and answers.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, h handler) {
	// Tokens of interactions stand for themselves, and anybody may ask for the gateway.
	alone := strings.Contains(r.URL.Path, "/interactions/") || strings.Contains(r.URL.Path, "/webhooks/") || strings.HasSuffix(r.URL.Path, "/gateway")
	rule := s.rule(r)
	var (
		req = &request{Request: r}
		err error
	)
	if s.ignores() {
		_, _ = io.Copy(io.Discard, r.Body)
		err = refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "Request entity too large")
	} else {
		req, err = read(r)
	}
	if rule != nil && rule.Delay > 0 {
		select {
		case <-time.After(rule.Delay):
		case <-r.Context().Done():
		}
	}
	s.watched(r)
	s.mu.Lock()
	var result any
	switch {
	case err != nil:
	case !alone && (s.revoked || r.Header.Get("Authorization") != "Bot "+s.Token):
		err = refuse(http.StatusUnauthorized, 0, "401: Unauthorized")
	case rule != nil && rule.Status != 0:
		err = &apiError{status: rule.Status, Code: rule.Code, Text: "scripted"}
	default:
		if err = s.limit(w, r); err == nil {
			result, err = h(s, req)
		}
	}
	status := http.StatusOK
	var failed *apiError
	switch {
	case errors.As(err, &failed):
		status, result = failed.status, failed
	case err != nil:
		status = http.StatusInternalServerError
	case result == nil:
		status = http.StatusNoContent
	}
	data, _ := json.Marshal(result)
	s.record(req, status)
	s.notify()
	s.mu.Unlock()
	s.watched(r)
	if rule != nil && rule.Cut {
		panic(http.ErrAbortHandler) // the work is done, the answer is lost
	}
	if rule != nil && rule.RetryAfter > 0 {
		retry(w, rule.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Via", "1.1 discordtest")
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = w.Write(data)
	}
}

func (s *Server) record(r *request, status int) {
	c := Call{Method: r.Method, Path: strings.TrimPrefix(r.URL.RequestURI(), "/api/v10"), Status: status, Body: string(r.json), Time: time.Now()}
	for _, f := range r.files {
		c.Files = append(c.Files, int64(len(f.data)))
	}
	s.calls = append(s.calls, c)
}

// read takes a body apart: reference#uploading-files.
func read(r *http.Request) (*request, error) {
	req := &request{Request: r}
	const most = 128 << 20
	body := http.MaxBytesReader(nil, r.Body, most)
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		var err error
		if req.json, err = io.ReadAll(body); err == nil && len(req.json) > 0 && kind != "application/json" {
			err = refuse(http.StatusBadRequest, codeInvalidJSON, "The content type is %q", kind)
		}
		return req, err
	}
	for parts := multipart.NewReader(body, params["boundary"]); ; {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return req, nil
		}
		if err != nil {
			return req, refuse(http.StatusBadRequest, codeInvalidJSON, "multipart: %v", err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return req, err
		}
		if p.FormName() == "payload_json" {
			req.json = data
			continue
		}
		index, found := strings.CutPrefix(strings.TrimSuffix(p.FormName(), "]"), "files[")
		n, err := strconv.Atoi(index)
		if !found || err != nil || p.FileName() == "" {
			return req, refuse(http.StatusBadRequest, codeInvalidForm, "a part is named %q", p.FormName())
		}
		req.files = append(req.files, upload{n, p.FileName(), data})
	}
}

// decode reads JSON strictly.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return refuse(http.StatusBadRequest, codeInvalidJSON, "The request body contains invalid JSON: %v", err)
	}
	return nil
}

func (s *Server) getGateway(*request) (any, error) {
	return map[string]any{"url": s.gatewayURL(), "shards": 1,
		"session_start_limit": map[string]any{"total": 1000, "remaining": 999, "reset_after": 14400000, "max_concurrency": 1}}, nil
}

func (s *Server) getChannel(r *request) (any, error) {
	c, err := s.channel(r)
	if err != nil {
		return nil, err
	}
	return s.channelObject(c), nil
}

// getGuild is resources/guild#get-guild.
func (s *Server) getGuild(r *request) (any, error) {
	g := s.guilds[r.PathValue("guild")]
	if g == nil || g.hidden {
		return nil, refuse(http.StatusNotFound, codeUnknownGuild, "Unknown Guild")
	}
	return map[string]any{"id": g.ID, "name": g.Name}, nil
}

// channel is the channel of a request's path.
func (s *Server) channel(r *request) (*Channel, error) {
	c := s.channels[r.PathValue("channel")]
	switch {
	case c == nil, s.guilds[c.Guild] != nil && s.guilds[c.Guild].hidden:
		return nil, refuse(http.StatusNotFound, codeUnknownChannel, "Unknown Channel")
	case c.forbidden:
		return nil, refuse(http.StatusForbidden, codePermission, "Missing Permissions")
	}
	return c, nil
}

func (s *Server) typing(r *request) (any, error) {
	_, err := s.channel(r)
	return nil, err
}
