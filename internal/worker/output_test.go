package worker

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/fault"
)

const filesScript = `
turns:
  - when: send
    steps:
      - say: "Before. "
      - call: {name: attachment.add, input: {paths: [a.txt, big.txt], filenames: ["", "large.txt"]}}
      - say: "After."
  - when: look
    steps:
      - call: {name: read, input: {path: a.png}}
      - say: "A picture."
`

// kinds names the messages of an output, texts joined.
func kinds(all []contract.Payload) string {
	var names []string
	for _, p := range all {
		name := strings.TrimPrefix(string(contract.TypeOf(p)), "evt.agent.")
		switch p := p.(type) {
		case *contract.ToolCall:
			if name = p.Name + " " + string(p.Status); p.Error != "" {
				name += " (" + p.Error + ")"
			}
		case *contract.ResponseBinary:
			name = p.Filename
		case *contract.TextDelta:
			name = "text"
		}
		if len(names) == 0 || name != "text" || names[len(names)-1] != "text" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// A file stands where the agent sent it, between the texts, and never before one that
// was said earlier.
func TestFilesStandBetweenTheTexts(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), filesScript)
	must(t, os.WriteFile(filepath.Join(r.project, "a.txt"), []byte("small"), 0o600))
	must(t, os.WriteFile(filepath.Join(r.project, "big.txt"), bytes.Repeat([]byte("x"), contract.MaxInline+1), 0o600))
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "send")
	all := r.output(s, "r1")
	const want = "text, attachment.add start, attachment.add end, a.txt, large.txt, text, output.response.text"
	if got := kinds(all); got != want {
		t.Fatalf("output:\n%s\nwant:\n%s", got, want)
	}
	for _, p := range all {
		b, ok := p.(*contract.ResponseBinary)
		if !ok {
			continue
		}
		small := b.Filename == "a.txt"
		if small && b.DataBase64 != base64.StdEncoding.EncodeToString([]byte("small")) || !small && b.DataBase64 != "" {
			t.Errorf("%s has %d bytes inline", b.Filename, len(b.DataBase64))
		}
		if b.Of != 2 || b.Index == 0 != small || b.MIMEType != "text/plain; charset=utf-8" && b.MIMEType != "text/plain" || b.ToolCallID == "" {
			t.Errorf("file %+v", b.File)
		}
		f, _, err := r.engine.Blob(r.ctx(), s, b.SHA256)
		must(t, err)
		must(t, f.Close())
	}
}

// What the model says after a call, and what it answers to somebody who said something into
// the turn, are paragraphs of their own. The pieces together are the whole text.
func TestAnswersAreParagraphs(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), `
turns:
  - when: begin
    steps:
      - say: "I look."
      - call: {name: glob, input: {pattern: "*"}}
      - say: "I found\nthis:\n"
      - call: {name: glob, input: {pattern: "*"}}
      - {wait: 300ms}
      - say: "Nothing."
  - when: and more
    steps: [{say: "More."}]
`)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "begin")
	r.under(s, "r1")
	r.ask(s, "r2", contract.QueueFollowUp, "and more")
	const want = "I look.\n\nI found\nthis:\n\nNothing.\n\nMore."
	var text string
	var begins []string
	all := r.output(s, "r1")
	for _, p := range all {
		if d, ok := p.(*contract.TextDelta); ok {
			if text += d.Delta; d.Begins {
				begins = append(begins, strings.TrimSpace(d.Delta))
			}
		}
	}
	if last := all[len(all)-1].(*contract.ResponseText); text != want || last.FinalText != want || strings.Join(begins, "|") != "I found\nthis:|Nothing.|More." {
		t.Errorf("the pieces %q, the whole %q, begins %q", text, last.FinalText, begins)
	}
}

// A picture that the agent only looks at is no file for people.
func TestPictureThatIsReadIsNotSent(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), filesScript)
	var picture bytes.Buffer
	must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))))
	must(t, os.WriteFile(filepath.Join(r.project, "a.png"), picture.Bytes(), 0o600))
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "look")
	const want = "read start, read end, input.binary, text, output.response.text"
	if got := kinds(r.output(s, "r1")); got != want {
		t.Errorf("output:\n%s\nwant:\n%s", got, want)
	}
}

// A reader that was away goes on where it was.
func TestOutputIsFollowedFromAPosition(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), hello)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "hello")
	n := int64(len(r.output(s, "r1")))
	var got []int64
	for m, err := range r.client.Output(r.ctx(), s, "r1", n-1) {
		must(t, err)
		got = append(got, m.Seq)
	}
	if len(got) != 1 || got[0] != n {
		t.Errorf("after %d came %v", n-1, got)
	}
}

// An answer of control characters is six times as long in JSON: its end has the part
// that a message holds.
func TestAnswerThatIsTooLongIsCut(t *testing.T) {
	t.Parallel()
	const size = 200 << 10
	r := openRig(t, t.TempDir(), "turns:\n  - when: much\n    steps: [{say: \""+strings.Repeat(`\x01`, size)+"\"}]\n")
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "much")
	all, text := r.output(s, "r1"), 0
	for _, p := range all {
		if d, ok := p.(*contract.TextDelta); ok {
			text += len(d.Delta)
		}
	}
	last := all[len(all)-1].(*contract.ResponseText)
	if !last.Truncated || len(last.FinalText) == 0 || len(last.FinalText) >= size || text != size {
		t.Errorf("the end has %d bytes, the deltas %d", len(last.FinalText), text)
	}
}

// A surface gets the bytes of a file from the message, from the state folder, or from a
// copy on the bus that is gone once it was read.
func TestSurfaceReadsFiles(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), filesScript)
	content := map[string]string{"a.txt": "small", "large.txt": strings.Repeat("x", 3<<20)}
	must(t, os.WriteFile(filepath.Join(r.project, "a.txt"), []byte(content["a.txt"]), 0o600))
	must(t, os.WriteFile(filepath.Join(r.project, "big.txt"), []byte(content["large.txt"]), 0o600))
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "send")
	local := r.client.WithBlobs(func(ctx context.Context, session, sha256 string) (io.ReadCloser, error) {
		f, _, err := r.engine.Blob(ctx, session, sha256)
		return f, err
	})
	files := 0
	for _, p := range r.output(s, "r1") {
		b, ok := p.(*contract.ResponseBinary)
		if !ok {
			continue
		}
		files++
		for name, c := range map[string]*bus.Client{"bus": r.client, "state folder": local} {
			f, err := c.OpenFile(r.ctx(), s, b.File)
			must(t, err)
			data, err := io.ReadAll(f)
			if string(data) != content[b.Filename] || err != nil {
				t.Errorf("%s from the %s: %d bytes, %v", b.Filename, name, len(data), err)
			}
			must(t, f.Close())
		}
		lie := b.File
		lie.SHA256, lie.DataBase64 = strings.Repeat("0", 64), ""
		if _, err := r.client.OpenFile(r.ctx(), s, lie); !isFault(err, fault.NotFound) {
			t.Errorf("a file of nobody: %v", err)
		}
		lie.DataBase64, lie.Bytes = "eA==", 1
		f, err := r.client.OpenFile(r.ctx(), s, lie)
		must(t, err)
		if _, err := io.ReadAll(f); !isFault(err, fault.ContentChanged) {
			t.Errorf("other bytes: %v", err)
		}
	}
	n, err := r.bus.Objects(r.ctx())
	if files != 2 || n != 0 || err != nil {
		t.Errorf("%d files; %d copies are left on the bus, %v", files, n, err)
	}
}
