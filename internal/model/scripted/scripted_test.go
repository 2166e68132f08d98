package scripted_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
)

const sonnet = "claude-sonnet-4-20250514"

func ask(words string) model.Request {
	return model.Request{Model: sonnet, Prompt: model.StringPrompt(words)}
}

func collect(seq iter.Seq2[model.Chunk, error]) (chunks []model.Chunk, err error) {
	for c, e := range seq {
		if e != nil {
			return chunks, e
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// heard joins the text of chunks.
func heard(chunks []model.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		if d, ok := c.(model.TextDelta); ok {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

func lastStop(chunks []model.Chunk) model.StopReason {
	if len(chunks) == 0 {
		return ""
	}
	s, _ := chunks[len(chunks)-1].(model.Stop)
	return s.Reason
}

func TestEcho(t *testing.T) {
	t.Parallel()
	got, err := collect(scripted.New(scripted.Options{}).Stream(t.Context(), ask("  the quick brown fox jumps over \n")))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Chunk{
		model.TextDelta{Text: "the quick brown fox jump"},
		model.TextDelta{Text: "s over"},
		model.Block{Content: model.Text{Text: "the quick brown fox jumps over"}},
		model.Usage{InputTokens: 9, OutputTokens: 8},
		model.Stop{Reason: model.StopEndTurn},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

func TestEchoOfNothing(t *testing.T) {
	t.Parallel()
	got, err := collect(scripted.New(scripted.Options{}).Stream(t.Context(), ask(" \n")))
	if err != nil || heard(got) == "" || lastStop(got) != model.StopEndTurn {
		t.Errorf("got %v, %v; want a sentence", got, err)
	}
}

// Covers: turn-api REQ-03
func TestChunksAreTheReply(t *testing.T) {
	t.Parallel()
	p := scripted.New(scripted.Options{})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringN(1, 200, -1).Draw(t, "words")
		got, err := collect(p.Stream(context.Background(), ask(words)))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSpace(words)
		if want == "" {
			return
		}
		if heard(got) != want {
			t.Fatalf("heard %q, want %q", heard(got), want)
		}
		for i, c := range got {
			d, ok := c.(model.TextDelta)
			if !ok {
				break
			}
			n := utf8.RuneCountInString(d.Text)
			if _, more := got[i+1].(model.TextDelta); n > 24 || utf8.ValidString(want) && !utf8.ValidString(d.Text) || more && n < 1 {
				t.Fatalf("chunk %d is %q", i, d.Text)
			}
		}
	})
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	const deny, allow = "UNAPPROVED_DENY_TEST", "UNAPPROVED_ALLOW_TEST"
	inMode := func(r model.Request, mode string) model.Request { r.Mode = mode; return r }
	tests := []struct {
		name    string
		request model.Request
		outcome *model.ToolOutcome
		heard   string
	}{
		{"deny", inMode(ask("x "+deny), "dontAsk"), &model.ToolOutcome{Name: "bash"}, ""},
		{"deny wins", inMode(ask(allow+deny), "dontAsk"), &model.ToolOutcome{Name: "bash"}, ""},
		{"allow", inMode(ask(allow), "dontAsk"), &model.ToolOutcome{Name: "bash", OK: true}, allow},
		{"no other mode", inMode(ask(allow+deny), "direct"), nil, allow + deny},
		{"hold", ask("INTERRUPT_SIGINT_TEST"), nil, "INTERRUPT_SIGINT_TEST"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var held time.Duration
			p := scripted.New(scripted.Options{Sleep: func(_ context.Context, d time.Duration) error { held += d; return nil }})
			got, err := collect(p.Stream(t.Context(), tt.request))
			if err != nil || lastStop(got) != model.StopEndTurn {
				t.Fatalf("got %v, %v", got, err)
			}
			if heard(got) != tt.heard {
				t.Errorf("heard %q, want %q", heard(got), tt.heard)
			}
			outcome, ok := got[0].(model.ToolOutcome)
			if ok != (tt.outcome != nil) || ok && (outcome.Name != tt.outcome.Name || outcome.OK != tt.outcome.OK) {
				t.Errorf("outcome %+v, want %+v", outcome, tt.outcome)
			}
			if ok && outcome.OK && !strings.Contains(outcome.Output, allow) {
				t.Errorf("the allowed outcome %q lacks the marker", outcome.Output)
			}
			for _, c := range got {
				if b, isBlock := c.(model.Block); ok && !outcome.OK && isBlock && strings.Contains(b.Content.(model.Text).Text, allow) {
					t.Errorf("the denial repeats the marker: %v", b)
				}
			}
			if want := tt.name == "hold"; want != (held == 220*time.Millisecond) {
				t.Errorf("held for %v", held)
			}
		})
	}
}

func TestFailureMarkers(t *testing.T) {
	t.Parallel()
	p := scripted.New(scripted.Options{})
	_, err := collect(p.Stream(t.Context(), ask("please TURN_SDK_FAIL_TEST now")))
	if f := fault.From(err); f.Type != fault.SDKFailure || f.Status != 500 || f.Details["marker"] != "TURN_SDK_FAIL_TEST" {
		t.Errorf("turn marker: %+v", f)
	}
	boot := ask("bootstrap")
	if err := p.Bootstrap(t.Context(), boot, false); err != nil {
		t.Errorf("an ordinary boot fails: %v", err)
	}
	if err := p.Bootstrap(t.Context(), boot, true); err != nil {
		t.Errorf("a probe fails: %v", err)
	}
	boot.Model = "__BOOT_SDK_FAIL__"
	_, streamed := collect(p.Stream(t.Context(), boot))
	for _, err := range []error{p.Bootstrap(t.Context(), boot, false), streamed} {
		if f := fault.From(err); f == nil || f.Type != fault.SDKFailure || f.Status != 500 || f.Details["exitCode"] != 1 {
			t.Errorf("boot marker: %+v", f)
		}
	}
	boot.Prompt = model.StringPrompt("bootstrap me")
	if _, err := collect(p.Stream(t.Context(), boot)); err != nil {
		t.Errorf("the marker acts on other words: %v", err)
	}
}

func TestInterruptIsNoticedAtTheNextChunk(t *testing.T) {
	t.Parallel()
	for _, pace := range []time.Duration{0, time.Hour} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := scripted.New(scripted.Options{Pace: pace})
		chunks, last := 0, error(nil)
		for _, err := range p.Stream(ctx, ask(strings.Repeat("x", 100))) {
			cancel()
			if last = err; err == nil {
				chunks++
			}
		}
		if chunks != 1 || !errors.Is(last, context.Canceled) {
			t.Errorf("pace %v: %d chunks and %v, want 1 and a cancel", pace, chunks, last)
		}
	}
}

func TestPaceFollowsEveryChunk(t *testing.T) {
	t.Parallel()
	const pace = 35 * time.Millisecond
	var waits []time.Duration
	p := scripted.New(scripted.Options{
		Pace:  pace,
		Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
	})
	if _, err := collect(p.Stream(t.Context(), ask(strings.Repeat("x", 25)))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{pace, pace}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// Covers: turn-api REQ-05
func TestSaysWhatItReceived(t *testing.T) {
	t.Parallel()
	r := model.Request{Model: sonnet, Prompt: model.NewPrompt("", "look", []attachment.Part{
		attachment.ImagePart{Name: "a.png", MIMEType: "image/png", Width: 640, Height: 480, Content: sized(1234567)},
		attachment.DocumentPart{Name: "b.pdf", MIMEType: "application/pdf", Pages: 3, Content: sized(100)},
		attachment.TextDocumentPart{Name: "c\n.csv", MIMEType: "text/csv", Content: sized(12)},
		attachment.ImageURLPart{Name: "d.png", URL: "https://example.com/d.png"},
	})}
	got, err := collect(scripted.New(scripted.Options{}).Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	want := `look

Received image "a.png": image/png, 1,234,567 bytes, 640 x 480 pixels.
Received pdf "b.pdf": application/pdf, 100 bytes, 3 pages.
Received text "c\n.csv": text/csv, 12 bytes.
Received image "d.png": at https://example.com/d.png.`
	if diff := cmp.Diff(want, heard(got)); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestMaxTokensCutsTheReply(t *testing.T) {
	t.Parallel()
	r := ask(strings.Repeat("é", 40)) // two bytes each
	r.MaxTokens = 5
	got, err := collect(scripted.New(scripted.Options{}).Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	if heard(got) != strings.Repeat("é", 10) || lastStop(got) != model.StopMaxTokens {
		t.Errorf("heard %q, stopped for %q", heard(got), lastStop(got))
	}
}

// sized is content of which only the size matters.
type sized int64

func (sized) SHA256() string               { return "" }
func (s sized) Size() int64                { return int64(s) }
func (sized) Open() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }
