package model

import (
	"maps"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input      float64 `json:"input" yaml:"input"`
	Output     float64 `json:"output" yaml:"output"`
	CacheRead  float64 `json:"cacheRead" yaml:"cache_read"`
	CacheWrite float64 `json:"cacheWrite" yaml:"cache_write"`
}

// Prices is keyed like [Catalog].Models: by the model's name without date or
// tag, in lower case.
type Prices map[string]Price

// Cost returns what u cost in US dollars. It reports false for a model without
// a price; such a model must not be given a cost budget.
func (p Prices) Cost(model string, u Usage) (usd float64, ok bool) {
	price, ok := p.Price(model)
	if !ok {
		return 0, false
	}
	return (float64(u.InputTokens)*price.Input +
		float64(u.OutputTokens)*price.Output +
		float64(u.CacheReadTokens)*price.CacheRead +
		float64(u.CacheWriteTokens)*price.CacheWrite) / 1e6, true
}

// Bounds reports whether a cost budget can hold for a model of a provider: the price is
// known, or it is the embedded provider, which costs nothing.
func (p Prices) Bounds(provider, model string) bool {
	_, known := p.Price(model)
	return known || provider == Scripted
}

// Price returns what a model costs; it reports false where that is not known. Another word
// in its name is another model: gpt-5-pro is not gpt-5.
func (p Prices) Price(model string) (Price, bool) {
	price, rest, ok := lookup(p, model)
	return price, ok && price != unknown && sameModel(rest)
}

// Listed reports whether a name is that of a model of the built-in list, or of a variant of
// one.
func Listed(name string) bool {
	_, _, ok := lookup(ListPrices(), name)
	return ok
}

// sameModel reports whether what a name has beyond that of a model is a date, the word
// latest, or a tag.
func sameModel(rest string) bool {
	switch {
	case rest == "", rest[0] == ':', rest[0] == '@', rest == "-latest":
		return true
	}
	return rest[0] == '-' && strings.Trim(rest[1:], "0123456789") == ""
}

// PriceOverride is what somebody says of the price of a model, in US dollars per million
// tokens. What is nil they do not say.
type PriceOverride struct{ Input, Output, CacheRead, CacheWrite *float64 }

// cacheWriteFactor is what writing the prompt cache costs, in input prices, where nobody says
// it. It is the price of the cache that belay asks for, of five minutes.
const cacheWriteFactor = 1.25

// With returns a copy of p in which the overrides hold, by model. What an override does not
// say stays as it is in p. A model that has no price in p needs those of input and output, or
// has none. Its cache costs what input costs, or more, unless the override says it.
func (p Prices) With(overrides map[string]PriceOverride) Prices {
	all := maps.Clone(p)
	if all == nil {
		all = Prices{}
	}
	for name, o := range overrides {
		price, known := p.Price(name)
		if !known && (o.Input == nil || o.Output == nil) {
			all[strings.ToLower(name)] = unknown
			continue
		}
		if !known {
			price.CacheRead, price.CacheWrite = *o.Input, cacheWriteFactor**o.Input
		}
		all[strings.ToLower(name)] = Price{
			Input: or(o.Input, price.Input), Output: or(o.Output, price.Output),
			CacheRead: or(o.CacheRead, price.CacheRead), CacheWrite: or(o.CacheWrite, price.CacheWrite),
		}
	}
	return all
}

// or is what somebody said, and otherwise what holds without it.
func or(said *float64, otherwise float64) float64 {
	if said != nil {
		return *said
	}
	return otherwise
}

// unknown stands for a model whose price is not known, so that no shorter name does.
var unknown = Price{Input: -1}

// ListPrices returns the published prices per million tokens. A model that is
// not listed, or whose price depends on the size of the prompt, has none until
// the configuration gives it one: a wrong price would be worse.
func ListPrices() Prices {
	all := Prices{}
	for _, m := range slices.Concat(anthropicModels, openAIModels) {
		for name := range strings.FieldsSeq(m.names) {
			if all[name] = m.price; m.price == (Price{}) {
				all[name] = unknown
			}
		}
	}
	return all
}

// isoDate is a date at the end of a name, whose parts look like minor versions.
var isoDate = lazyregexp.New(`-\d{4}-\d{2}-\d{2}$`)

// lookup finds the entry whose key is the longest start of name such that only
// a date, a word or a tag is left over. A left-over minor version is no match:
// claude-opus-4-9 is another model than claude-opus-4, at another price. Rest is what is
// left over.
func lookup[T any](table map[string]T, name string) (found T, rest string, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if v, ok := table[name]; ok {
		return v, "", true // also a version of one day
	}
	name = isoDate.ReplaceAllString(name, "")
	for key := name; key != ""; {
		if v, ok := table[key]; ok {
			return v, name[len(key):], true
		}
		cut := strings.LastIndexAny(key, "-@:.")
		if cut < 0 || minorVersion(key[cut+1:]) {
			break
		}
		key = key[:cut]
	}
	return found, "", false
}

// minorVersion reports whether a word of a model's name is a number of at most
// two digits. Dates have eight.
func minorVersion(word string) bool {
	if len(word) == 0 || len(word) > 2 {
		return false
	}
	return strings.Trim(word, "0123456789") == ""
}
