package bus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"belay/internal/bus/contract"
)

func TestSecondServerIsRefusedClearly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := openBus(t, Options{Dir: dir})
	_, err := Open(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrStoreInUse) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("second Open = %v", err)
	}
	closeIt(t, first.Close)
	openBus(t, Options{Dir: dir})
}

func TestOpenRefusesBadOptions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string]Options{
		"nowhere":          {},
		"both":             {Dir: t.TempDir(), URL: "nats://127.0.0.1:1"},
		"negative":         {Dir: t.TempDir(), AckTimeout: -1},
		"store is a file":  {Dir: file},
		"nobody at URL":    {URL: "nats://127.0.0.1:1"},
		"URL is not a URL": {URL: "nats://[::1"},
	} {
		if b, err := Open(t.Context(), opts); err == nil {
			t.Errorf("%s: Open succeeded", name)
			closeIt(t, b.Close)
		}
	}
}

// written publishes pieces of the output of a request, each until it is stored.
func written(t *testing.T, b *Bus, box *Outbox, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		until(t, fmt.Sprint("piece ", i), func() bool {
			return box.Publish(deadlined(t), Place{Event: int64(i)}, &contract.TextDelta{Delta: fmt.Sprint(i)}) == nil
		})
	}
}

// expect reads the output of the request from its start, until it has n pieces: in order, and
// each once.
func expect(t *testing.T, b *Bus, n int) {
	t.Helper()
	want := 0
	for m, err := range NewClient(b, "discord").Output(deadlined(t), "s1", "r1", 0) {
		if err != nil {
			t.Error(err)
			return
		}
		want++
		if d := m.Payload.(*contract.TextDelta); m.Seq != int64(want) || d.Delta != fmt.Sprint(want) {
			t.Errorf("message %d is %d, %q", want, m.Seq, d.Delta)
			return
		}
		if want == n {
			return
		}
	}
	t.Errorf("the output ended after %d of %d", want, n)
}

var ofOne = contract.Envelope{Session: "s1", Request: "r1", Client: "discord"}

// The server is replaced twice while an output is written. Its reader does not notice.
func TestServerRestartUnderLoadIsInvisible(t *testing.T) {
	t.Parallel()
	const n = 300
	b := openBus(t, Options{})
	box, read := NewOutbox(b, ofOne), make(chan struct{})
	written(t, b, box, 1, 1)
	go func() {
		defer close(read)
		expect(t, b, n)
	}()
	for i := 2; i <= n; i++ {
		written(t, b, box, i, i)
		if i%100 == 0 && i < n {
			if err := b.Renew(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-read
	if got := messages(t, b, contract.StreamOutput); got != n {
		t.Errorf("the stream holds %d messages, want %d", got, n)
	}
}

// The folder of the store is removed while the bus is open. Renewed, it stores again, and is
// nobody else's.
func TestRemovedStoreIsRenewed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state", "bus")
	b := openBus(t, Options{Dir: dir})
	written(t, b, NewOutbox(b, ofOne), 1, 20)
	// What is written there at that moment is removed by the next try.
	until(t, "the folder is removed", func() bool { return os.RemoveAll(filepath.Dir(dir)) == nil })
	if err := b.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrStoreInUse) {
		t.Errorf("a second server: %v", err)
	}
	written(t, b, NewOutbox(b, ofOne), 1, 5)
	expect(t, b, 5)
}

// A stream that is gone is made again by who publishes.
func TestMissingStreamIsMadeAgain(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{AckTimeout: 200 * time.Millisecond})
	if err := b.js.DeleteStream(t.Context(), contract.StreamOutput); err != nil {
		t.Fatal(err)
	}
	written(t, b, NewOutbox(b, ofOne), 1, 5)
	expect(t, b, 5)
}

// external starts a server with a port, as an operator would run it.
func external(t *testing.T) string {
	t.Helper()
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(deadline) {
		t.Fatal("the external server did not start")
	}
	return srv.ClientURL()
}

// Processes on different machines share a cluster that somebody else runs.
func TestExternalCluster(t *testing.T) {
	t.Parallel()
	url := external(t)
	worker, gateway := openBus(t, Options{URL: url}), openBus(t, Options{URL: url})
	written(t, worker, NewOutbox(worker, ofOne), 1, 300)
	expect(t, gateway, 300)
}
