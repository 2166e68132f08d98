package files

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/permit"
	"belay/internal/session"
)

// What leaves the machine is shown before: names, sizes, types, the beginning of a text and the
// destination. The very bytes that were shown are sent.
func TestPublish(t *testing.T) {
	t.Parallel()
	x := newWorld(t).sending()
	x.put("long.txt", strings.Repeat("a line\n", 100))
	input := in{"paths": []string{"out/b.md", "a.png", "data.bin", "long.txt"}, "filenames": []string{"report.md"}}
	call, err := x.prepare("attachment.add", input)
	must(t, err)
	if e := call.Effect(); e.Kind != permit.Read || e.Publication != nil {
		t.Errorf("on this machine the effect is %+v", e)
	}

	x.w.Destination = &session.Destination{Surface: "test", ID: "7", Name: "Discord, #general"}
	call, err = x.prepare("attachment.add", input)
	must(t, err)
	e := call.Effect()
	for i := range e.Publication.Files {
		e.Publication.Files[i].SHA256 = ""
	}
	want := &permit.Publication{Destination: "Discord, #general", Files: []permit.Published{
		{Path: "out/b.md", Name: "report.md", MIMEType: "text/markdown", Bytes: 4, Preview: "# B"},
		{Path: "a.png", Name: "a.png", MIMEType: "image/png", Bytes: int64(len(x.get("a.png"))), Preview: "1 × 1 pixels"},
		{Path: "data.bin", Name: "data.bin", MIMEType: "application/octet-stream", Bytes: 4},
		{Path: "long.txt", Name: "long.txt", MIMEType: "text/plain", Bytes: 700, Preview: strings.Repeat("a line\n", previewLines-1) + "a line…"},
	}}
	if diff := cmp.Diff(want, e.Publication); diff != "" || e.Kind != permit.Publish {
		t.Errorf("the effect is %s (-want +got)\n%s", e.Kind, diff)
	}
	x.put("out/b.md", "# Changed\n")
	r, err := call.Run(context.Background())
	must(t, err)
	if r.Sent[0].SHA256 != digestOf("# B\n") || len(r.Sent) != 4 {
		t.Errorf("sent %+v", r.Sent)
	}
	_, err = x.prepare("attachment.add", in{"path": "absent.md"})
	refused(t, "a file that is not there", err, "absent.md")
}
