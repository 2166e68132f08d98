package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/client"
	"belay/internal/fault"
	"belay/internal/turn"
)

// A server that takes requests and does not answer holds nobody for ever, and nothing is sent
// to it again.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *client.Client) error{
		"get": func(ctx context.Context, c *client.Client) error {
			_, err := c.Get(ctx, "s1")
			return err
		},
		"start": func(ctx context.Context, c *client.Client) error {
			_, err := c.Start(ctx, turn.Request{SessionID: "s1", Message: "x", IdempotencyKey: "k"})
			return err
		},
		"steer": func(ctx context.Context, c *client.Client) error {
			return c.Steer(ctx, turn.SteerRequest{SessionID: "s1", Message: "x", Key: "k"})
		},
		"events": func(ctx context.Context, c *client.Client) error {
			_, err := c.Events(ctx, "s1", 0, "")
			return err
		},
		"boot": func(ctx context.Context, c *client.Client) error {
			_, err := c.Boot(ctx, turn.BootRequest{SessionID: "s1"})
			return err
		},
		"upload": func(ctx context.Context, c *client.Client) error {
			_, err := c.Upload(ctx, turn.Upload{SessionID: "s1", Name: "a.md", Content: strings.NewReader("x")})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			c := connect(t, client.Options{Patience: 2 * time.Second}, func(_ http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			})
			err := call(t.Context(), c)
			if !errors.As(err, new(*client.Unreached)) || !errors.As(err, new(*client.Silent)) || !strings.Contains(err.Error(), "did not answer within") {
				t.Errorf("error %v", err)
			}
			if n := asked.Load(); n > 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// slowly is content that comes in parts, with pauses.
type slowly struct {
	parts int
	pause time.Duration
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.parts == 0 {
		return 0, io.EOF
	}
	s.parts--
	time.Sleep(s.pause)
	return copy(p, "part"), nil
}

// What takes long without the server being silent is no reason to give up: a slow upload, and
// an answer that goes on.
func TestPatienceIsForTheHeadAlone(t *testing.T) {
	t.Parallel()
	const patience = 2 * time.Second
	c := connect(t, client.Options{Patience: patience}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(w, `{"path":"there"}`)
			return
		}
		w.(http.Flusher).Flush()
		time.Sleep(patience + patience/2)
		_, _ = io.WriteString(w, "archive")
	})
	t.Run("upload", func(t *testing.T) {
		t.Parallel()
		up := turn.Upload{SessionID: "s1", Name: "a.md", Content: &slowly{parts: 2, pause: patience + patience/4}}
		if got, err := c.Upload(t.Context(), up); err != nil || got.Path != "there" {
			t.Errorf("%v, error %v", got, err)
		}
	})
	t.Run("export", func(t *testing.T) {
		t.Parallel()
		var out strings.Builder
		if _, err := c.Export(t.Context(), "s1", &out); err != nil || out.String() != "archive" {
			t.Errorf("%q, error %v", out.String(), err)
		}
	})
}

// A server that stops in the middle of its answer holds nobody for ever.
func TestAServerThatStopsInItsAnswer(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *client.Client) error{
		"get": func(ctx context.Context, c *client.Client) error {
			_, err := c.Get(ctx, "s1")
			return err
		},
		"steer": func(ctx context.Context, c *client.Client) error {
			return c.Steer(ctx, turn.SteerRequest{SessionID: "refused", Message: "x", Key: "k"})
		},
		"export": func(ctx context.Context, c *client.Client) error {
			_, err := c.Export(ctx, "s1", io.Discard)
			return err
		},
		"blob": func(ctx context.Context, c *client.Client) error {
			blob, _, err := c.Blob(ctx, "s1", strings.Repeat("0", 64))
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, blob)
			return errors.Join(err, blob.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			c := connect(t, client.Options{Silence: 500 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.Method == http.MethodPost {
					w.WriteHeader(http.StatusConflict)
				}
				_, _ = io.WriteString(w, `{"error":`)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			err := call(ctx, c)
			if !errors.As(err, new(*client.Unreached)) || !errors.As(err, new(*client.Silent)) || !strings.Contains(err.Error(), "nothing more") {
				t.Errorf("error %v", err)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// An answer that is no answer of belay's may be of any length. It is not read to its end.
func TestAnEndlessRefusal(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		for page := strings.Repeat("<p>", 1<<14); r.Context().Err() == nil; {
			n, err := io.WriteString(w, page)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	_, err := c.Get(t.Context(), "s1")
	if err == nil || !strings.Contains(err.Error(), "not an answer of a belay server") {
		t.Errorf("error %v", err)
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were read", n)
	}
}

// A message to a turn that runs has its key, and is sent again where a reply is lost.
func TestSteerIsRepeatedOnlyWithKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "k1"} {
		t.Run("key "+key, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int32
			c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Idempotency-Key"); got != key {
					t.Errorf("key %q", got)
				}
				if posts.Add(1) == 1 {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, `{"ok":true}`)
			})
			err := c.Steer(t.Context(), turn.SteerRequest{SessionID: "s1", Message: "x", Key: key})
			if again := key != ""; (err == nil) != again || posts.Load() > 1 != again {
				t.Errorf("%d posts, error %v", posts.Load(), err)
			}
		})
	}
}

// A refusal after a lost reply does not say that nothing was taken.
func TestARefusalAfterALostReply(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	c := connect(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		if posts.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"error":{"type":"TURN_IN_PROGRESS","message":"a turn runs"}}`)
	})
	_, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x", IdempotencyKey: "k"})
	if !fault.Is(err, fault.TurnInProgress) || !errors.As(err, new(*client.Unreached)) {
		t.Errorf("error %v", err)
	}
}
