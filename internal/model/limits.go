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
	if l, ok := lookup(c.Models, model); ok {
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

// Anthropic returns the catalog of the Anthropic models. It is conservative: it
// says 200k of context and at most 64k of output where newer models give more,
// because an override that raises a limit is safer than a default too high.
func Anthropic() Catalog {
	limits := func(output int64) Limits {
		l := Limits{ContextTokens: 200_000, OutputTokens: output, Attachments: anthropicAttachments}
		l.Attachments.ImageTypes = append([]string(nil), anthropicAttachments.ImageTypes...)
		return l
	}
	return Catalog{
		// An unknown model is likely newer than this table: 32k is within what
		// every current family gives.
		Default: limits(32_000),
		Models: map[string]Limits{
			"claude-3-haiku":    limits(4_096),
			"claude-3-opus":     limits(4_096),
			"claude-3-5-haiku":  limits(8_192),
			"claude-3-5-sonnet": limits(8_192),
			"claude-3-7-sonnet": limits(64_000),
			"claude-opus-4":     limits(32_000),
			"claude-opus-4-1":   limits(32_000),
			"claude-opus-4-5":   limits(64_000),
			"claude-opus-4-6":   limits(64_000),
			"claude-opus-4-7":   limits(64_000),
			"claude-opus-4-8":   limits(64_000),
			"claude-opus-5":     limits(64_000),
			"claude-opus-5-5":   limits(64_000),
			"claude-sonnet-4":   limits(64_000),
			"claude-sonnet-4-5": limits(64_000),
			"claude-sonnet-4-6": limits(64_000),
			"claude-sonnet-5":   limits(64_000),
			"claude-sonnet-5-5": limits(64_000),
			"claude-haiku-4-5":  limits(64_000),
			"claude-haiku-5-5":  limits(64_000),
		},
	}
}
