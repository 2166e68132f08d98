//go:build unix

package test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hidden are the unfinished uploads of the project.
func (p *place) hidden() []string {
	p.t.Helper()
	all, err := filepath.Glob(filepath.Join(p.project, ".belay", "uploads", ".*"))
	must(p.t, err)
	return all
}

// A server is killed while it receives an upload, in a project that has no session. The
// next one removes what it left as soon as it starts, with retention switched off, and
// what a deletion left that was killed.
//
// Covers: turn-api REQ-12
func TestLeftoversOfAKilledServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_BLOBS_RETENTION=0s", "BELAY_LOG_RETENTION=0s")
	s := p.serve()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /api/harness/attachments?projectRoot=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n"+
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\n\r\n", p.project, strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	_, err = io.WriteString(conn, strings.Repeat("half ", 1000))
	must(t, err)
	wait(p.t, "an upload begins", func() bool { return len(p.hidden()) == 1 })
	s.kill()
	if left := p.hidden(); len(left) != 1 {
		t.Fatalf("the killed server left %v", left)
	}
	deleted := filepath.Join(p.project, ".belay", "sessions", ".deleted-0123456789")
	must(t, os.MkdirAll(filepath.Join(deleted, "log"), 0o700))
	p.serve()
	wait(p.t, "what was left is gone", func() bool {
		_, err := os.Stat(deleted)
		return len(p.hidden()) == 0 && os.IsNotExist(err)
	})
}

// A refused upload leaves nothing in the project, and its error names the file as its sender
// does.
func TestRefusedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	for name, content := range map[string]string{"run.sh": "#!/bin/sh\n", "page.png": "<html>"} {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", name)
		must(t, err)
		_, err = part.Write([]byte(content))
		must(t, err)
		must(t, w.Close())
		details := s.fails(400, "ATTACHMENT_FAILURE", "POST", "/api/harness/attachments?projectRoot="+p.project, form.String(), "Content-Type", w.FormDataContentType())
		if text := jsonOf(details); strings.Contains(text, ".belay") || !strings.Contains(text, `"path":"`+name+`"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	left, err := os.ReadDir(filepath.Join(p.project, ".belay", "uploads"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
