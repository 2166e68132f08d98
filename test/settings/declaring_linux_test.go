package settings

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"
)

// declaring are the settings of what workflows attach.
var declaring = map[string]check{
	"attachments.max_download_size_bytes": {set: "1000", shows: `TOO_LARGE`, without: accepted, see: attach("file", "a.txt")},
	"attachments.download_timeout":        {set: "100ms", also: local, shows: `TIMED_OUT`, without: accepted, see: attach("url", "fetch: true, url: slow")},
	"attachments.max_redirects":           {set: "1", also: local, shows: `TOO_MANY_REDIRECTS`, without: accepted, see: attach("url", "fetch: true, url: to/to/page")},
	"attachments.temp_dir_quota_bytes":    {set: "1000", also: local, shows: `TOO_LARGE`, without: accepted, see: attach("url", "fetch: true, url: page")},
	"attachments.allowed_hosts":           {set: "[127.0.0.1]", shows: accepted, without: `ADDRESS_REFUSED`, see: attach("url", "fetch: true, url: page")},
	"attachments.ssrf_strict":             {set: "true", also: local, shows: `ADDRESS_REFUSED`, without: accepted, see: attach("url", "fetch: true, url: page")},
	"attachments.http_user_agent":         {set: "surveyor/2", also: local, shows: `agent surveyor/2`, without: `agent belay`, see: attach("url", "fetch: true, url: page")},
	"attachments.max_matches":             {set: "1", shows: `attachments.max_matches`, without: accepted, see: attach("file", "paths: ['*.txt']")},
	"attachments.task_bytes":              {set: "1000", shows: `OVER_BUDGET`, without: accepted, see: attach("file", "a.txt")},
	"attachments.text_part_max_bytes": {
		set: "500", shows: `^cut`, without: `^whole`,
		see: func(b *bench) string { return b.shown("file", "a.txt") },
	},
	"attachments.pdf_extract_max_chars": {
		set: "500", shows: `^cut`, without: `^whole`,
		see: func(b *bench) string { return b.shown("pdf", "a.pdf") },
	},
}

// typing are the types that attachments of workflows may have.
var typing = map[string]check{
	"attachments.allowed_mime_types.image": {set: "[image/jpeg]", shows: `TYPE_NOT_ALLOWED`, without: accepted, see: attach("image", "a.png")},
	"attachments.allowed_mime_types.audio": {set: "[audio/flac]", shows: `TYPE_NOT_ALLOWED`, without: accepted, see: attach("audio", "a.wav")},
	"attachments.allowed_mime_types.video": {set: "[video/webm]", shows: `TYPE_NOT_ALLOWED`, without: accepted, see: attach("video", "a.mp4")},
	"attachments.allowed_mime_types.pdf":   {set: "[application/postscript]", shows: `TYPE_NOT_ALLOWED`, without: accepted, see: attach("pdf", "a.pdf")},
	"attachments.allowed_mime_types.file":  {set: "[image/*]", shows: `TYPE_NOT_ALLOWED`, without: accepted, see: attach("file", "a.txt")},
	"attachments.allowed_mime_types.url":   {set: "[text/html]", also: local, shows: `TYPE_NOT_ALLOWED`, without: accepted, see: attach("url", "fetch: true, url: page")},
}

// accepted is seen where a run has what it declares.
const accepted = `exit code 0`

// local lets workflows attach from this machine.
var local = settings{"attachments.allowed_hosts": "[127.0.0.0/8]"}

// pages is a web server on this machine.
type pages struct {
	*httptest.Server
	agent     atomic.Value
	now, most atomic.Int32
}

// pages serves /page, /slow after two seconds, /to/X, which leads to /X, and /meet,
// which answers when so many ask for it.
func (b *bench) pages(together int) *pages {
	b.t.Helper()
	w := &pages{}
	w.agent.Store("")
	w.Server = httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, r *http.Request) {
		w.agent.Store(r.UserAgent())
		n := w.now.Add(1)
		defer w.now.Add(-1)
		for most := w.most.Load(); n > most && !w.most.CompareAndSwap(most, n); most = w.most.Load() {
		}
		to, redirected := strings.CutPrefix(r.URL.Path, "/to")
		switch {
		case redirected:
			http.Redirect(res, r, to, http.StatusFound)
			return
		case r.URL.Path == "/slow":
			select {
			case <-time.After(2 * time.Second):
			case <-r.Context().Done():
				panic(http.ErrAbortHandler) // an answer could still arrive
			}
		case strings.HasPrefix(r.URL.Path, "/meet/"):
			for w.most.Load() < int32(together) && r.Context().Err() == nil {
				time.Sleep(time.Millisecond)
			}
		}
		res.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(res, numbered(100))
	}))
	b.t.Cleanup(w.Close)
	return w
}

// attach runs a workflow with one attachment and returns what is said of it.
func attach(kind, what string) func(*bench) string {
	return func(b *bench) string {
		w := b.pages(1)
		out := b.runs(b.attachment(kind, what, w))
		return fmt.Sprintf("agent %s\n%s", w.agent.Load(), out)
	}
}

// attachment is the line of a workflow for an attachment, with the files there are.
func (b *bench) attachment(kind, what string, w *pages) string {
	b.t.Helper()
	b.file("a.txt", numbered(100))
	b.file("b.txt", "x")
	picture(b, "a.png", 10, 10)
	pdf, err := readFile(document(b, "a.pdf", numbered(100)))
	must(b.t, err)
	b.file("late.pdf", strings.Repeat("junk\n", 150)+pdf)
	b.file("a.wav", "RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00\x80\x80\x80\x80\x80\x80\x80\x80")
	b.file("a.mp4", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2")
	if !strings.Contains(what, ":") {
		what = "path: " + what
	}
	return fmt.Sprintf("- {type: %s, %s}", kind, strings.Replace(what, "url: ", "url: "+w.URL+"/", 1))
}

// runs is the output of a workflow whose only task has attachments, and its record.
func (b *bench) runs(attachments string, args ...string) string {
	b.t.Helper()
	b.file("flow.yaml", "id: flow\nagents: [{id: a, instructions: You answer.}]\ntasks:\n  - id: t\n    agent: a\n    prompt: go\n    attachments:\n      "+attachments+"\n")
	out := b.run(append([]string{"run", "flow.yaml"}, args...)...)
	return out + b.contents(".belay/runs/*/tasks/t.json")
}

// shown says whether a model gets all text of an attachment.
func (b *bench) shown(kind, what string) string {
	b.t.Helper()
	line := b.attachment(kind, what, b.pages(1))
	p := b.provider(0)
	out := b.runs(line)
	switch text := p.asked(); {
	case strings.Contains(text, "line 99"):
		return "whole"
	case strings.Contains(text, "line 3"):
		return "cut"
	default:
		return out + text
	}
}
