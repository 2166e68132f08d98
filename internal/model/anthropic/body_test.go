package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// smallBuffer makes short files cross the edges of buffers.
const smallBuffer = 16

// marshal returns the body of r with files streamed from inline bytes on.
func marshal(t interface{ Fatal(...any) }, r model.Request, inline int64) *upstream.Body {
	b := builder{files: new(upstream.Files), inline: inline, tools: &upstream.ToolSets{Encode: toolsJSON}}
	text, err := b.body(r, model.Anthropic().Default)
	if err != nil {
		t.Fatal(err)
	}
	body, err := b.files.Cut(text, 0, upstream.NewBuffers(smallBuffer))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// What is streamed must be byte for byte what the SDK would have sent with the
// file in memory, for any content, and as long as announced.
//
// Covers: turn-api REQ-06
func TestStreamedBodyIsTheInlineBody(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]string{"\x00", "\xff", "\xe2\x80", "\u2028", "\u2029", "\ufffd", "é", "🎉", "<", "&", ">", "\"", "\\", "\n", "\x1f", "\x7f", "/", "plain "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(odd, 1, 60).Draw(t, "text"), "")
		parts := []attachment.Part{
			attachment.TextDocumentPart{Name: "a", Content: stored(text)},
			attachment.TextPart{Text: text},
			attachment.TextDocumentPart{Name: "b", Content: stored(text)},
		}
		r := model.Request{Model: "m", MaxTokens: 1, Prompt: model.BlockPrompt(parts)}
		streamed := marshal(t, r, 0)
		inline := marshal(t, r, 1<<40)
		want, err := io.ReadAll(inline.Open())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(choppy(t, streamed.Open()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("streamed %q\n inline %q", got, want)
		}
		if streamed.Size() != int64(len(got)) {
			t.Fatalf("announced %d bytes, sent %d", streamed.Size(), len(got))
		}
	})
}

func TestStreamedBase64IsTheFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 5*smallBuffer).Draw(t, "size")
		file := bytes.Repeat([]byte{0, 0xff, 7, 'a', '\n'}, size/5+1)[:size]
		r := model.Request{Model: "m", Prompt: model.BlockPrompt{
			attachment.ImagePart{MIMEType: "image/png", Content: stored(file)},
			attachment.DocumentPart{Content: stored(file)},
		}}
		load := marshal(t, r, 0)
		got, err := io.ReadAll(choppy(t, load.Open()))
		if err != nil || load.Size() != int64(len(got)) {
			t.Fatalf("announced %d bytes, sent %d, %v", load.Size(), len(got), err)
		}
		var body struct {
			Messages []struct {
				Content []struct{ Source struct{ Data []byte } }
			}
		}
		if err := json.Unmarshal(got, &body); err != nil {
			t.Fatal(err)
		}
		for i, c := range body.Messages[0].Content {
			if !bytes.Equal(c.Source.Data, file) {
				t.Fatalf("file %d does not decode to what it was", i)
			}
		}
	})
}

// choppy reads r in pieces of changing sizes, small ones included.
func choppy(t *rapid.T, r io.Reader) io.Reader {
	sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 9), rapid.Just(1<<10)), 1, 6).Draw(t, "reads")
	n := 0
	return readerFunc(func(p []byte) (int, error) {
		n++
		return r.Read(p[:min(len(p), sizes[n%len(sizes)])])
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// big is a turn with 18 MiB attached.
func big() model.Request {
	image := attachment.ImagePart{MIMEType: "image/png", Width: 2000, Height: 2000, Content: stored(bytes.Repeat([]byte("0123456789abcdef"), 5<<16))}
	pdf := attachment.DocumentPart{Name: "a.pdf", MIMEType: "application/pdf", Pages: 10, Content: stored(bytes.Repeat([]byte("0123456789abcdef"), 3<<16))}
	return model.Request{Model: "claude-sonnet-4-20250514", Prompt: model.BlockPrompt{attachment.TextPart{Text: "look"}, image, image, image, pdf}}
}

// draining is a service that reads and forgets.
func draining(t testing.TB) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, 256<<10)
		for {
			if _, err := r.Body.Read(buf); err != nil {
				break
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	})
}

// A request costs the same memory whatever is attached.
func TestLargeAttachmentsAreNotHeld(t *testing.T) {
	p := provider(t, draining(t))
	r := big()
	call := func() {
		if _, err := collect(p.Stream(context.Background(), r)); err != nil {
			t.Fatal(err)
		}
	}
	call()
	var before, after runtime.MemStats
	const calls = 2
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	// The service's own buffer is part of the count.
	if each := (after.TotalAlloc - before.TotalAlloc) / calls; each > 2<<20 {
		t.Errorf("%d bytes allocated for a call, want at most 2 MiB", each)
	}
}

func BenchmarkLargeAttachments(b *testing.B) {
	p := provider(b, draining(b))
	r := big()
	b.SetBytes(18 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(p.Stream(b.Context(), r)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkShortTurn(b *testing.B) {
	p := provider(b, streaming(b, hello))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(p.Stream(b.Context(), ask("twenty bytes of text"))); err != nil {
			b.Fatal(err)
		}
	}
}
