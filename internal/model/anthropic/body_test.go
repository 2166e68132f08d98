package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// smallBuffer makes short files cross the edges of buffers.
const smallBuffer = 16

// marshal returns the body of r with files streamed from inline bytes on.
func marshal(t interface{ Fatal(...any) }, r model.Request, inline int64) *upstream.Body {
	b := builder{files: new(upstream.Files), inline: inline}
	params, err := b.params(r, model.Anthropic().Default)
	if err != nil {
		t.Fatal(err)
	}
	text, err := params.MarshalJSON()
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
			attachment.TextDocumentPart{Name: "a", Content: upstreamtest.Stored(text)},
			attachment.TextPart{Text: text},
			attachment.TextDocumentPart{Name: "b", Content: upstreamtest.Stored(text)},
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
			attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored(file)},
			attachment.DocumentPart{Content: upstreamtest.Stored(file)},
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
	return upstreamtest.ReaderFunc(func(p []byte) (int, error) {
		n++
		return r.Read(p[:min(len(p), sizes[n%len(sizes)])])
	})
}

func TestLargeAttachmentsAreNotHeld(t *testing.T) { kit.Memory(t) }

func BenchmarkLargeAttachments(b *testing.B) {
	p := provider(b, upstreamtest.Streaming(b, hello))
	r := upstreamtest.Big()
	b.SetBytes(20 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := upstreamtest.Collect(p.Stream(b.Context(), r)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkShortTurn(b *testing.B) {
	p := provider(b, upstreamtest.Streaming(b, hello))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := upstreamtest.Collect(p.Stream(b.Context(), ask("twenty bytes of text"))); err != nil {
			b.Fatal(err)
		}
	}
}
