package test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Every body here is refused before any stream, with a type and the name of what
// is wrong, and changes nothing.
//
// Covers: turn-api REQ-08, REQ-10
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	with := func(rest string) string { return `{"sessionId":"` + id + `","message":"x"` + rest + `}` }
	tests := []struct {
		name, body string
		status     int
		kind       string
		names      string // what the answer must name
	}{
		{"nothing", "", 400, "INVALID_REQUEST", "body"},
		{"null", "null", 400, "INVALID_REQUEST", "body"},
		{"array", "[]", 400, "INVALID_REQUEST", "body"},
		{"cut", with("")[:20], 400, "INVALID_REQUEST", "body"},
		{"two values", with("") + "{}", 400, "INVALID_REQUEST", "body"},
		{"duplicate key", with(`,"message":"y"`), 400, "INVALID_REQUEST", "message"},
		{"duplicate key inside", with(`,"opts":{"mode":"a","mode":"b"}`), 400, "INVALID_REQUEST", "mode"},
		{"deep", with(`,"opts":` + strings.Repeat("[", 100) + strings.Repeat("]", 100)), 400, "INVALID_REQUEST", "body"},
		{"very deep", strings.Repeat(`{"a":`, 100_000), 400, "INVALID_REQUEST", "body"},
		{"NUL", with(",\"x\":\"\x00\""), 400, "INVALID_REQUEST", "body"},
		{"not UTF-8", with(",\"x\":\"\xff\""), 400, "INVALID_REQUEST", "UTF-8"},
		{"half a character", with(`,"x":"\ud800"`), 400, "INVALID_REQUEST", "body"},
		{"two byte order marks", "\ufeff\ufeff" + with(""), 400, "INVALID_REQUEST", "body"},
		{"byte order mark behind", with("") + "\ufeff", 400, "INVALID_REQUEST", "body"},
		{"number too large", with(`,"opts":{"maxTurns":1e400}`), 400, "INVALID_REQUEST", "opts.maxTurns"},
		{"number as string", with(`,"opts":{"maxTurns":"5"}`), 400, "INVALID_REQUEST", "opts.maxTurns"},
		{"no turns", with(`,"opts":{"maxTurns":0}`), 400, "INVALID_REQUEST", "opts.maxTurns"},
		{"negative cost", with(`,"opts":{"maxCostUsd":-1}`), 400, "INVALID_REQUEST", "opts.maxCostUsd"},
		{"time beyond time", with(`,"opts":{"timeoutMs":9223372036854775807}`), 400, "INVALID_REQUEST", "opts.timeoutMs"},
		{"tools of another type", with(`,"opts":{"tools":"read"}`), 400, "INVALID_REQUEST", "opts.tools"},
		{"opts of another type", with(`,"opts":[]`), 400, "INVALID_REQUEST", "opts"},
		{"model as large as a file", with(`,"opts":{"model":"` + strings.Repeat("m", 2<<20) + `"}`), 400, "INVALID_REQUEST", "opts.model"},
		{"attachments of another type", with(`,"attachments":{}`), 400, "INVALID_REQUEST", "attachments"},
		{"attachment of another type", with(`,"attachments":["/a.png",null]`), 400, "INVALID_REQUEST", "attachments[1]"},
		{"persona with a slash", with(`,"opts":{"persona":"../../etc/passwd"}`), 404, "PERSONA_NOT_FOUND", "persona"},
		{"persona with NUL", with(`,"opts":{"persona":"a\u0000b"}`), 404, "PERSONA_NOT_FOUND", "persona"},
		{"persona in wide letters", with(`,"opts":{"persona":"ＴＡＳＫ"}`), 404, "PERSONA_NOT_FOUND", "persona"},
		{"id that climbs", `{"sessionId":"../` + id + `","message":"x"}`, 404, "SESSION_NOT_FOUND", "sessionId"},
		{"id with NUL", `{"sessionId":"a\u0000","message":"x"}`, 404, "SESSION_NOT_FOUND", "sessionId"},
		{"long message", `{"sessionId":"` + id + `","message":"` + strings.Repeat("x", 1<<20+1) + `"}`, 413, "REQUEST_TOO_LARGE", "the limit is 1048576"},
		{"long body", `{"sessionId":"` + id + `","message":"` + strings.Repeat("x", 4<<20) + `"}`, 413, "REQUEST_TOO_LARGE", "body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := s.post("/api/harness/turn", tt.body)
			must(t, err)
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			must(t, err)
			var e struct {
				Error struct {
					Type, Message string
					Details       any
				}
			}
			must(t, json.Unmarshal(b, &e))
			said := e.Error.Message + jsonOf(e.Error.Details)
			if res.StatusCode != tt.status || e.Error.Type != tt.kind || !strings.Contains(said, tt.names) {
				t.Errorf("got %d %s, want %d %s naming %s", res.StatusCode, clip(string(b)), tt.status, tt.kind, tt.names)
			}
			if len(b) > 2000 {
				t.Errorf("the refusal has %d bytes", len(b))
			}
		})
	}
	if _, transcript := s.do("GET", "/api/harness/session/"+id+"/transcript", ""); !strings.Contains(transcript, `"entries":[]`) {
		t.Errorf("a refused turn is on record: %s", clip(transcript))
	}
}

// metric reads one number of /metrics.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	_, all := s.do("GET", "/metrics", "")
	for line := range strings.Lines(all) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			must(s.t, err)
			return n
		}
	}
	s.t.Fatalf("/metrics has no %s", name)
	return 0
}

// Requests that another page could cause, or that are addressed to another name.
func TestForeignRequests(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	port := s.url[strings.LastIndexByte(s.url, ':')+1:]
	body := jsonOf(map[string]any{"sessionId": id, "message": "x"})
	for _, header := range []string{
		"Host: evil.example", "Host: 127.0.0.1.evil.example:" + port, "Host: 169.254.169.254", "Host: 0.0.0.0:" + port,
		"Host: localhost:" + port + "\r\nOrigin: http://evil.example", "Host: localhost\r\nOrigin: null",
		"Host: localhost:" + port + "\r\nOrigin: http://localhost:1", "Host: localhost\r\nOrigin: file://",
		"Host: localhost:" + port + "\r\nOrigin: http://localhost:" + port + "\r\nOrigin: http://evil.example",
		"Host: localhost\r\nSec-Fetch-Site: cross-site\r\nContent-Type: text/plain",
		"Host: localhost\r\nSec-Fetch-Site: same-site",
		"Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document",
	} {
		answer := s.raw(t, "POST /api/harness/turn HTTP/1.1\r\n"+header+"\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
		if !strings.HasPrefix(answer, "HTTP/1.1 403 ") || !strings.Contains(answer, `"FORBIDDEN"`) {
			t.Errorf("%q\n got %s", header, clip(answer))
		}
	}
	answer := s.raw(t, "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
		t.Errorf("absolute form: %s", clip(answer))
	}
	for _, path := range []string{"/api/harness/session/%2e%2e%2f" + id, "/api/harness/session/" + id + "/", "//api/harness/session/" + id, "/api/harness/session/../session/" + id} {
		if answer := s.raw(t, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 404 ") {
			t.Errorf("%s: %s", path, clip(answer))
		}
	}
}

// raw sends bytes and returns all that comes back until the server hangs up.
func (s *server) raw(t *testing.T, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, request)
	must(t, err)
	b, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("%q: the server does not hang up: %v", clip(request), err)
	}
	return string(b)
}

// A request whose rest never comes ends within its limit on every route, also on
// those that want no body, and its connection with it.
//
// Covers: turn-api REQ-08
func TestUnfinishedRequests(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	const host, more = "Host: localhost\r\n", "Content-Length: 500\r\n\r\n"
	var all sync.WaitGroup
	for name, request := range map[string]string{
		"line":                   "GET /hea",
		"headers":                "GET /healthz HTTP/1.1\r\n" + host,
		"turn":                   "POST /api/harness/turn HTTP/1.1\r\n" + host + more + "{",
		"chunks":                 "POST /api/harness/turn HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5\r\n    {",
		"refused host":           "POST /api/harness/turn HTTP/1.1\r\nHost: evil.example\r\n" + more,
		"no such path":           "POST /nope HTTP/1.1\r\n" + host + more,
		"no such method":         "PUT /api/harness/turn HTTP/1.1\r\n" + host + more,
		"a body that is not due": "GET /healthz HTTP/1.1\r\n" + host + more,
		"page":                   "GET / HTTP/1.1\r\n" + host + more,
		"events":                 "GET /api/harness/session/" + id + "/events HTTP/1.1\r\n" + host + more,
		"delete":                 "DELETE /api/harness/session/" + id + "x HTTP/1.1\r\n" + host + more,
		"upload":                 "POST /api/harness/attachments?sessionId=" + id + " HTTP/1.1\r\n" + host + "Content-Type: multipart/form-data; boundary=x\r\n" + more + "--x\r\n",
		"upload of another type": "POST /api/harness/attachments?sessionId=" + id + " HTTP/1.1\r\n" + host + more + "x",
		"operator's":             "POST /api/auth/link HTTP/1.1\r\n" + host + more,
	} {
		// All at once, whatever the number of processors: each waits out the limit.
		all.Go(func() {
			if err := s.hangsUp(request); err != nil {
				t.Errorf("%s: the server does not hang up: %v", name, err)
			}
		})
	}
	all.Wait()
}

// hangsUp sends bytes and waits until the server ends the connection.
func (s *server) hangsUp(request string) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	return err
}

// One turn with every kind of file that must not be taken: each is named with
// its own code, the good one is used, and the turn goes on.
//
// Covers: attachment-resolver REQ-02, REQ-03, REQ-04, REQ-05, REQ-06, REQ-07, REQ-13
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	s := newPlace(t, "BELAY_ATTACHMENTS_MAX_ITEMS=20").serve()
	id := s.session()
	write := func(name string, b []byte) string {
		t.Helper()
		path := filepath.Join(s.project, name)
		must(t, os.WriteFile(path, b, 0o600))
		return path
	}
	program, err := os.Executable()
	must(t, err)
	elf := make([]byte, 4096)
	f, err := os.Open(program)
	must(t, err)
	_, err = io.ReadFull(f, elf)
	must(t, err)
	must(t, f.Close())
	must(t, os.Mkdir(filepath.Join(s.project, "folder.png"), 0o700))
	link := filepath.Join(s.project, "link.txt")
	must(t, os.Symlink(write("target.txt", []byte("x")), link))
	large := bytes.Repeat([]byte("a"), 10<<20)
	good := write("good.png", png(10, 10))

	refused := []struct{ path, code string }{
		{"relative.png", "NOT_ABSOLUTE"},
		{filepath.Join(s.project, "gone.png"), "NOT_FOUND"},
		{filepath.Join(good, "below.png"), "NOT_FOUND"},
		{filepath.Join(s.project, "folder.png"), "NOT_REGULAR"},
		{link, "SYMLINK"},
		{write("program.png", elf), "KIND_MISMATCH"},
		{write("page.png", []byte("<html>")), "KIND_MISMATCH"},
		{write("picture.txt", png(3, 3)), "KIND_MISMATCH"},
		{write("cut.png", png(30, 30)[:60]), "KIND_MISMATCH"},
		{write("program.exe", elf), "EXTENSION_NOT_ALLOWED"},
		{write("latin.txt", []byte("caf\xe9")), "NOT_UTF8"},
		{write("zero.txt", []byte("a\x00b")), "NOT_UTF8"},
		{write("large.txt", append(large, 'b')), "TOO_LARGE"},
	}
	attachments := []string{good}
	for _, r := range refused {
		attachments = append(attachments, r.path)
	}
	// 10 MiB exactly, then what is left of 18 MiB and one byte more, then what fits.
	first := write("first.txt", large)
	second := write("second.txt", large[:8<<20-len(png(10, 10))+1])
	third := write("third.txt", []byte("x"))
	attachments = append(attachments, first, second, third)
	refused = append(refused, struct{ path, code string }{second, "OVER_BUDGET"})

	all := s.turn(map[string]any{"sessionId": id, "message": "look", "attachments": attachments})
	if exit := last(t, all).data; exit["exitCode"] != 0.0 {
		t.Fatalf("the turn ended with %v", exit)
	}
	warning := jsonOf(all[0].data["warnings"])
	for _, r := range refused {
		if !strings.Contains(warning, filepath.Base(r.path)+": "+r.code+": ") {
			t.Errorf("%s is not refused with %s", filepath.Base(r.path), r.code)
		}
	}
	if want := fmt.Sprintf("%d of %d attachments", len(refused), len(attachments)); !strings.Contains(warning, want) {
		t.Errorf("the warning does not say %q: %s", want, warning)
	}
	_, manifest := s.do("GET", "/api/harness/session/"+id+"/manifest", "")
	for _, name := range []string{"good.png", "first.txt", "third.txt"} {
		if !strings.Contains(manifest, `"name":"`+name+`"`) {
			t.Errorf("%s was not taken: %s", name, manifest)
		}
	}
}

// A picture of a few bytes that claims billions of pixels is told about, not
// decoded; a hundred small ones are all sent; ten thousand paths are one
// sentence; and after all of that the session can still be sent.
//
// Covers: attachment-resolver REQ-06, REQ-07, REQ-12
func TestManyAndHugeAttachments(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	bomb := filepath.Join(s.project, "bomb.png")
	must(t, os.WriteFile(bomb, pngOf(60_000, 60_000, []byte{0}), 0o600))
	small := filepath.Join(s.project, "small.png")
	must(t, os.WriteFile(small, png(10, 10), 0o600))
	resident := s.metric("go_memstats_sys_bytes")
	for _, attachments := range [][]string{{bomb}, slicesOf(small, 100), slicesOf(small, 10_000), {small}, {}} {
		all := s.turn(map[string]any{"sessionId": id, "message": "look", "attachments": attachments})
		if exit := last(t, all).data; exit["exitCode"] != 0.0 {
			t.Errorf("%d attachments: %v", len(attachments), exit)
		}
		if n := len(jsonOf(all[0].data["warnings"])); n > 10_000 {
			t.Errorf("%d attachments: %d bytes of warnings", len(attachments), n)
		}
	}
	if grown := s.metric("go_memstats_sys_bytes") - resident; grown > 200<<20 {
		t.Errorf("the memory grew by %.0f MiB", grown/(1<<20))
	}
}

func slicesOf(path string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = path
	}
	return all
}

// png is a black picture.
func png(width, height int) []byte {
	return pngOf(uint32(width), uint32(height), bytes.Repeat([]byte{0}, (3*width+1)*height))
}

// pngOf is a picture whose header claims a size, whatever its rows are.
func pngOf(width, height uint32, rows []byte) []byte {
	var b bytes.Buffer
	chunk := func(kind string, data []byte) {
		_ = binary.Write(&b, binary.BigEndian, uint32(len(data)))
		body := append([]byte(kind), data...)
		b.Write(body)
		_ = binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	b.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	chunk("IHDR", append(head, 8, 2, 0, 0, 0))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(rows)
	_ = z.Close()
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}
