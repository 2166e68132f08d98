package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/config"
	"belay/internal/session"
)

// workflowFiles is a folder and a server with what workflows attach.
type workflowFiles struct {
	dir, url string
	// agent is the User-Agent of the last request, most how many there were at one
	// time.
	agent atomic.Value
	most  atomic.Int32
}

// meet notes how many there are at this time.
func (f *workflowFiles) meet(n int32) {
	for most := f.most.Load(); n > most && !f.most.CompareAndSwap(most, n); {
		most = f.most.Load()
	}
}

func newWorkflowFiles(t *testing.T) *workflowFiles {
	t.Helper()
	f := &workflowFiles{dir: t.TempDir()}
	var pic bytes.Buffer
	if err := png.Encode(&pic, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	doc := fpdf.New("P", "mm", "A4", "")
	doc.SetFont("Helvetica", "", 12)
	doc.AddPage()
	doc.MultiCell(0, 6, strings.Repeat("many words ", 100), "", "L", false)
	var pdf bytes.Buffer
	if err := doc.Output(&pdf); err != nil {
		t.Fatal(err)
	}
	wav := "RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00\x80\x80\x80\x80\x80\x80\x80\x80"
	mp4 := "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2"
	for name, data := range map[string]string{
		"a.png": pic.String(), "a.pdf": pdf.String(), "late.pdf": strings.Repeat("junk\n", 150) + pdf.String(), "a.wav": wav, "a.mp4": mp4,
		"a.txt": strings.Repeat("line of text\n", 100), "b.txt": "b",
	} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := http.FileServer(http.Dir(f.dir))
	var now atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.agent.Store(r.UserAgent())
		f.meet(now.Add(1))
		defer now.Add(-1)
		if to, ok := strings.CutPrefix(r.URL.Path, "/to"); ok {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if n, ok := strings.CutPrefix(r.URL.Path, "/meet/"); ok { // answered when there are so many
			for most, _ := strconv.Atoi(n); f.most.Load() < int32(most) && r.Context().Err() == nil; {
				time.Sleep(time.Millisecond)
			}
			fmt.Fprint(w, "x")
			return
		}
		if strings.HasPrefix(r.URL.Path, "/slow/") {
			select {
			case <-r.Context().Done():
			case <-time.After(150 * time.Millisecond):
			}
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/slow")
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

// gathering is an app with settings, over those files.
type gathering struct {
	*App
	*workflowFiles
	folder *declared.Folder
	blobs  *session.Blobs
}

func (f *workflowFiles) with(t *testing.T, yaml string) *gathering {
	t.Helper()
	cfg := load(t, yaml)
	home := t.TempDir()
	cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(home, "state"), filepath.Join(home, "cache")
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := a.Store.Blobs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(root.Close(), a.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return &gathering{a, f, declared.NewFolder(root, runLimits(cfg).Matches), blobs}
}

// gather is what becomes of a list: nothing, or the codes of what was refused.
func (g *gathering) gather(t *testing.T, list ...*declared.Attachment) string {
	t.Helper()
	r, err := g.gatherer.Gather(t.Context(), g.folder, list, g.blobs)
	if err != nil && len(r.Reports) == 0 {
		return err.Error()
	}
	var codes []string
	for _, rep := range r.Reports {
		if rep.Code != "" {
			codes = append(codes, string(rep.Code))
		}
	}
	return strings.Join(codes, " ")
}

func (g *gathering) from(name string) declared.Attachment {
	return declared.Attachment{Source: declared.Source{URL: g.url + "/" + name}}
}

func inFolder(name string) declared.Attachment {
	return declared.Attachment{Source: declared.Source{Path: name}}
}

// text is how much text of a file reaches a model that takes any amount.
func (g *gathering) text(t *testing.T, a *declared.Attachment) string {
	t.Helper()
	r, err := g.gatherer.Gather(t.Context(), g.folder, []*declared.Attachment{a}, g.blobs)
	if err != nil {
		t.Fatal(err)
	}
	content, err := g.blobs.Content(r.Items[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	d, err := g.planner.Plan(t.Context(), r.Items[0], content, attachment.Limits{}, false)
	if err != nil {
		t.Fatal(err)
	}
	doc, ok := d.Parts[len(d.Parts)-1].(attachment.TextDocumentPart)
	if !ok {
		t.Fatalf("%+v", d)
	}
	return fmt.Sprint(doc.Content.Size() <= 500)
}

// Each setting of declared attachments changes what becomes of them.
//
// Covers: attachments 14
func TestAttachmentSettingsAct(t *testing.T) {
	t.Parallel()
	f := newWorkflowFiles(t)
	open := "allowed_hosts: [127.0.0.0/8]"
	accept := func(name string, typ declared.Type) func(*testing.T, *gathering) string {
		return func(t *testing.T, g *gathering) string { return g.gather(t, as(typ, inFolder(name))) }
	}
	fetch := func(name string) func(*testing.T, *gathering) string {
		return func(t *testing.T, g *gathering) string { return g.gather(t, as(declared.TypeFile, g.from(name))) }
	}
	tests := map[string]struct {
		// beside are other settings, value the one of the test.
		beside, value string
		do            func(*testing.T, *gathering) string
		standard, set string // what do says
	}{
		"max_download_size_bytes": {open, "1000", fetch("a.txt"), "", "TOO_LARGE"},
		"download_timeout":        {open, "50ms", fetch("slow/a.txt"), "", "TIMED_OUT"},
		"max_redirects":           {open, "1", fetch("to/to/a.txt"), "", "TOO_MANY_REDIRECTS"},
		"temp_dir_quota_bytes":    {open, "1000", fetch("a.txt"), "", "TOO_LARGE"},
		"allowed_hosts":           {"max_items: 100", "[127.0.0.1]", fetch("a.txt"), "ADDRESS_REFUSED", ""},
		"ssrf_strict":             {open, "true", fetch("a.txt"), "", "ADDRESS_REFUSED"},
		"http_user_agent": {open, "surveyor/2", func(t *testing.T, g *gathering) string {
			g.gather(t, as(declared.TypeFile, g.from("b.txt")))
			return g.agent.Load().(string)
		}, "belay", "surveyor/2"},
		"max_matches": {open, "1", func(t *testing.T, g *gathering) string {
			_, err := g.folder.Match(t.Context(), "*.txt")
			return fmt.Sprint(err)
		}, "<nil>", `"*.txt" matches more than 1 files (attachments.max_matches)`},
		"max_items": {open, "1", func(t *testing.T, g *gathering) string {
			return g.gather(t, as(declared.TypeFile, inFolder("a.txt")), as(declared.TypeFile, inFolder("b.txt")))
		}, "", "ATTACHMENT_FAILURE: the task has 2 attachments, and 1 are allowed (attachments.max_items)"},
		"task_bytes":               {open, "1000", accept("a.txt", declared.TypeFile), "", "OVER_BUDGET"},
		"allowed_mime_types.image": {open, "[image/jpeg]", accept("a.png", declared.TypeImage), "", "TYPE_NOT_ALLOWED"},
		"allowed_mime_types.audio": {open, "[audio/flac]", accept("a.wav", declared.TypeAudio), "", "TYPE_NOT_ALLOWED"},
		"allowed_mime_types.video": {open, "[video/webm]", accept("a.mp4", declared.TypeVideo), "", "TYPE_NOT_ALLOWED"},
		"allowed_mime_types.pdf":   {open, "[application/postscript]", accept("a.pdf", declared.TypePDF), "", "TYPE_NOT_ALLOWED"},
		"allowed_mime_types.file":  {open, "[image/*]", accept("a.txt", declared.TypeFile), "", "TYPE_NOT_ALLOWED"},
		"allowed_mime_types.url": {open, "[text/html]", func(t *testing.T, g *gathering) string {
			page := g.from("a.txt")
			page.Fetch = true
			return g.gather(t, as(declared.TypeURL, page))
		}, "", "TYPE_NOT_ALLOWED"},
		"text_part_max_bytes": {open, "500", func(t *testing.T, g *gathering) string {
			return g.text(t, as(declared.TypeFile, inFolder("a.txt")))
		}, "false", "true"},
		"pdf_extract_max_chars": {open, "500", func(t *testing.T, g *gathering) string {
			return g.text(t, as(declared.TypePDF, inFolder("a.pdf")))
		}, "false", "true"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			beside := "attachments:\n  " + tt.beside + "\n"
			if got := tt.do(t, f.with(t, beside)); got != tt.standard {
				t.Errorf("by default: %q, want %q", got, tt.standard)
			}
			set := "attachments." + name
			lines := strings.SplitN(nested(set, tt.value), "\n", 2)
			if strings.HasPrefix(tt.beside, name) {
				beside = "attachments:\n"
			}
			if got := tt.do(t, f.with(t, beside+lines[1])); got != tt.set {
				t.Errorf("%s %s: %q, want %q", set, tt.value, got, tt.set)
			}
		})
	}
	// No setting of declared attachments is without a test.
	turns := []string{"roots", "extensions", "file_bytes", "turn_bytes", "upload_bytes", "pdf_interpreted"}
	for _, s := range config.Reference() {
		name, ok := strings.CutPrefix(s.Key, "attachments.")
		if _, tested := tests[name]; ok && !tested && !strings.Contains(" "+strings.Join(turns, " ")+" ", " "+name+" ") {
			t.Errorf("%s has no test", s.Key)
		}
	}
}

// What is at an address is inspected without a record of it.
func TestInspectAddress(t *testing.T) {
	t.Parallel()
	f := newWorkflowFiles(t)
	g := f.with(t, "attachments: {allowed_hosts: [127.0.0.0/8]}")
	i, err := g.InspectAddress(t.Context(), f.url+"/a.png?key=secret-key", "")
	if err != nil || !i.OK || i.MIMEType != "image/png" || i.Path != f.url+"/a.png?…" {
		t.Errorf("got %+v, %v", i, err)
	}
	i, err = g.InspectAddress(t.Context(), f.url+"/none", "")
	if err != nil || i.OK || i.Code != "BAD_STATUS" {
		t.Errorf("got %+v, %v", i, err)
	}
	_ = filepath.WalkDir(g.Config.Paths.CacheDir, func(path string, d os.DirEntry, _ error) error {
		if strings.Contains(path, "downloads"+string(filepath.Separator)) && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
}

// as is an attachment of a type.
func as(typ declared.Type, a declared.Attachment) *declared.Attachment {
	a.Type = typ
	return &a
}
