package download

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/attachment"
	"belay/internal/netguard"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http tells of servers that misbehave, as they do here
	goleak.VerifyTestMain(m)
}

// local is the policy of attachments with this machine as an internal host.
var local = netguard.Policy{AllowHTTP: true, AnyPort: true, MaxRedirects: 3, Internal: []string{"127.0.0.0/8"}}

// downloads returns Downloads for tests that close themselves and leave nothing.
func downloads(t testing.TB, o Options) *Downloads {
	t.Helper()
	o.Dir = filepath.Join(t.TempDir(), "downloads")
	if o.Policy.MaxRedirects == 0 && o.Policy.Internal == nil {
		o.Policy = local
	}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if left := files(t, o.Dir); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return d
}

// files lists what is below a folder.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir {
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// inFlight lists the files that a Downloads holds.
func (d *Downloads) inFlight(t testing.TB) []string {
	t.Helper()
	if d.folder.dir == "" {
		return nil
	}
	return files(t, d.folder.dir)
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// code is that of a refusal, or "".
func code(err error) attachment.Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// raw serves connections with bytes as they are.
func raw(t testing.TB, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096)) // the request
				_, _ = io.WriteString(conn, answer)
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return "http://" + l.Addr().String()
}

func packed(t testing.TB, n int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.CopyN(z, zeros{}, n); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Covers: attachments 10.3
func TestFetch(t *testing.T) {
	t.Parallel()
	var asked http.Header
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header
		fmt.Fprint(w, "a plan")
	})
	d := downloads(t, Options{UserAgent: "belay/test"})
	f, err := d.Fetch(t.Context(), strings.Replace(url, "http://", "http://me:secret-word@", 1)+"/docs/plan%20b.txt?token=topsecret#part")
	if err != nil {
		t.Fatal(err)
	}
	if f.Bytes != 6 || f.URL != url+"/docs/plan%20b.txt?…" {
		t.Errorf("got %+v", f)
	}
	for range 2 { // as often as needed
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if string(data) != "a plan" || err != nil {
			t.Errorf("read %q, %v", data, err)
		}
		if info, err := r.Stat(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read it: %v, %v", info.Mode(), err)
		}
		r.Close()
	}
	if asked.Get("User-Agent") != "belay/test" || asked.Get("Accept-Encoding") != "identity" || asked.Get("Authorization") == "" {
		t.Errorf("asked with %v", asked)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if left := d.inFlight(t); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// What is small stays in memory, and all else is on disk until it is closed; who
// reads it sees no difference.
//
// Covers: attachments 10.1
func TestWhereBytesAre(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		for i := range n {
			_, _ = w.Write([]byte{byte(i), byte(i >> 8)}[i%2 : i%2+1])
		}
	})
	d := downloads(t, Options{})
	for n, onDisk := range map[int]int{1: 0, bufferBytes - 1: 0, bufferBytes + 1: 1, 3*bufferBytes + 7: 1} {
		f, err := d.Fetch(t.Context(), fmt.Sprintf("%s/%d", url, n))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(d.inFlight(t)); got != onDisk || f.Bytes != int64(n) {
			t.Errorf("%d bytes: %d files on disk, want %d; Bytes is %d", n, got, onDisk, f.Bytes)
		}
		for range 2 {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			right := len(data) == n
			for i, b := range data {
				right = right && b == byte(i>>(i%2*8))
			}
			info, e := r.Stat()
			if err := errors.Join(err, e); err != nil || !right || info.Size() != int64(n) || !info.Mode().IsRegular() {
				t.Errorf("%d bytes: %d came, as sent: %v; %v, %v", n, len(data), right, info, err)
			}
			r.Close()
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if left := d.inFlight(t); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// What bad input gets: each a clear error with a code, and nothing left.
//
// Covers: attachments 6.1, attachments 10.1, attachments 10.2, attachments 10.3
func TestRefusals(t *testing.T) {
	t.Parallel()
	bomb, broken := packed(t, 5000), packed(t, 500)
	broken[len(broken)-6] ^= 0xff
	mux := http.NewServeMux()
	handle := func(path string, h http.HandlerFunc) { mux.HandleFunc(path, h) }
	handle("/exact", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 1000)) })
	handle("/large", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 1001)) })
	handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 512)); err != nil {
				return
			}
		}
	})
	handle("/announced", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000000000")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done() // not a byte follows
	})
	handle("/stall", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	handle("/drip", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			fmt.Fprint(w, "x")
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	handle("/empty", func(http.ResponseWriter, *http.Request) {})
	handle("/missing", http.NotFound)
	handle("/part", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusPartialContent)
		fmt.Fprint(w, "x")
	})
	packedAs := func(encoding string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			_, _ = w.Write(body)
		}
	}
	handle("/gzip", packedAs("gzip", packed(t, 900)))
	handle("/bomb", packedAs("gzip", bomb))
	handle("/broken", packedAs("gzip", broken))
	handle("/cut", packedAs("gzip", bomb[:len(bomb)/2]))
	handle("/not-gzip", packedAs("gzip", []byte("plain")))
	handle("/brotli", packedAs("br", []byte("x")))
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for i := range 5 {
		handle(fmt.Sprintf("/hop%d", i+1), redirect(fmt.Sprintf("/hop%d", i)))
	}
	handle("/hop0", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	handle("/loop", redirect("/loop"))
	handle("/metadata", redirect("http://169.254.169.254/latest/meta-data/"))
	handle("/file", redirect("file:///etc/passwd"))
	handle("/private", redirect("http://10.0.0.1/"))
	handle("/user", redirect("http://me:pw@127.0.0.1/"))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)

	hasty, d := downloads(t, Options{ItemBytes: 1000, Timeout: 300 * time.Millisecond}), downloads(t, Options{ItemBytes: 1000})
	tests := []struct {
		address string
		want    attachment.Code
		says    string
	}{
		{srv.URL + "/exact", "", ""},
		{srv.URL + "/gzip", "", ""},
		{srv.URL + "/hop3", "", ""},
		{srv.URL + "/hop4", TooManyRedirects, "it redirects more than 3 times (attachments.max_redirects)"},
		{srv.URL + "/loop", TooManyRedirects, ""},
		{srv.URL + "/large", attachment.TooLarge, "it has 1001 bytes; a download may have 1000 (attachments.max_download_size_bytes)"},
		{srv.URL + "/announced", attachment.TooLarge, "1000000000000 bytes"},
		{srv.URL + "/endless", attachment.TooLarge, "it has more than 1000 bytes; a download may have 1000"},
		{srv.URL + "/stall", TimedOut, "within 300 ms (attachments.download_timeout)"},
		{srv.URL + "/drip", TimedOut, ""},
		{srv.URL + "/empty", Empty, ""},
		{srv.URL + "/missing", BadStatus, "404 Not Found"},
		{srv.URL + "/part", BadStatus, "206"},
		{srv.URL + "/bomb", attachment.TooLarge, ""},
		{srv.URL + "/broken", BadEncoding, ""},
		{srv.URL + "/cut", BadLength, ""},
		{srv.URL + "/not-gzip", BadEncoding, ""},
		{srv.URL + "/brotli", BadEncoding, `"br"`},
		{srv.URL + "/metadata", AddressRefused, "169.254.169.254"},
		{srv.URL + "/file", AddressRefused, "file"},
		{srv.URL + "/private", AddressRefused, "attachments.allowed_hosts"},
		{srv.URL + "/user", AddressRefused, ""},
		{raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), BadLength, "before the length"},
		{raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlonger than that"), "", ""}, // the announced part,
		{raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), BadLength, ""},
		{raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), Unreachable, ""},
		{raw(t, "no HTTP at all\r\n"), Unreachable, ""},
		{raw(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 300<<10)), Unreachable, ""},
		{raw(t, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), BadStatus, ""},
		{"ftp://example.com/x", BadAddress, ""},
		{"https:///x", BadAddress, ""},
		{"https://x/" + strings.Repeat("y", maxURL), BadAddress, ""},
		{"http://10.0.0.1/", AddressRefused, ""},
	}
	for _, tt := range tests {
		name := strings.TrimPrefix(tt.address, srv.URL)
		by := d
		if tt.want == TimedOut {
			by = hasty
		}
		f, err := by.Fetch(t.Context(), tt.address)
		if code(err) != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%.60s: %v, want %s", name, err, tt.want)
		}
		if err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%.60s: %v, want %q in it", name, err, tt.says)
		}
		if f != nil {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if left := append(d.inFlight(t), hasty.inFlight(t)...); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Covers: attachments 10.3
func TestNoRedirects(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	policy := local
	policy.MaxRedirects = 0
	if _, err := downloads(t, Options{Policy: policy}).Fetch(t.Context(), url); code(err) != TooManyRedirects {
		t.Errorf("got %v", err)
	}
}

// No secret of an address is in an error, nor goes to another host.
//
// Covers: attachments 10.5
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("another host is told %v", r.Header)
		}
		fmt.Fprint(w, "x")
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/across":
			http.Redirect(w, r, other, http.StatusFound)
		case "/echo":
			http.Redirect(w, r, "http://10.0.0.1%zz/"+r.URL.RawQuery, http.StatusFound)
		default:
			w.Header().Set("Content-Encoding", r.URL.Query().Get("sig"))
			fmt.Fprint(w, "x")
		}
	})
	d := downloads(t, Options{})
	with := strings.Replace(url, "http://", "http://alexandra:hunter-two@", 1)
	f, err := d.Fetch(t.Context(), with+"/across?sig=c2lnbmF0dXJl")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"/echo", "/encoding"} {
		_, err := d.Fetch(t.Context(), with+path+"?sig=c2lnbmF0dXJl&x=%22quoted%22")
		if err == nil {
			t.Fatalf("%s was fetched", path)
		}
		for _, secret := range []string{"alexandra", "hunter-two", "c2lnbmF0dXJl", "quoted"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v tells %s", path, err, secret)
			}
		}
	}
}

func TestParallelIsBounded(t *testing.T) {
	t.Parallel()
	var now atomic.Int32
	var once sync.Once
	three := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch n := now.Add(1); {
		case n > 3:
			t.Errorf("%d downloads at one time, want 3", n)
		case n == 3:
			once.Do(func() { close(three) })
		}
		defer now.Add(-1) // before the answer's end can be seen
		select {
		case <-three:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "x")
	})
	d := downloads(t, Options{Parallel: 3})
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			f, err := d.Fetch(context.Background(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Files that nobody closed take the room of others, which wait.
//
// Covers: attachments 10.1
func TestQuota(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.Repeat("x", len(r.URL.Path)*10)) })
	d := downloads(t, Options{ItemBytes: 100, TempBytes: 150})
	first, err := d.Fetch(t.Context(), url+"/123456") // 70 bytes, so 80 are left
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.Fetch(waiting, url+"/1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("there is room for 80 bytes, and one that may have 100 got: %v", err)
	}
	done := make(chan error)
	go func() {
		second, err := d.Fetch(context.Background(), url+"/12345678")
		if err == nil {
			err = second.Close()
		}
		done <- err
	}()
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	small := downloads(t, Options{ItemBytes: 100, TempBytes: 50})
	if _, err := small.Fetch(t.Context(), url+"/123456"); code(err) != attachment.TooLarge || !strings.Contains(err.Error(), "attachments.temp_dir_quota_bytes") {
		t.Errorf("more than the whole quota: %v", err)
	}
}

// Covers: attachments 10.2, attachments 6.1
func TestCancelledDownloadsLeaveNothing(t *testing.T) {
	t.Parallel()
	started := make(chan struct{}, 100)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", bufferBytes+1)) // enough for a file
		w.(http.Flusher).Flush()
		started <- struct{}{}
		<-r.Context().Done()
	})
	d := downloads(t, Options{Parallel: 20})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the turn was interrupted")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := d.Fetch(ctx, url); !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
		})
	}
	for range 20 {
		<-started
	}
	cancel(why)
	wg.Wait()
	if left := d.inFlight(t); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A folder whose process is gone is removed at the start of the next; that of one
// which lives stays.
//
// Covers: attachments 6.1
func TestSweep(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", bufferBytes+1)) })
	dir := filepath.Join(t.TempDir(), "downloads")
	open := func() *Downloads {
		d, err := New(Options{Dir: dir, Policy: local})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	crashed, alive := open(), open()
	for _, d := range []*Downloads{crashed, alive} {
		if _, err := d.Fetch(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	if err := crashed.folder.lock.Unlock(); err != nil { // as the system does for a process that ends
		t.Fatal(err)
	}
	if got := len(files(t, dir)); got != 6 {
		t.Fatalf("%d entries before, want 6", got)
	}
	next := open()
	if err := next.Sweep(); err != nil {
		t.Error(err)
	}
	left := files(t, dir)
	if len(left) != 3 || !strings.HasPrefix(left[0], alive.folder.dir) {
		t.Errorf("left are %q, want those of %s", left, alive.folder.dir)
	}
	crashed.folder.dir = "" // it is gone
	if err := errors.Join(alive.Close(), next.Close(), crashed.Close()); err != nil {
		t.Error(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	d := downloads(t, Options{})
	for address, want := range map[string]attachment.Code{
		"http://127.0.0.1:1/x.png?sig=1": "", "http://10.0.0.1/x": AddressRefused, "file:///x": BadAddress, "http://u:p@127.0.0.1/": AddressRefused,
	} {
		if err := d.Check(t.Context(), address); code(err) != want || (err == nil) != (want == "") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://h.test/a/plan%20b.txt?x=/y": "plan b.txt", "https://h.test": "h.test", "https://h.test/a/": "a", "https://h.test/%2e%2e%2fetc": "etc",
		"https://h.test/a%0Ab.txt": "a␊b.txt", "https://h.test/%zz": "unnamed",
	} {
		if got := NameOf(in); got != want {
			t.Errorf("NameOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://me:pw@h.test:8/p?q=1#f": "https://h.test:8/p?…",
		"https://h.test":                 "https://h.test",
		"://":                            "an address that cannot be read",
		"https://h.test/%zz?secret":      "an address that cannot be read",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// A lower limit of a caller counts, and errors name its setting. What the server says of the
// type is passed on, and so is the status of an answer that is none.
func TestUpTo(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ten bytes!")
	})
	d := downloads(t, Options{ItemBytes: 20, Settings: Settings{ItemBytes: "file_bytes"}})
	f, err := d.UpTo(30, "call_bytes").Fetch(context.Background(), url)
	if err != nil || f.MIMEType != "text/plain" {
		t.Fatalf("got %+v, %v", f, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	_, err = d.UpTo(9, "call_bytes").Fetch(context.Background(), url)
	if code(err) != attachment.TooLarge || !strings.Contains(err.Error(), "(call_bytes)") {
		t.Errorf("over the lower limit: %v", err)
	}
	_, err = d.Fetch(context.Background(), url+"/gone")
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusGone {
		t.Errorf("an answer that is none: %v", err)
	}
}

// A timeout of the connection is not called the one of the download, which is longer.
func TestTimeoutsOfAConnection(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer srv.Close()
	policy := local
	policy.HeaderTimeout = 20 * time.Millisecond
	_, err := downloads(t, Options{Policy: policy, Timeout: time.Hour}).Fetch(t.Context(), srv.URL)
	if code(err) != TimedOut || strings.Contains(err.Error(), "attachments.download_timeout") {
		t.Error(err)
	}
}
