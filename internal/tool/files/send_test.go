package files

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (x *world) sending() *world {
	x.w.Limits.SendFileBytes, x.w.Limits.SendCallBytes = 1000, 1500
	var dot bytes.Buffer
	must(x.t, png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))))
	x.put("a.png", dot.String())
	x.put("out/b.md", "# B\n")
	x.put("data.bin", "\x00\x01\x02\x03")
	return x
}

// The files are sent in the order of the call, under the names and types that it says,
// and the result has none of their bytes.
func TestSend(t *testing.T) {
	t.Parallel()
	x := newWorld(t).sending()
	must(t, os.WriteFile(filepath.Join(x.w.Scratch, "c.csv"), []byte("a,b\n1,2\n"), 0o600))
	r := x.ok("attachment.add", in{
		"paths": []string{"out/b.md", "a.png", filepath.Join(x.w.Scratch, "c.csv"), "data.bin"}, "path": "no such file",
		"filenames": []string{"", "../plot\u202e.png"}, "mimeTypes": []string{"text/x-notes", "", "", "application/x-data"},
	})
	var said struct {
		OK          bool
		Attachments []struct {
			Filename, MIMEType string
			Bytes              int64
		}
	}
	must(t, json.Unmarshal([]byte(r.Text), &said))
	var got []string
	for i, it := range r.Sent {
		got = append(got, it.Name+" "+it.MIMEType)
		if a := said.Attachments[i]; a.Filename != it.Name || a.MIMEType != it.MIMEType || a.Bytes != it.Bytes {
			t.Errorf("the model gets %+v for %+v", a, it)
		}
		if _, err := x.blobs.Content(it.SHA256); err != nil {
			t.Errorf("%s is not stored: %v", it.Name, err)
		}
	}
	want := "b.md text/x-notes, plot\ufffd.png image/png, c.csv text/csv, data.bin application/x-data"
	if all := strings.Join(got, ", "); all != want || !said.OK {
		t.Errorf("sent %s\nwant %s", all, want)
	}
	if len(r.Items) > 0 {
		t.Errorf("the model was shown %v", r.Items)
	}
}

// What cannot be sent is refused, every file of a call with its reason, and nothing of
// the call is sent.
func TestSendRefuses(t *testing.T) {
	t.Parallel()
	x := newWorld(t).sending()
	x.put("large.txt", strings.Repeat("x", 1001))
	x.put("half.txt", strings.Repeat("x", 800))
	x.put("other.txt", strings.Repeat("y", 800))
	x.put(".belay/secret.txt", "no")
	must(t, os.Mkdir(filepath.Join(x.w.Project, "folder"), 0o755))
	x.link("/etc/hostname", "way-out.txt")
	for _, tt := range []struct {
		what  string
		input in
		words []string
	}{
		{"nothing", in{}, []string{"no file is named"}},
		{"several", in{"paths": []string{"a.png", "absent.txt", "large.txt", "folder"}}, []string{"absent.txt does not exist", "folder is a folder"}},
		{"too large", in{"paths": []string{"large.txt", "a.png"}}, []string{"1001 bytes", "tools.send_file_bytes"}},
		{"too much", in{"paths": []string{"half.txt", "other.txt"}}, []string{"more than 1500 bytes", "tools.send_call_bytes", "several calls"}},
		{"private", in{"path": ".belay/secret.txt"}, []string{"not open to agents"}},
		{"elsewhere", in{"path": "/etc/hostname"}, []string{"outside the project"}},
		{"by a link", in{"path": "way-out.txt"}, []string{"leads out of the project"}},
		{"another kind", in{"path": "out/b.md", "mimeType": "image/png"}, []string{"its bytes are text/markdown"}},
		{"a picture as text", in{"path": "a.png", "mimeType": "text/html"}, []string{"its bytes are image/png"}},
		{"a text as an archive", in{"path": "out/b.md", "mimeType": "application/zip"}, []string{"its bytes are text/markdown"}},
		{"no type", in{"path": "a.png", "mimeType": "picture"}, []string{"no MIME type"}},
		{"one name for two", in{"paths": []string{"a.png", "out/b.md"}, "filename": "x"}, []string{"filename is for a single file", "filenames"}},
		{"names for more", in{"path": "a.png", "filenames": []string{"x", "y"}}, []string{"2 entries for 1 paths"}},
		{"both", in{"path": "a.png", "mimeType": "image/png", "mimeTypes": []string{"image/png"}}, []string{"both given"}},
	} {
		r, err := x.call("attachment.add", tt.input)
		refused(t, tt.what, err, tt.words...)
		if len(r.Sent) > 0 {
			t.Errorf("%s: sent %v", tt.what, r.Sent)
		}
	}
}
