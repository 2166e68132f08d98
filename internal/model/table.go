package model

import (
	"slices"
	"strings"

	"belay/internal/attachment"
)

// known is what is known of models that are alike.
type known struct {
	names string // with spaces between them
	// context and output are in tokens, 0 where the models are as unknown ones.
	context, output int64
	takes           media
	price           Price // zero where the models have none
}

// media are what models take beside text.
type media int

const (
	text   media = iota
	images       // and PDFs
	audio
)

// catalog is the catalog of models, of which limits makes the limits.
func catalog(models []known, unknown known, limits func(known) Limits) Catalog {
	c := Catalog{Default: limits(unknown), Models: map[string]Limits{}}
	for _, m := range models {
		if m.output == 0 {
			continue
		}
		for name := range strings.FieldsSeq(m.names) {
			c.Models[name] = limits(m)
		}
	}
	return c
}

// cached is a price with a prompt cache of five minutes, whose writing costs more than
// input; read is the price of reading it.
func cached(input, output, read float64) Price {
	return Price{Input: input, Output: output, CacheRead: read, CacheWrite: input * cacheWriteFactor}
}

// freeCache is a price with a prompt cache whose writing costs nothing beside the input that
// is written.
func freeCache(input, output, read float64) Price {
	return Price{Input: input, Output: output, CacheRead: read, CacheWrite: input}
}

// anthropicModels are conservative: they say 200k of context and at most 64k of output
// where newer models give more, because an override that raises a limit is safer than a
// default too high.
var anthropicModels = []known{
	{"claude-3-haiku", 200_000, 4_096, images, Price{Input: 0.25, Output: 1.25, CacheRead: 0.03, CacheWrite: 0.30}},
	{"claude-3-opus", 200_000, 4_096, images, cached(15, 75, 1.50)},
	{"claude-3-5-haiku", 200_000, 8_192, images, cached(0.80, 4, 0.08)},
	{"claude-3-5-sonnet", 200_000, 8_192, images, cached(3, 15, 0.30)},
	{"claude-3-7-sonnet claude-sonnet-4 claude-sonnet-4-5 claude-sonnet-4-6", 200_000, 64_000, images, cached(3, 15, 0.30)},
	{"claude-opus-4 claude-opus-4-1", 200_000, 32_000, images, cached(15, 75, 1.50)},
	{"claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5", 200_000, 64_000, images, cached(5, 25, 0.50)},
	{"claude-opus-5-5", 200_000, 64_000, images, cached(4, 20, 0.20)},
	{"claude-sonnet-5", 200_000, 64_000, images, cached(2, 10, 0.20)},
	{"claude-sonnet-5-5", 200_000, 64_000, images, cached(2, 10, 0.10)},
	{"claude-haiku-4-5", 200_000, 64_000, images, cached(1, 5, 0.10)},
	{"claude-haiku-5-5", 200_000, 64_000, images, Price{}},
	{"claude-fable-5 claude-mythos-5", 0, 0, images, cached(10, 50, 1)},
	{"claude-fable-5-1 claude-mythos-5-1", 0, 0, images, cached(10, 50, 0.25)},
}

// retired are models that their service has no more. The table keeps them for sessions and
// budgets of the past, and for other services that still have them.
var retired = strings.Fields(`claude-3-haiku claude-3-opus claude-3-5-haiku claude-3-5-sonnet claude-3-7-sonnet
	claude-sonnet-4 claude-opus-4 claude-opus-4-1`)

// Retired reports whether a model of the catalog is no more to be had.
func Retired(name string) bool { return slices.Contains(retired, name) }

// openAIModels are those of OpenAI's own service.
// Where the price of a model depends on the length of the prompt, its context is that of
// the lower price: an override raises it.
var openAIModels = []known{
	{"gpt-3.5-turbo", 16_385, 4_096, text, Price{}},
	{"gpt-4", 8_192, 4_096, text, Price{}},
	{"gpt-4-turbo", 128_000, 4_096, images, Price{}},
	{"gpt-4o", 128_000, 16_384, images, freeCache(2.50, 10, 1.25)},
	{"gpt-4o-2024-05-13", 128_000, 4_096, images, freeCache(5, 15, 5)},
	{"gpt-4o-mini", 128_000, 16_384, images, freeCache(0.15, 0.60, 0.075)},
	{"gpt-4o-audio-preview gpt-4o-mini-audio-preview gpt-audio gpt-audio-mini", 128_000, 16_384, audio, Price{}},
	{"gpt-4.1", 1_047_576, 32_768, images, freeCache(2, 8, 0.50)},
	{"gpt-4.1-mini", 1_047_576, 32_768, images, freeCache(0.40, 1.60, 0.10)},
	{"gpt-4.1-nano", 1_047_576, 32_768, images, freeCache(0.10, 0.40, 0.025)},
	{"o1", 200_000, 100_000, images, freeCache(15, 60, 7.50)},
	{"o3", 200_000, 100_000, images, freeCache(2, 8, 0.50)},
	{"o3-mini", 200_000, 100_000, text, freeCache(1.10, 4.40, 0.55)},
	{"o4-mini", 200_000, 100_000, images, freeCache(1.10, 4.40, 0.275)},
	{"gpt-5 gpt-5.1", 400_000, 128_000, images, freeCache(1.25, 10, 0.125)},
	{"gpt-5-mini", 400_000, 128_000, images, freeCache(0.25, 2, 0.025)},
	{"gpt-5-nano", 400_000, 128_000, images, freeCache(0.05, 0.40, 0.005)},
	{"gpt-5.2", 400_000, 128_000, images, freeCache(1.75, 14, 0.175)},
	{"gpt-5.4 gpt-5.5", 272_000, 128_000, images, Price{}},
	{"gpt-5.4-mini", 400_000, 128_000, images, freeCache(0.75, 4.50, 0.075)},
	{"gpt-5.4-nano", 400_000, 128_000, images, freeCache(0.20, 1.25, 0.02)},
}

// Anthropic returns the catalog of the Anthropic models. An unknown one is likely newer
// than the table: 32k is within what every current family gives.
func Anthropic() Catalog {
	return catalog(anthropicModels, known{context: 200_000, output: 32_000}, func(m known) Limits {
		l := Limits{ContextTokens: m.context, OutputTokens: m.output, Attachments: anthropicAttachments}
		l.Attachments.ImageTypes = append([]string(nil), anthropicAttachments.ImageTypes...)
		return l
	})
}

// OpenAI returns the catalog of OpenAI's own models. The service counts every image of a
// request, and takes them in data URLs and by their addresses. PDFs are file parts, which
// models that see pages read.
func OpenAI() Catalog {
	return catalog(openAIModels, known{context: 128_000, output: 16_384, takes: images}, func(m known) Limits {
		a := attachment.Limits{TextBytes: min(384*kib, m.context), RequestBytes: 50 * mib}
		switch m.takes {
		case images:
			a.ImageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
			a.ImageURLs, a.ImageBytes, a.ImageSide, a.Images = true, 20*mib, 8000, 250
			a.PDF, a.PDFBytes, a.PDFPages = true, 32*mib, 100
		case audio:
			a.AudioTypes, a.AudioBytes = []string{"audio/wav", "audio/mpeg"}, 20*mib
		case text:
		}
		return Limits{ContextTokens: m.context, OutputTokens: m.output, Attachments: a}
	})
}
