package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment/block"
	"belay/internal/attachment/download"
	"belay/internal/attachment/links"
	"belay/internal/netguard"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/workspace"
)

// cdn is a server with files, a world that may download from it, and the links of both.
type cdn struct {
	*world
	url   string
	links *links.Store
	asked atomic.Int64
}

// files are what a server has by path: status, type and content, or a redirect.
type files map[string]struct {
	status     int
	mime, body string
}

func newCDN(t *testing.T, has files) *cdn {
	t.Helper()
	c := &cdn{world: newWorld(t)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.asked.Add(1)
		f, ok := has[r.URL.Path]
		switch {
		case !ok || r.URL.Query().Get("hm") == "old":
			http.Error(w, "This content is no longer available.", http.StatusNotFound)
		case f.status == http.StatusFound:
			http.Redirect(w, r, f.body, f.status)
		default:
			w.Header().Set("Content-Type", f.mime)
			_, _ = io.WriteString(w, f.body)
		}
	}))
	t.Cleanup(s.Close)
	c.url = s.URL
	host := strings.TrimPrefix(s.URL, "http://")
	d, err := download.New(download.Options{
		Dir: filepath.Join(t.TempDir(), "downloads"), ItemBytes: 1000, Settings: download.Settings{ItemBytes: "tools.receive_file_bytes", Hosts: "tools.receive_hosts"},
		Policy: netguard.Policy{AllowedHosts: []string{host}, AllowLoopback: true, AllowHTTPOnLoopback: true, MaxRedirects: 3},
	})
	must(t, err)
	c.links, err = links.Open(filepath.Join(t.TempDir(), "links"), time.Now)
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(d.Close(), c.links.Close())) })
	c.w.Limits.ReceiveFileBytes, c.w.Limits.ReceiveCallBytes = 1000, 1500
	for _, tl := range New(Options{Downloads: d, Links: c.links}) {
		c.tools[tl.Spec().Name] = tl
	}
	return c
}

// sent has a person send items.
func (c *cdn) sent(items ...block.Item) {
	c.t.Helper()
	kept, err := c.links.Keep(items)
	must(c.t, err)
	c.w.Received = func() []block.Item { return kept }
}

// receives calls the tool and decodes its result.
func (c *cdn) receives(input any) (all receivedAll) {
	c.t.Helper()
	r := c.ok(receiveName, input)
	must(c.t, json.Unmarshal([]byte(r.Text), &all))
	if strings.Contains(r.Text, "secret") {
		c.t.Errorf("the model reads a signature: %s", r.Text)
	}
	return all
}

func digestOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Each file gets the name of its content and the extension of its announced type, its name or
// its address. What cannot be had is said, and costs the others nothing.
func TestReceive(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 1001)
	c := newCDN(t, files{
		"/a/plan.bin": {mime: "application/pdf", body: "%PDF-1.4 plan"},
		"/a/notes":    {mime: "application/octet-stream", body: "notes"},
		"/a/data.CSV": {body: "a,b"},
		"/a/twice":    {mime: "application/octet-stream", body: "notes"},
		"/a/none":     {mime: "what is this", body: "none"},
		"/a/big":      {mime: "text/plain", body: big},
		"/a/to":       {status: http.StatusFound, body: "/a/data.CSV"},
		"/a/away":     {status: http.StatusFound, body: "http://127.0.0.1:1/x?hm=secret"},
		"/a/loop":     {status: http.StatusFound, body: "/a/loop?hm=secret"},
		"/a/empty":    {mime: "text/plain"},
	})
	stored, _, err := c.blobs.Put(context.Background(), strings.NewReader("an upload"), 100)
	must(t, err)
	link := func(path, name string) block.Item {
		return block.Item{URL: c.url + path + "?hm=secret", Filename: name}
	}
	c.sent(
		link("/a/plan.bin", "plan.docx"), link("/a/notes", "../notes.MD"), link("/a/data.CSV", "data"),
		link("/a/twice", "other.md"), link("/a/none", "..."), link("/a/big", "big.txt"), link("/a/to", ""),
		link("/a/away", ""), link("/a/loop", ""), link("/a/empty", ""), link("/a/gone", "gone.txt"),
		block.Item{SHA256: stored, Filename: "upload.txt", MIMEType: "text/plain"},
		block.Item{URL: "https://elsewhere.example/x?hm=secret"},
	)
	home := filepath.Join(c.w.Scratch, "home", "Downloads")
	at := func(body, ext string) string { return filepath.Join(home, digestOf(body)[:10]+ext) }
	got := func(path, body, ext, mime string) received {
		return received{Path: at(body, ext), SHA10: digestOf(body)[:10], Bytes: int64(len(body)), SourceURL: c.url + path, MIMEType: mime}
	}
	all := c.receives(in{})
	want := receivedAll{OK: true, DownloadDir: home, Files: []received{
		got("/a/plan.bin", "%PDF-1.4 plan", ".pdf", "application/pdf"),
		got("/a/notes", "notes", ".md", "application/octet-stream"),
		got("/a/data.CSV", "a,b", ".csv", ""),
		got("/a/twice", "notes", ".md", "application/octet-stream"),
		got("/a/none", "none", "", ""),
		{SourceURL: c.url + "/a/big", Error: "it has 1001 bytes; a download may have 1000 (tools.receive_file_bytes)"},
		got("/a/to", "a,b", ".csv", ""),
		{SourceURL: c.url + "/a/away", Error: `the port "1" is refused: the port is not allowed for this host (tools.receive_hosts)`},
		{SourceURL: c.url + "/a/loop", Error: "it redirects more than 3 times (attachments.max_redirects)"},
		{SourceURL: c.url + "/a/empty", Error: "the server sends nothing"},
		{SourceURL: c.url + "/a/gone", Error: "its address has expired (ask the person to send the file again)"},
		{Path: at("an upload", ".txt"), SHA10: digestOf("an upload")[:10], Bytes: 9, SourceURL: "upload:" + stored, MIMEType: "text/plain"},
		{SourceURL: "https://elsewhere.example/x", Error: `the host "elsewhere.example" is refused: the host is not allowed (tools.receive_hosts)`},
	}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// Every other tool opens the paths that it returns.
	if r := c.ok("read", in{"path": at("notes", ".md")}); !strings.Contains(r.Text, "notes") {
		t.Errorf("read gives %s", r.Text)
	}
	if left, err := filepath.Glob(filepath.Join(home, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// Without a message that has files there is nothing to do, and nobody is asked.
func TestReceiveNothing(t *testing.T) {
	t.Parallel()
	c := newCDN(t, nil)
	if all := c.receives(in{}); !all.OK || all.Files == nil || len(all.Files) > 0 {
		t.Errorf("got %+v", all)
	}
	call, err := c.prepare(receiveName, in{})
	must(t, err)
	if e := call.Effect(); e.Kind != permit.Read {
		t.Errorf("the effect is %+v", e)
	}
}

// A folder of the project is written through the journal: the change is on record, and so is
// its content. Files of other content stay.
func TestReceiveIntoProject(t *testing.T) {
	t.Parallel()
	c := newCDN(t, files{"/a": {mime: "text/csv", body: "a,b"}, "/b": {mime: "text/csv", body: "c,d"}, "/c": {mime: "text/csv", body: "e,f"}})
	c.sent(block.Item{URL: c.url + "/a"}, block.Item{URL: c.url + "/b"}, block.Item{URL: c.url + "/c"})
	same, other := "in/data/"+digestOf("a,b")[:10]+".csv", "in/data/"+digestOf("c,d")[:10]+".csv"
	long, fresh := "in/data/"+digestOf("c,d")+".csv", "in/data/"+digestOf("e,f")[:10]+".csv"
	c.put(same, "a,b")
	c.put(other, "cut of")
	all := c.receives(in{"downloadDir": "in/data"})
	var paths []string
	for _, f := range all.Files {
		paths = append(paths, f.Path+f.Error)
	}
	if diff := cmp.Diff([]string{same, long, fresh}, paths); diff != "" || all.DownloadDir != "in/data" {
		t.Errorf("into %s (-want +got)\n%s", all.DownloadDir, diff)
	}
	if c.get(other) != "cut of" || c.get(long) != "c,d" {
		t.Errorf("the files are %q and %q", c.get(other), c.get(long))
	}
	var noted []string
	for _, change := range c.w.Ledger.Take() {
		noted = append(noted, change.Path)
		if _, err := c.blobs.Content(change.After); err != nil {
			t.Errorf("%s is not kept: %v", change.Path, err)
		}
	}
	if diff := cmp.Diff([]string{long, fresh}, noted); diff != "" {
		t.Errorf("on record (-want +got)\n%s", diff)
	}
	call, err := c.prepare(receiveName, in{"downloadDir": "in/data"})
	must(t, err)
	if e := call.Effect(); e.Kind != permit.Write || len(e.Hosts) != 1 || e.Paths[0] != "in/data" {
		t.Errorf("the effect is %+v", e)
	}
}

// Where files may only be made, a folder that is there gets them as a new one does.
func TestReceiveIntoAScaffold(t *testing.T) {
	t.Parallel()
	c := newCDN(t, files{"/a": {mime: "text/csv", body: "a,b"}})
	c.w.Scope = workspace.NewScope(workspace.ScopeOptions{WriteScope: "workspace-scaffold-only", Project: c.w.Project})
	c.sent(block.Item{URL: c.url + "/a"})
	c.put("there/x", "x")
	for _, dir := range []string{"there", "new/folder"} {
		if all := c.receives(in{"downloadDir": dir}); !all.OK || c.get(all.Files[0].Path) != "a,b" {
			t.Errorf("%s: %+v", dir, all)
		}
	}
}

// A folder is in the project and its write scope, or in the HOME of commands. Nothing is
// asked for before that is checked.
func TestReceiveDir(t *testing.T) {
	t.Parallel()
	c := newCDN(t, files{"/a": {mime: "application/yaml", body: "on: push"}})
	c.sent(block.Item{URL: c.url + "/a", Filename: "a.yml"})
	c.put("file", "x")
	c.link(t.TempDir(), "away")
	for dir, words := range map[string]string{
		"/etc": "outside the project", "../up": "outside the project", "away/x": "leads out",
		c.w.Scratch + "/tmp": "neither in the project nor below ~", "~/../tmp": "neither in the project nor below ~",
		"file": "is a file, not a folder", ".belay/x": "not open to agents", "~other": "",
	} {
		_, err := c.call(receiveName, in{"downloadDir": dir})
		if words == "" {
			must(t, err) // a folder of the project with a strange name
			continue
		}
		refused(t, dir, err, words)
	}
	asked := c.asked.Load()
	if asked != 1 {
		t.Errorf("the server was asked %d times", asked)
	}
	// What would run by itself is not written, whoever allows the call.
	all := c.receives(in{"downloadDir": ".github/workflows"})
	if all.OK || !strings.Contains(all.Files[0].Error, "would run by itself") {
		t.Errorf("got %+v", all)
	}
}

// All files of a call have a limit together.
func TestReceiveCallLimit(t *testing.T) {
	t.Parallel()
	has := files{}
	c := newCDN(t, has)
	var items []block.Item
	for i := range 3 {
		path := fmt.Sprint("/", i)
		has[path] = struct {
			status     int
			mime, body string
		}{mime: "text/plain", body: strings.Repeat(fmt.Sprint(i), 700)}
		items = append(items, block.Item{URL: c.url + path})
	}
	c.sent(items...)
	all := c.receives(in{})
	if all.Files[1].Error != "" || !strings.Contains(all.Files[2].Error, "tools.receive_call_bytes") {
		t.Errorf("got %+v", all.Files)
	}
}

// renewer is a surface that gives new addresses.
type renewer map[string]string

func (r renewer) Renew(_ context.Context, id string) (string, error) {
	if address := r[id]; address != "" {
		return address, nil
	}
	return "", &links.GoneError{Reason: "the message was deleted"}
}

// An expired address is renewed by the surface that the file came through, once.
func TestReceiveExpired(t *testing.T) {
	t.Parallel()
	c := newCDN(t, files{"/a": {mime: "text/plain", body: "fresh"}, "/b": {mime: "text/plain", body: "stale"}})
	c.links.Provide("test:", renewer{"test:a": c.url + "/a?hm=secret2", "test:b": c.url + "/b?hm=old"})
	c.sent(
		block.Item{ID: "test:a", URL: c.url + "/a?hm=old"}, block.Item{ID: "test:b", URL: c.url + "/b?hm=old"},
		block.Item{ID: "test:c", URL: c.url + "/c?hm=old"}, block.Item{ID: "other:d", URL: c.url + "/d?hm=old"},
	)
	var got []string
	for _, f := range c.receives(in{}).Files {
		got = append(got, f.SHA10+f.Error)
	}
	want := []string{
		digestOf("fresh")[:10], "the server answers 404 Not Found",
		"the message was deleted (ask the person to send the file again)", "its address has expired (ask the person to send the file again)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if asked := c.asked.Load(); asked != 6 {
		t.Errorf("the server was asked %d times", asked)
	}
	// The new address is kept.
	_ = c.receives(in{})
	if asked := c.asked.Load(); asked != 6+5 {
		t.Errorf("the server was asked %d times", asked)
	}
}

// A large file goes to disk as it comes.
func TestReceiveMemory(t *testing.T) {
	const size = 20 << 20
	c := newCDN(t, files{"/big": {mime: "text/plain", body: strings.Repeat("0123456789abcdef", size/16)}})
	d, err := download.New(download.Options{
		Dir: filepath.Join(t.TempDir(), "downloads"), ItemBytes: size,
		Policy: netguard.Policy{AllowedHosts: []string{strings.TrimPrefix(c.url, "http://")}, AllowLoopback: true, AllowHTTPOnLoopback: true},
	})
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	c.tools[receiveName] = receive{d, c.links}
	c.w.Limits.ReceiveFileBytes, c.w.Limits.ReceiveCallBytes = size, size
	c.sent(block.Item{URL: c.url + "/big"})
	for _, dir := range []string{"~/Downloads", "in"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		all := c.receives(in{"downloadDir": dir})
		runtime.ReadMemStats(&after)
		if !all.OK {
			t.Fatalf("%s: %+v", dir, all)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
			t.Errorf("%s: %d bytes were allocated for a file of %d", dir, used, size)
		}
	}
}

// The end of a turn is no excuse of a file.
func TestReceiveCancelled(t *testing.T) {
	t.Parallel()
	c := newCDN(t, files{"/a": {body: "x"}})
	c.sent(block.Item{URL: c.url + "/a"})
	call, err := c.prepare(receiveName, in{})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := call.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, ok := tool.AsRefusal(err); ok || c.asked.Load() > 0 {
		t.Error("the call went on")
	}
	if _, err := os.Stat(filepath.Join(c.w.Scratch, "home")); !os.IsNotExist(err) {
		t.Error("a folder was made")
	}
}
