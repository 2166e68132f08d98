package mcp

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/tool"
	"belay/internal/tool/mcp/mcptest"
)

// What is wrong with an address is said in plain words with the next step, and nothing of
// what it answered is shown.
func TestRemoteTroubles(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.URL.Path[1:])
		if err == nil {
			w.WriteHeader(status)
		}
		switch r.URL.Path {
		case "/garbled":
			w.Header().Set("Content-Type", "application/json")
		case "/refused":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the account is closed"}}`)
			return
		}
		_, _ = io.WriteString(w, "<html>a secret body"+strings.Repeat(" ", 2*maxRefusal))
	}))
	t.Cleanup(srv.Close)
	safe := httptest.NewUnstartedServer(http.NotFoundHandler())
	safe.Config.ErrorLog = log.New(io.Discard, "", 0)
	safe.StartTLS()
	t.Cleanup(safe.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, tt := range map[string]struct {
		server Server
		want   string
	}{
		"gone":     {Server{URL: gone.URL}, "nothing listens there; start it, or correct mcp.servers.x.url"},
		"no host":  {Server{URL: "https://no.such.host.invalid/mcp"}, "no.such.host.invalid"},
		"https":    {Server{URL: "https" + srv.URL[4:]}, "it does not speak https"},
		"stranger": {Server{URL: safe.URL}, "its certificate is not trusted"},
		"page":     {Server{URL: srv.URL}, "not one of an MCP server; the address often ends in /mcp"},
		"garbled":  {Server{URL: srv.URL + "/garbled"}, "not one of an MCP server"},
		"refused":  {Server{URL: srv.URL + "/refused"}, "it refuses the connection: the account is closed"},
		"401":      {Server{URL: srv.URL + "/401"}, "it wants a token (status 401); name the variable that has it with token_env in mcp.servers.x"},
		"unset":    {Server{URL: srv.URL + "/401", TokenEnv: "KEY"}, "it wants a token (status 401), and KEY is not set"},
		"403":      {Server{URL: srv.URL + "/403", TokenEnv: "KEY", Token: "sesame"}, "it does not accept the token (status 403); correct the value of KEY"},
		"control":  {Server{URL: srv.URL, TokenEnv: "KEY", Token: "sesame\x01"}, "the value of KEY has a control character"},
		"404":      {Server{URL: srv.URL + "/404"}, "no MCP server answers at this address (status 404)"},
		"429":      {Server{URL: srv.URL + "/429"}, "too many requests (status 429); try again later"},
		"500":      {Server{URL: srv.URL + "/500"}, "a fault of its own, or is overloaded (status 500)"},
		"503":      {Server{URL: srv.URL + "/503"}, "a fault of its own, or is overloaded (status 503)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.server.Name = "x"
			s, _ := open(t, tt.server)
			got := s.Report(t.Context(), s.Servers()...)[0].Error
			if !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			for _, no := range []string{"secret", "sesame", "sending", "dial tcp", "rejected", "initialize"} {
				if strings.Contains(got, no) {
					t.Errorf("%q has %q", got, no)
				}
			}
		})
	}
}

// A call whose answer never came may have been done. The model reads that and no step of a
// person, which would be to try again.
func TestRemoteBreaksDuringACall(t *testing.T) {
	t.Parallel()
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcptest.Server() }, nil)
	for name, breaks := range map[string]func(w http.ResponseWriter){
		"closes": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"fails":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"locks":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || bytes.Contains(body, []byte(`"tools/call"`)) {
					breaks(w)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				h.ServeHTTP(w, r)
			}))
			t.Cleanup(srv.Close)
			s, _ := open(t, Server{Name: "far", URL: srv.URL})
			set, problems := ready(t, s)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			_, err := run(t, set, "mcp.far.echo", `{"text":"far"}`)
			refusal, ok := tool.AsRefusal(err)
			if !ok {
				t.Fatal(err)
			}
			if !strings.Contains(refusal.Reason, "broke during the call: it ") || !strings.Contains(refusal.Hint, "nobody knows whether it was done") {
				t.Errorf("%q, %q", refusal.Reason, refusal.Hint)
			}
			for _, no := range []string{"try again", "correct", "rejected", "tools/call"} {
				if strings.Contains(refusal.Reason, no) {
					t.Errorf("%q has %q", refusal.Reason, no)
				}
			}
		})
	}
}
