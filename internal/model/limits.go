package model

import (
	"maps"
	"strings"

	"belay/internal/attachment"
)

// Catalog says what each model takes. It is data: a deployment corrects or
// extends it from its configuration with [Catalog.With].
type Catalog struct {
	// Default is for models that no entry names.
	Default Limits
	// Stated is set where the deployment itself says what Default is: nothing is
	// assumed then.
	Stated bool
	// Models is keyed by a model's name without date or tag, in lower case:
	// "claude-opus-4" covers "claude-opus-4-20250514" and "claude-opus-4-latest",
	// but neither "claude-opus-4-1" nor "claude-opus-45".
	Models map[string]Limits
}

// Limits returns the limits of the named model, those of Default when no entry
// names it. These are marked as assumed, unless they are stated.
func (c Catalog) Limits(model string) Limits {
	if l, _, ok := lookup(c.Models, model); ok {
		return l
	}
	l := c.Default
	l.Assumed = !c.Stated
	return l
}

// Override replaces the token limits of one model; a zero field keeps what the
// catalog says.
type Override struct {
	ContextTokens int64 `json:"contextTokens,omitempty" yaml:"context_tokens"`
	OutputTokens  int64 `json:"outputTokens,omitempty" yaml:"output_tokens"`
}

// With returns a copy of c in which overrides, keyed like Models, hold.
func (c Catalog) With(overrides map[string]Override) Catalog {
	models := maps.Clone(c.Models)
	if models == nil {
		models = map[string]Limits{}
	}
	for name, o := range overrides {
		l := c.Limits(name)
		l.Assumed = false // the deployment vouches for it
		if o.ContextTokens > 0 {
			l.ContextTokens = o.ContextTokens
		}
		if o.OutputTokens > 0 {
			l.OutputTokens = o.OutputTokens
		}
		models[strings.ToLower(name)] = l
	}
	c.Models = models
	return c
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// anthropicAttachments are the limits of the Messages API. The scripted
// provider enforces the same ones, so what passes it passes the real service.
var anthropicAttachments = attachment.Limits{
	ImageTypes:     []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
	ImageURLs:      true,
	ImageBytes:     5 * mib, // inclusive
	ImageSide:      8000,
	Images:         100,
	ManyImages:     20,
	ManyImagesSide: 2000,
	PDF:            true,
	PDFBytes:       32 * mib,
	PDFPages:       100,
	// Dense text (tables, code) runs to a token per 2.5 bytes: 384 KiB of it
	// still leaves a 200k context room for a conversation and an answer.
	TextBytes:    384 * kib,
	RequestBytes: 32 * mib,
}

// OpenAICompatible returns the catalog for any other server with OpenAI's
// protocol, whose models have a context of so many tokens unless the configuration
// says otherwise: it is set where the server is started, not by the model's name.
// Nothing but text is sent, because such a server fails on what its model does not
// take, except images to the families that are made for them and to imageModels.
func OpenAICompatible(context int64, imageModels ...string) Catalog {
	text := Limits{ContextTokens: context, OutputTokens: max(context/4, 1), Attachments: attachment.Limits{
		// A quarter of the context, at three bytes to a token.
		TextBytes: max(context*3/4, kib), RequestBytes: 32 * mib,
	}}
	sees := text
	sees.Attachments.ImageTypes = []string{"image/png", "image/jpeg"} // what all of them decode
	sees.Attachments.ImageBytes = 10 * mib
	sees.Attachments.ImageSide = 2048
	sees.Attachments.Images = 16
	c := Catalog{Default: text, Models: map[string]Limits{}}
	for _, family := range []string{
		"llava", "bakllava", "llava-llama3", "llama3.2-vision", "llama4", "minicpm-v", "moondream",
		"qwen2.5vl", "qwen2.5-vl", "qwen3-vl", "mistral-small3.1", "mistral-small3.2", "pixtral", "granite3.2-vision",
	} {
		c.Models[family] = sees
	}
	for _, name := range imageModels {
		c.Models[strings.ToLower(name)] = sees
	}
	return c
}
