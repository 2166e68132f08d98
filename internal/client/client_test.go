package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect returns a client of a server with that handler, quick to try again.
func connect(t *testing.T, o client.Options, h http.HandlerFunc) *client.Client {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	if o.Backoff == 0 {
		o.Backoff = time.Millisecond
	}
	c, err := client.New(srv.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// drain reads a stream to its end.
func drain(t *testing.T, s turn.Stream) ([]event.Event, error) {
	t.Cleanup(func() { _ = s.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var all []event.Event
	for {
		events, err := s.Next(ctx)
		all = append(all, events...)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// send writes events n to m of a turn of five: init, three deltas, exit.
func send(w http.ResponseWriter, from, to int) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Belay-Turn", "t1")
	for n := from; n <= to; n++ {
		switch n {
		case 1:
			fmt.Fprint(w, "id: 1\nevent: session:init\ndata: {\"turnId\":\"t1\"}\n\n")
		case 5:
			fmt.Fprint(w, "id: 5\nevent: process:exit\ndata: {\"exitCode\":0}\n\n")
		default:
			fmt.Fprintf(w, "id: %d\nevent: chat:delta\ndata: {\"text\":\"%d\"}\n\n", n, n)
		}
		w.(http.Flusher).Flush()
	}
}

func sequences(events []event.Event) (list []int64) {
	for _, e := range events {
		list = append(list, e.Seq)
	}
	return list
}

// An event between turns belongs to none, wherever the stream was.
func TestEventsBetweenTurns(t *testing.T) {
	t.Parallel()
	c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		send(w, 1, 5)
		fmt.Fprint(w, "id: 6\nevent: changes:undone\ndata: {\"turnId\":\"t1\",\"paths\":[\"a.md\"]}\n\n")
		fmt.Fprint(w, "id: 7\nevent: session:init\ndata: {\"turnId\":\"t2\"}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	s, err := c.Events(t.Context(), "s1", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var turns []string
	for len(turns) < 7 {
		events, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			turns = append(turns, e.Turn)
		}
	}
	if diff := cmp.Diff([]string{"t1", "t1", "t1", "t1", "t1", "", "t2"}, turns); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStreamResumesWhereItBroke(t *testing.T) {
	t.Parallel()
	var resumed []string
	c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			send(w, 1, 2)
			fmt.Fprint(w, "id: 3\nevent: chat:delta\nda") // the connection dies in the middle of a line
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		resumed = append(resumed, r.URL.String()+" "+r.Header.Get("Last-Event-ID"))
		switch len(resumed) {
		case 1:
			w.WriteHeader(http.StatusBadGateway) // a proxy whose server restarts
		case 2:
			send(w, 3, 3) // ends cleanly, but too early
		default:
			send(w, 4, 5)
		}
	})
	s, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Turn() != "t1" {
		t.Errorf("turn %q", s.Turn())
	}
	events, err := drain(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5}, sequences(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, e := range events {
		if e.Turn != "t1" || e.Time.IsZero() {
			t.Errorf("event %d has turn %q, time %v", e.Seq, e.Turn, e.Time)
		}
	}
	want := []string{
		"/api/harness/session/s1/events?turn=t1 2",
		"/api/harness/session/s1/events?turn=t1 2",
		"/api/harness/session/s1/events?turn=t1 3",
	}
	if diff := cmp.Diff(want, resumed); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
}

func TestStreamSurvivesImpatientReader(t *testing.T) {
	t.Parallel()
	proceed := make(chan struct{})
	var requests atomic.Int32
	c := connect(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		send(w, 1, 1)
		<-proceed
		send(w, 2, 5)
	})
	s, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next returned %v", err)
		}
		cancel()
	}
	close(proceed)
	events, err := drain(t, s)
	if diff := cmp.Diff([]int64{2, 3, 4, 5}, sequences(events)); diff != "" || err != nil {
		t.Errorf("%v, events (-want +got):\n%s", err, diff)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d connections, want the first to go on", n)
	}
}

func TestStreamLeavesSilentConnection(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := connect(t, client.Options{Silence: 500 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > 1 {
			after, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // on a busy machine 0, 1 or 2
			send(w, after+1, 5)
			return
		}
		send(w, 1, 2)
		<-r.Context().Done() // alive, but says nothing, not even a comment
	})
	s, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x"})
	if err != nil {
		t.Fatal(err)
	}
	events, err := drain(t, s)
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5}, sequences(events)); diff != "" || err != nil {
		t.Errorf("%v, events (-want +got):\n%s", err, diff)
	}
}

func TestStreamGivesUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer   http.HandlerFunc
		requests int32
	}{
		"the session is gone": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"type":"SESSION_NOT_FOUND","message":"gone","details":{"sessionId":"s1"}}}`)
		}, 2},
		"the server stays away": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 2 + 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			cl := connect(t, client.Options{Retries: 3}, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if r.Method == http.MethodPost {
					send(w, 1, 2)
					return
				}
				c.answer(w, r)
			})
			s, err := cl.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x"})
			if err != nil {
				t.Fatal(err)
			}
			events, err := drain(t, s)
			if err == nil || len(events) != 2 {
				t.Errorf("%d events, then %v", len(events), err)
			}
			if got := requests.Load(); got > c.requests || got < 2 {
				t.Errorf("%d requests, want %d", got, c.requests)
			}
		})
	}
}

func TestStartIsRepeatedOnlyWithKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "k1"} {
		t.Run("key "+key, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int32
			c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
				if got := r.Header.Get("Idempotency-Key"); got != key {
					t.Errorf("key %q", got)
				}
				if posts.Add(1) == 1 {
					panic(http.ErrAbortHandler)
				}
				send(w, 1, 5)
			})
			s, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x", IdempotencyKey: key})
			if key == "" {
				if err == nil || posts.Load() != 1 {
					t.Errorf("%d posts, error %v", posts.Load(), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if events, err := drain(t, s); err != nil || len(events) != 5 {
				t.Errorf("%d events, error %v", len(events), err)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		status     int
		want       fault.Type
	}{
		{"belay's", `{"error":{"type":"WORKING_ROOT_CONFLICT","message":"m","details":{"projectRoot":"/p"}}}`, 409, fault.WorkingRootConflict},
		{"a type of a newer server", `{"error":{"type":"BRAND_NEW","message":"m"}}`, 418, "BRAND_NEW"},
		{"another program's", "<html>not found</html>", 404, fault.SDKFailure},
		{"a redirect is not followed", "", 302, fault.SDKFailure},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := connect(t, client.Options{Token: "secret"}, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" {
					t.Error("no token")
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			_, err := cl.Get(t.Context(), "s1")
			if !fault.Is(err, c.want) {
				t.Fatalf("error %v, want %s", err, c.want)
			}
			if e := fault.From(err); c.want == fault.WorkingRootConflict && (e.Status != 409 || e.Message != "m" || e.Details["projectRoot"] != "/p") {
				t.Errorf("error %+v", e)
			}
		})
	}
}

func TestNewRefusesWhatIsNoServer(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:1", "ftp://x", "http://", "http://u:p@x", "http://x/?a=b", "http://x/#f"} {
		if _, err := client.New(address, client.Options{}); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("New(%q) returned %v", address, err)
		}
	}
}

func TestIdsDoNotNameOtherEndpoints(t *testing.T) {
	t.Parallel()
	var paths []string
	c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.EscapedPath())
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"type":"SESSION_NOT_FOUND","message":"m"}}`)
	})
	for _, id := range []string{"..", "../list", "a/b?c#d", ""} {
		_, _ = c.Get(t.Context(), id)
	}
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "/api/harness/session/"); !ok || rest == "" || strings.ContainsAny(rest, "/?#") {
			t.Errorf("asked for %s", path)
		}
	}
	if len(paths) != 4 {
		t.Errorf("asked for %q", paths)
	}
}

func TestUploadStopsWhenTheServerHasHeardEnough(t *testing.T) {
	t.Parallel()
	c := connect(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		fmt.Fprint(w, `{"error":{"type":"REQUEST_TOO_LARGE","message":"m"}}`)
	})
	endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	_, err := c.Upload(t.Context(), turn.Upload{SessionID: "s1", Name: "x", Content: endless})
	if err == nil {
		t.Error("no error")
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
