package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
)

var general = &session.Destination{Surface: "discord", ID: "7", Name: "Discord, #general"}

// publishing lists what may be sent to a channel.
func publishing(o *Options) {
	o.Publish = func(d session.Destination) []string {
		if d == *general {
			return []string{"out/**"}
		}
		return nil
	}
}

// A turn whose output leaves the machine asks before it sends a file, but for files that its
// destination lists. Elsewhere nothing is asked.
func TestPublish(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writing, r.withRequests, publishing)
	r.file("notes.md", "# Notes\n")
	must(t, os.Mkdir(filepath.Join(r.project, "out"), 0o700))
	r.file("out/plot.csv", "a,b\n")
	sends := func(path string) {
		r.provider.does(asks(model.ToolCall{ID: "s", Name: "attachment.add", Input: []byte(`{"path":"` + path + `"}`)}))
	}
	elsewhere := &session.Destination{Surface: "discord", ID: "8", Name: "Discord, #other"}
	for name, tt := range map[string]struct {
		path, mode string
		to         *session.Destination
		answer     permit.Verdict
		sent       int
	}{
		"on this machine":            {"notes.md", "direct", nil, "", 1},
		"allowed":                    {"notes.md", "acceptEdits", general, permit.VerdictAllow, 1},
		"denied":                     {"notes.md", "direct", general, permit.VerdictDeny, 0},
		"listed":                     {"out/plot.csv", "dontAsk", general, "", 1},
		"listed for another channel": {"out/plot.csv", "direct", elsewhere, permit.VerdictDeny, 0},
		"dontAsk":                    {"notes.md", "dontAsk", general, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			sends(tt.path)
			id := r.session()
			s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "send it", Destination: tt.to, Opts: Opts{Mode: tt.mode, OnQuestion: OnQuestionWait}})
			must(t, err)
			if tt.answer != "" {
				q := r.allow(id, tt.answer)
				if p := q.Effect.Publication; q.Effect.Kind != permit.Publish || q.Session || p == nil || p.Destination != tt.to.Name || p.Files[0].Path != tt.path || p.Files[0].Bytes == 0 {
					t.Errorf("the question is about %+v", q.Effect)
				}
			}
			events := r.drain(s)
			if n := strings.Count(names(events), string(event.AttachmentAdd)); n != tt.sent {
				t.Errorf("%d files were sent: %s", n, names(events))
			}
			// Readers get the bytes by the hash.
			for _, f := range r.sentIn(id) {
				file, it, err := r.engine.Blob(r.ctx(), id, f.SHA256)
				must(t, err)
				must(t, file.Close())
				if it.Name != f.Filename {
					t.Errorf("the file is %+v", it)
				}
			}
		})
	}
}

// A turn that goes on in another process still knows where its output goes.
func TestPublishAfterRestart(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writing, r.withRequests, publishing)
	r.file("notes.md", "# Notes\n")
	id := r.session()
	r.provider.does(asks(
		model.ToolCall{ID: "one", Name: "attachment.add", Input: []byte(`{"path":"notes.md"}`)},
		model.ToolCall{ID: "two", Name: "attachment.add", Input: []byte(`{"path":"notes.md"}`)},
	))
	first := r.engine
	first.Recovery.Stay()
	_, err := first.Start(r.ctx(), Request{SessionID: id, Message: "send it", Destination: general, Opts: Opts{OnQuestion: OnQuestionWait}})
	must(t, err)
	r.asked(id)
	must(t, first.Close(r.ctx()))
	r.open(writing, r.withRequests, publishing)
	must(t, r.engine.Recovery.Resume(r.ctx(), id))
	for _, call := range []string{"one", "two"} {
		eventually(t, "a question about "+call, func() bool { return r.asked(id).ToolCallID == call })
		if q := r.allow(id, permit.VerdictAllow); q.Effect.Kind != permit.Publish || q.Effect.Publication.Destination != general.Name {
			t.Errorf("the question about %s is %+v", call, q.Effect)
		}
	}
	eventually(t, "both files", func() bool { return len(r.sentInLog(id)) == 2 })
}
