package test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// docs/errors.md says which answers come from the HTTP library, before the server's own code
// sees the request: they are plain text. All others have the form of an error.
func TestAnswersOfTheLibrary(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	const end, json = "Host: localhost\r\nConnection: close\r\n\r\n", "application/json; charset=utf-8"
	for name, c := range map[string]struct {
		request string
		status  int
		own     string // the type of an error that is the server's own
	}{
		"no request":            {"HELLO\r\n\r\n", 400, ""},
		"no host":               {"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, ""},
		"a header of two words": {"GET /healthz HTTP/1.1\r\nA b: c\r\n" + end, 400, ""},
		"large headers":         {"GET /healthz HTTP/1.1\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n" + end, 431, ""},
		"an expectation":        {"POST /api/harness/turn HTTP/1.1\r\nExpect: tea\r\n" + end, 417, ""},
		"an unknown encoding":   {"POST /api/harness/turn HTTP/1.1\r\nTransfer-Encoding: gzip\r\n" + end, 501, ""},
		"a later version":       {"GET /healthz HTTP/3.0\r\n" + end, 505, ""},
		"options of everything": {"OPTIONS * HTTP/1.1\r\n" + end, 404, "NOT_FOUND"},
		"options of a path":     {"OPTIONS /healthz HTTP/1.1\r\n" + end, 405, "METHOD_NOT_ALLOWED"},
		"another host":          {"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403, "FORBIDDEN"},
	} {
		res, body := s.sent(c.request)
		is := typeOf(body)
		if res.StatusCode != c.status || is != c.own || (c.own != "") != (res.Header.Get("Content-Type") == json) {
			t.Errorf("%s: %d %v %q, want %d %s", name, res.StatusCode, res.Header, body, c.status, c.own)
		}
	}
}

// typeOf is the type of an error, "" for another body.
func typeOf(body string) string {
	var e struct{ Error struct{ Type string } }
	if json.Unmarshal([]byte(body), &e) != nil {
		return ""
	}
	return e.Error.Type
}

// sent sends bytes as they are, and returns the answer to them.
func (s *server) sent(request string) (*http.Response, string) {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	must(s.t, err)
	defer conn.Close()
	must(s.t, conn.SetDeadline(time.Now().Add(patience)))
	go func() { _, _ = io.WriteString(conn, request) }() // a server that refuses it does not read all
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(s.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(s.t, err)
	return res, string(body)
}
