package turn

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/attachment"
	"belay/internal/fault"
)

// Covers: attachment-resolver REQ-01, REQ-02, REQ-09, REQ-11; turn-api REQ-08
func TestUploadThenTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.ConfineAttachments = true })
	id := r.session()
	for _, u := range []Upload{{SessionID: id}, {ProjectRoot: r.project}} {
		u.Name, u.Content = "../../evil/notes.txt", strings.NewReader("some words")
		up, err := r.engine.Upload(r.ctx(), u)
		must(t, err)
		if up.MIMEType != "text/plain" || up.Bytes != 10 || up.Name != "notes.txt" || !strings.HasPrefix(up.Path, r.project) {
			t.Errorf("upload %+v", up)
		}
		r.say(id, "", func(q *Request) { q.Attachments = []string{up.Path} })
		m, err := r.engine.Manifest(r.ctx(), id, "")
		must(t, err)
		if len(m.Attachments) != 1 || m.Attachments[0].SHA256 != up.SHA256 || m.PromptMode != "blocks" {
			t.Errorf("manifest %+v", m)
		}
		blob, it, err := r.engine.Blob(r.ctx(), id, up.SHA256)
		must(t, err)
		content, err := io.ReadAll(blob)
		must(t, err)
		must(t, blob.Close())
		if string(content) != "some words" || it.MIMEType != "text/plain" {
			t.Errorf("blob %q of %+v", content, it)
		}
	}
	if _, _, err := r.engine.Blob(r.ctx(), r.session(), "0000"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a blob of no turn: %v", err)
	}
	if _, err := r.engine.Manifest(r.ctx(), id, "nobody's"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a manifest of no turn: %v", err)
	}
}

// A blob belongs to the sessions that refer to it.
func TestBlobOfAnotherSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mine, theirs := r.session(), r.session()
	file := r.file("notes.txt", "secret")
	r.say(mine, "see", func(q *Request) { q.Attachments = []string{file} })
	m, err := r.engine.Manifest(r.ctx(), mine, "")
	must(t, err)
	if _, _, err := r.engine.Blob(r.ctx(), theirs, m.Attachments[0].SHA256); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

// A project's own limits hold although the server's are wider.
func TestProjectTightensMessagesAndUploads(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		tight := o.Rules
		tight.UploadBytes, tight.Limits.MessageBytes = 10, 10
		o.RulesFor = func(string) (Rules, error) { return tight, nil }
	})
	up := Upload{ProjectRoot: r.project, Name: "a.txt", Content: strings.NewReader("eleven byte")}
	if _, err := r.engine.Upload(r.ctx(), up); !fault.Is(err, fault.RequestTooLarge) {
		t.Errorf("upload: %v", err)
	}
	_, err := r.engine.Start(r.ctx(), Request{SessionID: r.session(), Message: "eleven byte"})
	if !fault.Is(err, fault.RequestTooLarge) || !strings.Contains(err.Error(), "the limit is 10") || fault.From(err).Details["limit"] != int64(10) {
		t.Errorf("message: %v", err)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.UploadBytes = 100 })
	tests := []struct {
		name, content string
		want          fault.Type
	}{
		{"big.txt", strings.Repeat("x", 101), fault.RequestTooLarge},
		{"run.sh", "#!/bin/sh\n", fault.AttachmentFailure},
		{"page.png", "<html>", fault.AttachmentFailure},
	}
	for _, tt := range tests {
		_, err := r.engine.Upload(r.ctx(), Upload{ProjectRoot: r.project, Name: tt.name, Content: strings.NewReader(tt.content)})
		if !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	left, err := filepath.Glob(filepath.Join(r.project, ".belay", "uploads", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A dry run says what a turn would do, and leaves nothing.
//
// Covers: attachment-resolver REQ-07, REQ-12
func TestInspect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	paths := []string{r.file("a.txt", "words"), filepath.Join(r.project, "gone.txt"), r.file("b.csv", "a,b\n"), "relative.md"}
	got, err := r.engine.Inspect(r.ctx(), InspectRequest{Attachments: paths, SessionID: r.session()})
	must(t, err)
	want := []attachment.Code{"", "NOT_FOUND", "", "NOT_ABSOLUTE"}
	for i, v := range got {
		if v.Path != paths[i] || v.OK != (want[i] == "") || v.Code != want[i] || v.OK != (v.Used != "") || v.OK == (v.Reason != "") {
			t.Errorf("verdict %d: %+v", i, v)
		}
	}
	if got[0].Base64Bytes != 8 || got[0].Tokens == 0 || got[0].MIMEType != "text/plain" {
		t.Errorf("figures %+v", got[0])
	}
	if left, err := os.ReadDir(r.options.ScratchDir); err != nil || len(scratch(left)) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func scratch(all []os.DirEntry) (names []string) {
	for _, e := range all {
		if strings.HasPrefix(e.Name(), "inspect-") {
			names = append(names, e.Name())
		}
	}
	return names
}

// Where files are confined to the project, a dry run is as well: it must not
// tell what is elsewhere, with a session or without.
//
// Covers: attachment-resolver REQ-13
func TestInspectIsConfined(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.ConfineAttachments = true })
	inside, outside := r.file("in.txt", "words"), filepath.Join(t.TempDir(), "out.txt")
	must(t, os.WriteFile(outside, []byte("secret"), 0o600))
	for _, id := range []string{r.session(), ""} {
		got, err := r.engine.Inspect(r.ctx(), InspectRequest{Attachments: []string{inside, outside}, SessionID: id})
		must(t, err)
		if got[0].OK != (id != "") || got[1].OK || got[1].Code != attachment.OutsideRoots || got[1].SHA256 != "" {
			t.Errorf("session %q: %+v", id, got)
		}
	}
	// Before there is a session, its project counts.
	got, err := r.engine.Inspect(r.ctx(), InspectRequest{Attachments: []string{inside, outside}, ProjectRoot: r.project})
	must(t, err)
	if !got[0].OK || got[1].Code != attachment.OutsideRoots {
		t.Errorf("of the project: %+v", got)
	}
	if _, err := r.engine.Inspect(r.ctx(), InspectRequest{ProjectRoot: filepath.Join(r.project, "none")}); !fault.Is(err, fault.WorkingRootInaccessible) {
		t.Errorf("of a project that is not there: %v", err)
	}
}

// A panic over a file refuses the turn, and leaves nothing held.
func TestPanicBeforeTheTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.RulesFor = func(string) (Rules, error) { panic("boom") }
	})
	id := r.session()
	for range 2 {
		_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "hi"})
		if f := fault.From(err); f == nil || f.Type != fault.SDKFailure || f.Details["category"] != "PANIC" {
			t.Errorf("got %v", err)
		}
	}
	if n := r.engine.Counts().Running; n != 0 {
		t.Errorf("%d turns run", n)
	}
	must(t, r.engine.Close(context.Background()))
}

// Covers: turn-api REQ-02
func TestSessions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rec, err := r.engine.Create(r.ctx(), CreateRequest{ProjectRoot: r.project, Persona: "  ", Mode: "PORTAL"})
	must(t, err)
	if rec.Persona != DefaultPersona || rec.Mode != "PORTAL" {
		t.Errorf("record %+v", rec)
	}
	list, err := r.engine.List(r.ctx(), r.project+"/.")
	must(t, err)
	if len(list) != 1 || list[0].SessionID != rec.SessionID {
		t.Errorf("list %+v", list)
	}
	for _, bad := range []CreateRequest{{ProjectRoot: "relative"}, {ProjectRoot: r.project, Persona: "a\nb"}, {ProjectRoot: r.project, Mode: strings.Repeat("m", 201)}} {
		if _, err := r.engine.Create(r.ctx(), bad); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := r.engine.List(r.ctx(), filepath.Join(r.project, "none")); !fault.Is(err, fault.WorkingRootInaccessible) {
		t.Errorf("list of a missing folder: %v", err)
	}
	must(t, r.engine.Delete(r.ctx(), rec.SessionID))
	for what, err := range map[string]error{
		"get":        second(r.engine.Get(r.ctx(), rec.SessionID)),
		"delete":     r.engine.Delete(r.ctx(), rec.SessionID),
		"transcript": second(r.engine.Transcript(r.ctx(), rec.SessionID)),
	} {
		if !fault.Is(err, fault.SessionNotFound) {
			t.Errorf("%s of a deleted session: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
