package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/turn"
)

// patience bounds every wait; it is only reached when something is broken.
const patience = 5 * time.Minute

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// start returns a server's host:port, and its engine with session s1.
func start(t *testing.T, engine *apitest.Engine, o api.Options) string {
	t.Helper()
	o.Engine = engine
	h := api.New(o)
	base := serve(t, h)
	t.Cleanup(h.EndStreams)
	if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Wait)
	return strings.TrimPrefix(base, "http://")
}

// dial sends a request over a connection of its own and returns it unread.
func dial(t testing.TB, address, method, path, body string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", method, path, address, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// readUntil reads lines until one contains want.
func readUntil(t testing.TB, r *bufio.Reader, want string) {
	t.Helper()
	var seen strings.Builder
	for {
		line, err := r.ReadString('\n')
		seen.WriteString(line)
		if strings.Contains(line, want) {
			return
		}
		if err != nil {
			t.Fatalf("%v before %q came; got:\n%s", err, want, seen.String())
		}
	}
}

// Covers: turn-api REQ-03
func TestStuckReaderIsDropped(t *testing.T) {
	t.Parallel()
	// Far more than the buffers of both ends hold.
	engine := &apitest.Engine{Padding: 256 << 10}
	address := start(t, engine, api.Options{WriteTimeout: 200 * time.Millisecond})
	conn := dial(t, address, "POST", "/api/harness/turn", `{"sessionId":"s1","message":"`+strings.Repeat("x", 24*100)+`"}`)
	if err := conn.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the turn has begun", func() bool { return len(engine.Requests()) == 1 })
	engine.Wait() // the turn has ended although nobody reads
	eventually(t, "the stream of the stuck reader is closed", func() bool { return apitest.ClosedStreams(engine) == 1 })
}

func TestVanishedReaderCostsTheTurnNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts        string
		interrupted bool
	}{
		"by default":       {`{}`, false},
		"when asked":       {`{"onDisconnect":"interrupt"}`, true},
		"in so many words": {`{"onDisconnect":"continue"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := &apitest.Engine{}
			address := start(t, engine, api.Options{})
			conn := dial(t, address, "POST", "/api/harness/turn", `{"sessionId":"s1","message":"HOLD on","opts":`+c.opts+`}`)
			readUntil(t, bufio.NewReader(conn), "chat:delta")
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the stream is closed", func() bool { return apitest.ClosedStreams(engine) == 1 })
			engine.Release("s1")
			engine.Wait()
			s, err := engine.Events(t.Context(), "s1", 0, "t1")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			events, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			last := events[len(events)-1]
			if got := strings.Contains(string(last.Data), "130"); !last.Ends() || got != c.interrupted {
				t.Errorf("the turn ended with %s %s", last.Type, last.Data)
			}
		})
	}
}

// interruptLog notes which turns were to be interrupted.
type interruptLog struct {
	*apitest.Engine
	turns chan string
}

func (l interruptLog) Interrupt(ctx context.Context, id, turnID string) error {
	l.turns <- turnID
	return l.Engine.Interrupt(ctx, id, turnID)
}

// The turn that a client takes with it when it leaves is its own, whatever runs
// by then.
func TestVanishedReaderInterruptsItsTurn(t *testing.T) {
	t.Parallel()
	fake := &apitest.Engine{}
	engine := interruptLog{fake, make(chan string, 1)}
	if _, err := fake.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
		t.Fatal(err)
	}
	address := serve(t, api.New(api.Options{Engine: engine}))
	conn := dial(t, strings.TrimPrefix(address, "http://"), "POST", "/api/harness/turn",
		`{"sessionId":"s1","message":"HOLD on","opts":{"onDisconnect":"interrupt"}}`)
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	readUntil(t, bufio.NewReader(conn), "chat:delta")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-engine.turns:
		if got != "t1" {
			t.Errorf("interrupted the turn %q", got)
		}
	case <-time.After(patience):
		t.Error("nothing was interrupted")
		fake.Release("s1")
	}
	fake.Wait()
}

func TestSilentStreamIsKeptAlive(t *testing.T) {
	t.Parallel()
	address := start(t, &apitest.Engine{}, api.Options{KeepAlive: 30 * time.Millisecond})
	conn := dial(t, address, "GET", "/api/harness/session/s1/events", "")
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	r := bufio.NewReader(conn)
	readUntil(t, r, "text/event-stream") // the headers do not wait for an event
	readUntil(t, r, ":keepalive")
	readUntil(t, r, ":keepalive")
}

func TestEventsGoOnAfterTheTurn(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	address := start(t, engine, api.Options{})
	conn := dial(t, address, "GET", "/api/harness/session/s1/events", "")
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	r := bufio.NewReader(conn)
	for _, message := range []string{"first", "second"} {
		s, err := engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: message})
		if err != nil {
			t.Fatal(err)
		}
		readUntil(t, r, message)
		readUntil(t, r, "process:exit")
		_ = s.Close()
		engine.Wait()
	}
}

func TestConnectionIsReusedAfterTheStream(t *testing.T) {
	t.Parallel()
	const deadline = 2 * time.Second
	address := start(t, &apitest.Engine{}, api.Options{WriteTimeout: deadline, BodyTimeout: deadline})
	conn := dial(t, address, "POST", "/api/harness/turn", `{"sessionId":"s1","message":"x"}`)
	r := bufio.NewReader(conn)
	for i := range 3 {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatalf("body %d: %v", i, err)
		}
		time.Sleep(deadline + 50*time.Millisecond) // those of the request before are over
		if _, err := fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSlowBodyIsRefused(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"json": "/api/harness/turn", "upload": "/api/harness/attachments?sessionId=s1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := start(t, &apitest.Engine{}, api.Options{BodyTimeout: 50 * time.Millisecond})
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: 500\r\n\r\n"+
				"--X\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nand then nothing", path, address)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != http.StatusRequestTimeout || !res.Close || !strings.Contains(string(body), "did not arrive within 50ms") ||
				!strings.Contains(string(body), `"field":"body"`) {
				t.Errorf("%d, close %v: %s", res.StatusCode, res.Close, body)
			}
		})
	}
}

// unchangedPage is a page that the client has already.
type unchangedPage struct{ onePage }

func (unchangedPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNotModified)
}

// What is refused before the body is here is answered, however long the client takes to send it.
func TestRefusalOfASlowBodyArrives(t *testing.T) {
	t.Parallel()
	address := start(t, &apitest.Engine{}, api.Options{BodyTimeout: 300 * time.Millisecond, WriteTimeout: 50 * time.Millisecond, Page: unchangedPage{}})
	for request, want := range map[string]int{
		"GET / HTTP/1.1\r\nHost: " + address:                                      http.StatusNotModified, // without a body of its own
		"POST /api/harness/attachments?sessionId=s1 HTTP/1.1\r\nHost: " + address: http.StatusBadRequest,  // not a form
		"POST /api/harness/turn HTTP/1.1\r\nHost: elsewhere.example":              http.StatusForbidden,
		"POST /api/nothing HTTP/1.1\r\nHost: " + address:                          http.StatusNotFound,
	} {
		t.Run(strconv.Itoa(want), func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "%s\r\nContent-Length: 500\r\n\r\nand then nothing", request)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != want {
				t.Errorf("the answer is %s", res.Status)
			}
		})
	}
}

func TestBrokenLogBreaksTheStream(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{Fail: map[string]error{"Next": errors.New("disk gone")}}
	address := start(t, engine, api.Options{})
	s, err := engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: "HOLD"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, err := http.Get("http://" + address + "/api/harness/session/s1/events?turn=t1")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("a stream that broke off looks whole")
	}
	engine.Release("s1")
}

func TestTooManyStreams(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	address := start(t, engine, api.Options{MaxStreams: 1})
	first := dial(t, address, "POST", "/api/harness/turn", `{"sessionId":"s1","message":"HOLD"}`)
	readUntil(t, bufio.NewReader(first), "chat:delta")
	res, err := http.Get("http://" + address + "/api/harness/session/s1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q", res.Status, res.Header.Get("Retry-After"))
	}
	engine.Release("s1")
	engine.Wait()
	eventually(t, "the place is free again", func() bool {
		res, err := http.Get("http://" + address + "/api/harness/session/s1/events?turn=t1")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode == http.StatusOK
	})
}

// stoppable is a server in one session's project that a test tells to stop.
type stoppable struct {
	t       *testing.T
	engine  *apitest.Engine
	address string
	stop    context.CancelFunc
	ended   chan error
}

// serveUntilStopped starts a server; quiesce may be nil.
func serveUntilStopped(t *testing.T, grace time.Duration, quiesce func(context.Context, *stoppable)) *stoppable {
	t.Helper()
	s := &stoppable{t: t, engine: &apitest.Engine{}, ended: make(chan error, 1)}
	if _, err := s.engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	o := api.ServeOptions{Grace: grace}
	if quiesce != nil {
		o.Quiesce = func(ctx context.Context) { quiesce(ctx, s) }
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(t.Context())
	go func() { s.ended <- api.Serve(ctx, l, api.New(api.Options{Engine: s.engine}), o) }()
	return s
}

// turn starts a turn with that body and reads its stream until it says something.
func (s *stoppable) turn(body string) *bufio.Reader {
	s.t.Helper()
	r := bufio.NewReader(dial(s.t, s.address, "POST", "/api/harness/turn", body))
	readUntil(s.t, r, "chat:delta")
	return r
}

// returns waits until Serve has returned without an error.
func (s *stoppable) returns() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Errorf("Serve returned %v", err)
		}
	case <-time.After(patience):
		s.t.Fatal("Serve did not return")
	}
}

func TestServeLetsTurnsEnd(t *testing.T) {
	t.Parallel()
	s := serveUntilStopped(t, 0, func(_ context.Context, s *stoppable) {
		res, err := http.Post("http://"+s.address+"/api/harness/turn", "", strings.NewReader(`{"sessionId":"s1","message":"late"}`))
		if err != nil || res.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a new turn during the shutdown: %v, %v", res, err)
		}
		if err == nil {
			_ = res.Body.Close()
		}
		s.engine.Release("s1")
		s.engine.Wait()
	})
	r := s.turn(`{"sessionId":"s1","message":"HOLD to the end"}`)
	follower := dial(t, s.address, "GET", "/api/harness/session/s1/events", "")
	readUntil(t, bufio.NewReader(follower), "text/event-stream")
	s.stop()
	readUntil(t, r, "process:exit")
	s.returns()
}

// Turns may use up the grace. Their readers still get the end.
func TestServeGivesReadersTheEnd(t *testing.T) {
	t.Parallel()
	s := serveUntilStopped(t, 50*time.Millisecond, func(ctx context.Context, s *stoppable) {
		<-ctx.Done()
		time.AfterFunc(100*time.Millisecond, func() { s.engine.Release("s1") }) // within the time that readers have
	})
	r := s.turn(`{"sessionId":"s1","message":"HOLD"}`)
	s.stop()
	readUntil(t, r, "process:exit")
	s.returns()
}

func TestServeCutsWhatOutlastsTheGrace(t *testing.T) {
	t.Parallel()
	s := serveUntilStopped(t, 50*time.Millisecond, nil)
	s.turn(`{"sessionId":"s1","message":"HOLD","opts":{"onDisconnect":"interrupt"}}`)
	s.stop()
	s.returns()
	// It is the server that left, not the client: the turn was not interrupted.
	s.engine.Release("s1")
	s.engine.Wait()
	log, _ := s.engine.Events(t.Context(), "s1", 0, "t1")
	events, _ := log.Next(t.Context())
	if last := events[len(events)-1]; strings.Contains(string(last.Data), "130") {
		t.Errorf("the turn ended with %s", last.Data)
	}
}
