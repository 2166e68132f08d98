package anthropic

import (
	"encoding/json"
	"fmt"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/model"
)

// Messages of text have their JSON from here; the SDK's own is the measure.
func TestPlainMessagesAreWhatTheSDKWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "texts")
		var run []byte
		var theirs []sdk.MessageParam
		for _, text := range texts {
			run = appendPlain(run, model.User, text)
			theirs = append(theirs, sdk.NewUserMessage(sdk.NewTextBlock(text)))
		}
		want, err := json.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if got := "[" + string(run) + "]"; got != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// A piece of an answer is read here; the SDK's own reading is the measure.
func TestDecodeIsWhatTheSDKReads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(rapid.String().Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		delta := rapid.SampledFrom([]string{
			`{"type":"text_delta","text":%s}`, `{"type":"thinking_delta","thinking":%s}`,
			`{"type":"signature_delta","signature":%s}`, `{"type":"input_json_delta","partial_json":%s}`,
			`{"type":"citations_delta","citation":{"cited_text":%s}}`, `{"text":%s}`,
		}).Draw(t, "delta")
		data := fmt.Appendf(nil, `{"type":"content_block_delta","index":%d,"delta":%s}`,
			rapid.Int64Range(0, 9).Draw(t, "index"), fmt.Sprintf(delta, text))
		got, err := decode(ssestream.Event{Type: "content_block_delta", Data: data})
		if err != nil {
			t.Fatal(err)
		}
		var want sdk.MessageStreamEventUnion
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		type seen struct{ Type, Kind, Text, Thinking, Signature, JSON, Index any }
		see := func(e *sdk.MessageStreamEventUnion) seen {
			d := e.Delta
			return seen{e.Type, d.Type, d.Text, d.Thinking, d.Signature, d.PartialJSON, e.Index}
		}
		if diff := cmp.Diff(see(&want), see(got)); diff != "" {
			t.Errorf("%s (-sdk +ours):\n%s", data, diff)
		}
	})
}

// BenchmarkHistory is what the twentieth turn of a conversation costs.
func BenchmarkHistory(b *testing.B) {
	p := provider(b, streaming(b, hello))
	r := ask("twenty bytes of text")
	for i := range 40 {
		r.History = append(r.History, model.Message{
			Role:    []model.Role{model.User, model.Assistant}[i%2],
			Content: []model.Content{model.Text{Text: "It is all in the log."}},
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(p.Stream(b.Context(), r)); err != nil {
			b.Fatal(err)
		}
	}
}
