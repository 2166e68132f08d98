package model_test

import (
	"io"
	"math"
	"testing"

	"belay/internal/attachment"
	"belay/internal/model"
)

func TestCatalogMatchesModelNames(t *testing.T) {
	t.Parallel()
	c := model.Anthropic()
	tests := []struct {
		name   string
		output int64
	}{
		{"claude-opus-4", 32_000},
		{"claude-opus-4-20250514", 32_000},
		{"claude-opus-4-latest", 32_000},
		{"Claude-Opus-4@20250514", 32_000},
		{"claude-opus-4-1-20250805", 32_000},
		{"claude-opus-4-5-20251101", 64_000},
		{"claude-3-haiku-20240307", 4_096},
		{"claude-opus-4-99", c.Default.OutputTokens}, // a version that the table does not know
		{"claude-opus-45", c.Default.OutputTokens},
		{"gpt-9", c.Default.OutputTokens},
		{"", c.Default.OutputTokens},
	}
	for _, tt := range tests {
		if got := c.Limits(tt.name).OutputTokens; got != tt.output {
			t.Errorf("Limits(%q).OutputTokens = %d, want %d", tt.name, got, tt.output)
		}
	}
}

func TestCatalogOfOpenAI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int64{"gpt-4o": 16_384, "gpt-4o-2024-05-13": 4_096, "GPT-4o-2024-08-06": 16_384} {
		if got := model.OpenAI().Limits(name).OutputTokens; got != want {
			t.Errorf("Limits(%q).OutputTokens = %d, want %d", name, got, want)
		}
	}
}

func TestCatalogOverrides(t *testing.T) {
	t.Parallel()
	base := model.Anthropic()
	c := base.With(map[string]model.Override{"Claude-Opus-5": {ContextTokens: 1_000_000}, "house-model": {OutputTokens: 77}})
	if got := c.Limits("claude-opus-5-20270101"); got.ContextTokens != 1_000_000 || got.OutputTokens != 64_000 {
		t.Errorf("override kept or lost the wrong field: %+v", got)
	}
	if !c.Limits("gpt-9").Assumed || c.Limits("claude-opus-4-20250514").Assumed || c.Limits("house-model").Assumed {
		t.Error("what is assumed and what is known is mixed up")
	}
	if got := c.Limits("house-model"); got.OutputTokens != 77 || got.ContextTokens != base.Default.ContextTokens {
		t.Errorf("a new model does not start from the default: %+v", got)
	}
	if base.Limits("claude-opus-5").ContextTokens != 200_000 {
		t.Error("With changed the catalog that it copies")
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	u := model.Usage{InputTokens: 1_000_000, OutputTokens: 200_000, CacheReadTokens: 2_000_000, CacheWriteTokens: 400_000}
	tests := []struct {
		name string
		want float64
		ok   bool
	}{
		{"claude-sonnet-4-20250514", 3 + 3 + 0.6 + 1.5, true},
		{"claude-opus-4-8", 5 + 5 + 1 + 2.5, true},
		{"claude-opus-4-9", 0, false}, // must not be taken for claude-opus-4
		{"unknown", 0, false},
		{"gpt-4o-mini-2024-07-18", 0.15 + 0.12 + 0.15 + 0.06, true},
		{"gpt-4o-2024-05-13", 5 + 3 + 10 + 2, true}, // dearer than those after it
		{"gpt-4o-2024-08-06", 2.5 + 2 + 2.5 + 1, true},
		{"gpt-4o-mini:free", 0.15 + 0.12 + 0.15 + 0.06, true},
		{"gpt-4o-mini-audio-preview", 0, false}, // audio costs far more than text
		{"gpt-4o-mini-realtime-preview", 0, false},
		{"gpt-5-pro", 0, false},
		{"o3-pro-2025-06-10", 0, false},
	}
	for _, tt := range tests {
		got, ok := model.ListPrices().Cost(tt.name, u)
		if ok != tt.ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Cost(%q) = %v, %v; want %v, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// What an override leaves out is never free, unless it says so: a limit of dollars would hold
// nothing.
func TestPricesOverridden(t *testing.T) {
	t.Parallel()
	usd := func(x float64) *float64 { return &x }
	u := model.Usage{InputTokens: 1e6, OutputTokens: 1e6, CacheReadTokens: 1e6, CacheWriteTokens: 1e6}
	for name, tt := range map[string]struct {
		model string
		said  model.PriceOverride
		want  float64
		ok    bool
	}{
		"a listed model at another price":  {"claude-opus-4-8", model.PriceOverride{Input: usd(4)}, 4 + 25 + 0.5 + 6.25, true},
		"of a day":                         {"Claude-Opus-4-8-20260101", model.PriceOverride{Input: usd(4)}, 4 + 25 + 0.5 + 6.25, true},
		"another one":                      {"Mine", model.PriceOverride{Input: usd(4), Output: usd(8)}, 4 + 8 + 4 + 5, true},
		"a free one":                       {"mine", model.PriceOverride{Input: usd(0), Output: usd(0)}, 0, true},
		"with a free cache":                {"mine", model.PriceOverride{Input: usd(4), Output: usd(8), CacheRead: usd(0), CacheWrite: usd(0)}, 12, true},
		"half of a price":                  {"mine", model.PriceOverride{Input: usd(1)}, 0, false},
		"the other half":                   {"mine", model.PriceOverride{Output: usd(1), CacheRead: usd(1)}, 0, false},
		"half of one that is not listed":   {"gpt-5.4", model.PriceOverride{Output: usd(1)}, 0, false},
		"all of one that is not listed":    {"gpt-5.4", model.PriceOverride{Input: usd(1), Output: usd(2)}, 1 + 2 + 1 + 1.25, true},
		"a model of a shorter listed name": {"gpt-5-pro", model.PriceOverride{Input: usd(1), Output: usd(2)}, 1 + 2 + 1 + 1.25, true},
	} {
		got, ok := model.ListPrices().With(map[string]model.PriceOverride{tt.model: tt.said}).Cost(tt.model, u)
		if ok != tt.ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	r := model.Request{
		System: []string{"12345678"},
		Prompt: model.BlockPrompt{
			attachment.TextPart{Text: "12345"},
			attachment.ImagePart{Width: 750, Height: 100, Content: sized(10)},
			attachment.ImagePart{Width: 10, Height: 10, Content: sized(3)}, // small, not unknown
			attachment.ImagePart{Width: 8000, Height: 8000, Content: sized(3)},
			attachment.DocumentPart{Pages: 3, Content: sized(1)},
			attachment.TextDocumentPart{Content: sized(40)},
			attachment.ImageURLPart{URL: "https://a.b/"},
			attachment.MediaPart{Kind: attachment.KindAudio, MIMEType: "audio/mpeg", Content: sized(3)},
			attachment.MediaPart{Kind: attachment.KindAudio, MIMEType: "audio/wav", Content: sized(3)},
		},
		History: []model.Message{{Role: model.User, Content: []model.Content{
			model.ToolOutput{CallID: "abcd", Parts: []attachment.Part{attachment.DocumentPart{Content: sized(4)}}},
		}}},
	}
	want := model.Measure{
		Tokens: 2 + 2 + 100 + 1 + 1600 + 6000 + 10 + 3 + 1600 + 32 + 16 + 32 + 16 + 1 + 2000,
		Bytes:  8 + 5 + 16 + 4 + 4 + 4 + 40 + 12 + 4 + 4 + 4 + 8,
		Images: 4, Pages: 4,
	}
	if got := r.Measure(); got != want {
		t.Errorf("Measure = %+v, want %+v", got, want)
	}
	r.Counted.Messages = len(r.History)
	for _, message := range r.History {
		r.Counted.Measure.Message(message)
	}
	if got := r.Measure(); got != want {
		t.Errorf("Measure = %+v with a counted history, want %+v", got, want)
	}
	r.Counted.Messages++ // not of this history
	if got := r.Measure(); got != want {
		t.Errorf("Measure = %+v with the count of another history, want %+v", got, want)
	}
}

// sized is content of which only the size matters.
type sized int64

func (sized) SHA256() string               { return "" }
func (s sized) Size() int64                { return int64(s) }
func (sized) Open() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }
