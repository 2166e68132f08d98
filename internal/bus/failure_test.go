package bus

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
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
		"negative":         {Dir: t.TempDir(), MaxBytes: -1},
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

func TestRestartResumesWithoutLossOrRepetition(t *testing.T) {
	t.Parallel()
	dir, src := t.TempDir(), newLogs()
	ids := []string{"a", "b", "c"}
	for round := range 3 {
		b := openBus(t, Options{Dir: dir})
		p, err := NewPublisher(b, src)
		if err != nil {
			t.Fatal(err)
		}
		p.Resume(ids...)
		for _, id := range ids {
			p.Observe(id, src.append(id, 40))
		}
		if round == 1 {
			p.stop() // as if the process died: nothing is drained
			p.wg.Wait()
			closeIt(t, b.Close)
			for _, id := range ids {
				src.append(id, 10) // while no server runs
			}
			continue
		}
		closeIt(t, p.Close)
		if round == 2 {
			for _, id := range ids {
				expect(t, b, id, 130)
			}
			if got := stored(t, b); got != 390 {
				t.Errorf("the stream holds %d messages, want 390", got)
			}
		}
		closeIt(t, b.Close)
	}
}

func TestAgedOutHistoryIsNotPublishedAgain(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	old := src.append("s1", 100)
	p := openPublisher(t, b, src)
	p.Observe("s1", src.append("s1", 1)) // the stream never saw old
	until(t, "published", func() bool { return p.Stats().Published == 1 })
	if got, ok, err := b.lastStored(t.Context(), "s1"); got != int64(len(old))+1 || !ok || err != nil {
		t.Errorf("lastStored = %d, %v, %v", got, ok, err)
	}
}

func TestResumeLeavesOutWhatHadAgedOutAnyway(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{MaxAge: time.Hour}), newLogs()
	evs := src.append("s1", 60)
	for i := range evs[:50] {
		evs[i].Time = evs[i].Time.Add(-2 * time.Hour)
	}
	p := openPublisher(t, b, src)
	p.Resume("s1")
	closeIt(t, p.Close)
	if got := p.Stats().Published; got != 10 {
		t.Errorf("%d events published, want the 10 young ones", got)
	}
	for m, err := range b.Messages(t.Context(), "s1", 0) {
		if err != nil || m.Event.Seq != 51 {
			t.Errorf("first message %d, %v; want 51", m.Event.Seq, err)
		}
		break
	}
}

func TestServerRestartUnderLoadIsInvisible(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	p.Observe("s1", src.append("s1", 20))
	begun, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		var got []int64
		for m, err := range b.Messages(t.Context(), "s1", 0) {
			if err != nil {
				t.Errorf("reader: %v", err)
			}
			if got = append(got, m.Event.Seq); len(got) == 1 {
				close(begun)
			}
			if m.Event.Seq == 600 || err != nil {
				break
			}
		}
		if !slices.Equal(got, slices.Collect(sequences(600))) {
			t.Errorf("the reader got %d messages, out of order or incomplete", len(got))
		}
	}()
	<-begun
	for i := range 29 {
		p.Observe("s1", src.append("s1", 20))
		if i == 10 || i == 20 {
			if err := b.revive(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	closeIt(t, p.Close)
	<-read
	if got := stored(t, b); got != 600 {
		t.Errorf("the stream holds %d messages, want 600", got)
	}
}

func TestWriteErrorDelaysAndHeals(t *testing.T) {
	t.Parallel()
	dir, src := t.TempDir(), newLogs()
	b := openBus(t, Options{Dir: dir, AckTimeout: 400 * time.Millisecond, MaxBytes: 32 << 20})
	p := openPublisher(t, b, src)
	p.Observe("s1", src.append("s1", 10))
	expect(t, b, "s1", 10)

	// A file where the store wants its folder: new blocks cannot be created,
	// as on a full disk, and a JetStream store that failed once stays silent.
	msgs, err := filepath.Glob(filepath.Join(dir, "store", "jetstream", "*", "streams", Stream, "msgs"))
	if err != nil || len(msgs) != 1 {
		t.Fatalf("message folder: %v, %v", msgs, err)
	}
	if err := os.Rename(msgs[0], msgs[0]+".away"); err != nil {
		t.Skipf("the folder cannot be moved while it is open: %v", err)
	}
	if err := os.WriteFile(msgs[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	evs := src.append("s1", 300) // more than a block of the store
	for i := range evs {
		evs[i].Data = []byte(`"` + strings.Repeat("x", 32<<10) + `"`)
	}
	start := time.Now()
	p.Observe("s1", evs)
	if d := time.Since(start); d > 10*time.Second { // the bus heals only later
		t.Errorf("the caller waited %s for a broken bus", d)
	}
	until(t, "the write error", func() bool { return !b.Health().OK })
	if h := b.Health(); h.Err == nil || h.Since.IsZero() {
		t.Errorf("health: %+v", h)
	}
	if err := os.Remove(msgs[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(msgs[0]+".away", msgs[0]); err != nil {
		t.Fatal(err)
	}
	expect(t, b, "s1", 310)
	until(t, "health", func() bool { return b.Health().OK })
}

// The folder of the store is removed while the bus is open. Renewed, it has all that
// the logs have again, and is nobody else's.
func TestRemovedStoreIsRenewed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state", "bus")
	b, src := openBus(t, Options{Dir: dir}), newLogs()
	p := openPublisher(t, b, src)
	p.Observe("s1", src.append("s1", 20))
	expect(t, b, "s1", 20)
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	if err := b.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrStoreInUse) {
		t.Errorf("a second server: %v", err)
	}
	p.Observe("s1", src.append("s1", 5))
	p.Resume("s1")
	expect(t, b, "s1", 25)
}

func TestMissingStreamIsMadeAgain(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{AckTimeout: 200 * time.Millisecond}), newLogs()
	p := openPublisher(t, b, src)
	if err := b.js.DeleteStream(t.Context(), Stream); err != nil {
		t.Fatal(err)
	}
	p.Observe("s1", src.append("s1", 5))
	until(t, "published", func() bool { return p.Stats().Published == 5 })
	expect(t, b, "s1", 5)
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

func TestExternalCluster(t *testing.T) {
	t.Parallel()
	url := external(t)
	worker, gateway, src := openBus(t, Options{URL: url}), openBus(t, Options{URL: url}), newLogs()
	p := openPublisher(t, worker, src)
	p.Observe("s1", src.append("s1", 300))
	expect(t, gateway, "s1", 300)
}

func TestRefusedMessageDelaysOnlyItsSession(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{URL: external(t)}), newLogs()
	p := openPublisher(t, b, src)
	// The operator tightens the stream behind the publisher's back.
	cfg := streamConfig(b.opts)
	cfg.MaxMsgSize = 600
	if _, err := b.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	evs := src.append("wide", 2)
	evs[1].Data = []byte(`"` + strings.Repeat("x", 1000) + `"`)
	p.Observe("wide", evs)
	for _, id := range []string{"a", "b"} {
		p.Observe(id, src.append(id, 50))
	}
	expect(t, b, "a", 50)
	expect(t, b, "b", 50)
	expect(t, b, "wide", 1)
	until(t, "only the refused session lags", func() bool {
		s := p.Stats()
		return s.LagSessions == 1 && s.Retries > 0
	})
	cfg.MaxMsgSize = -1
	if _, err := b.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	expect(t, b, "wide", 2)
}

func TestStreamWithoutBatchesIsRefused(t *testing.T) {
	t.Parallel()
	url := external(t)
	b := openBus(t, Options{URL: url})
	cfg := streamConfig(b.opts)
	if err := b.js.DeleteStream(t.Context(), Stream); err != nil {
		t.Fatal(err)
	}
	cfg.AllowBatchPublish = false
	// The server removes the old stream's folder after it has answered.
	until(t, "the stream without batches", func() bool {
		_, err := b.js.CreateStream(t.Context(), cfg)
		return err == nil
	})
	if _, err := Open(t.Context(), Options{URL: url}); err == nil || !strings.Contains(err.Error(), "allow_batched") {
		t.Errorf("Open = %v", err)
	}
}

func TestMessagesLostByTheServerArePublishedAgain(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	for _, id := range []string{"a", "b"} {
		p.Observe(id, src.append(id, 20))
		expect(t, b, id, 20)
	}
	until(t, "confirmed", func() bool { return p.Stats().LagSessions == 0 })
	// A crash takes confirmed messages that were not yet on the disk.
	for seq := uint64(30); seq <= 40; seq++ {
		if err := b.stream.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "published again", func() bool { return p.Stats().Published == 51 })
	expect(t, b, "a", 20)
	expect(t, b, "b", 20)
}
