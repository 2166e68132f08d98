package model

import (
	"strings"

	"belay/internal/attachment"
)

// openAIImages are the images of OpenAI's own service. It counts every image of a
// request, and takes them in data URLs and by their addresses.
func openAIImages(l attachment.Limits) attachment.Limits {
	l.ImageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	l.ImageURLs = true
	l.ImageBytes = 20 * mib
	l.ImageSide = 8000
	l.Images = 250
	return l
}

// openAIDocuments are PDFs as file parts, which models that see pages read.
func openAIDocuments(l attachment.Limits) attachment.Limits {
	l.PDF = true
	l.PDFBytes = 32 * mib
	l.PDFPages = 100
	return l
}

// OpenAI returns the catalog of OpenAI's own models. Where the price of a model
// depends on the length of the prompt, its context is that of the lower price: an
// override raises it.
func OpenAI() Catalog {
	const request = 50 * mib
	text := func(context, output int64) Limits {
		return Limits{ContextTokens: context, OutputTokens: output, Attachments: attachment.Limits{
			TextBytes: min(384*kib, context), RequestBytes: request,
		}}
	}
	sees := func(context, output int64) Limits {
		l := text(context, output)
		l.Attachments = openAIDocuments(openAIImages(l.Attachments))
		return l
	}
	hears := func(context, output int64) Limits {
		l := text(context, output)
		l.Attachments.AudioTypes = []string{"audio/wav", "audio/mpeg"}
		l.Attachments.AudioBytes = 20 * mib
		return l
	}
	return Catalog{
		// An unknown model is likely newer than this table.
		Default: sees(128_000, 16_384),
		Models: map[string]Limits{
			"gpt-3.5-turbo":             text(16_385, 4_096),
			"gpt-4":                     text(8_192, 4_096),
			"gpt-4-turbo":               sees(128_000, 4_096),
			"gpt-4o":                    sees(128_000, 16_384),
			"gpt-4o-mini":               sees(128_000, 16_384),
			"gpt-4o-audio-preview":      hears(128_000, 16_384),
			"gpt-4o-mini-audio-preview": hears(128_000, 16_384),
			"gpt-audio":                 hears(128_000, 16_384),
			"gpt-audio-mini":            hears(128_000, 16_384),
			"gpt-4.1":                   sees(1_047_576, 32_768),
			"gpt-4.1-mini":              sees(1_047_576, 32_768),
			"gpt-4.1-nano":              sees(1_047_576, 32_768),
			"o1":                        sees(200_000, 100_000),
			"o3":                        sees(200_000, 100_000),
			"o3-mini":                   text(200_000, 100_000),
			"o4-mini":                   sees(200_000, 100_000),
			"gpt-5":                     sees(400_000, 128_000),
			"gpt-5-mini":                sees(400_000, 128_000),
			"gpt-5-nano":                sees(400_000, 128_000),
			"gpt-5.1":                   sees(400_000, 128_000),
			"gpt-5.2":                   sees(400_000, 128_000),
			"gpt-5.4":                   sees(272_000, 128_000),
			"gpt-5.4-mini":              sees(400_000, 128_000),
			"gpt-5.4-nano":              sees(400_000, 128_000),
			"gpt-5.5":                   sees(272_000, 128_000),
		},
	}
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
