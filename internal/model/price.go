package model

import (
	"maps"
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
	price, ok := lookup(p, model)
	if !ok {
		return 0, false
	}
	return (float64(u.InputTokens)*price.Input +
		float64(u.OutputTokens)*price.Output +
		float64(u.CacheReadTokens)*price.CacheRead +
		float64(u.CacheWriteTokens)*price.CacheWrite) / 1e6, true
}

// With returns a copy of p in which the entries of overrides hold.
func (p Prices) With(overrides Prices) Prices {
	all := maps.Clone(p)
	if all == nil {
		all = Prices{}
	}
	for name, price := range overrides {
		all[strings.ToLower(name)] = price
	}
	return all
}

// ListPrices returns the published prices per million tokens. A model that is
// not listed, or whose price depends on the size of the prompt, has none until
// the configuration gives it one: a wrong price would be worse.
func ListPrices() Prices {
	// Writing the prompt cache of five minutes costs 1.25 times the input
	// price; reading it a tenth, or less where the third number says so.
	price := func(input, output, read float64) Price {
		return Price{Input: input, Output: output, CacheRead: read, CacheWrite: input * 1.25}
	}
	return Prices{
		"claude-3-haiku":    {Input: 0.25, Output: 1.25, CacheRead: 0.03, CacheWrite: 0.30},
		"claude-3-opus":     price(15, 75, 1.50),
		"claude-3-5-haiku":  price(0.80, 4, 0.08),
		"claude-3-5-sonnet": price(3, 15, 0.30),
		"claude-3-7-sonnet": price(3, 15, 0.30),
		"claude-opus-4":     price(15, 75, 1.50),
		"claude-opus-4-1":   price(15, 75, 1.50),
		"claude-opus-4-5":   price(5, 25, 0.50),
		"claude-opus-4-6":   price(5, 25, 0.50),
		"claude-opus-4-7":   price(5, 25, 0.50),
		"claude-opus-4-8":   price(5, 25, 0.50),
		"claude-opus-5":     price(5, 25, 0.50),
		"claude-opus-5-5":   price(4, 20, 0.20),
		"claude-sonnet-4":   price(3, 15, 0.30),
		"claude-sonnet-4-5": price(3, 15, 0.30),
		"claude-sonnet-4-6": price(3, 15, 0.30),
		"claude-sonnet-5":   price(2, 10, 0.20),
		"claude-sonnet-5-5": price(2, 10, 0.10),
		"claude-haiku-4-5":  price(1, 5, 0.10),
		"claude-fable-5":    price(10, 50, 1),
		"claude-fable-5-1":  price(10, 50, 0.25),
		"claude-mythos-5":   price(10, 50, 1),
		"claude-mythos-5-1": price(10, 50, 0.25),

		// OpenAI's cache costs nothing to write.
		"gpt-4o":       {Input: 2.50, Output: 10, CacheRead: 1.25},
		"gpt-4o-mini":  {Input: 0.15, Output: 0.60, CacheRead: 0.075},
		"gpt-4.1":      {Input: 2, Output: 8, CacheRead: 0.50},
		"gpt-4.1-mini": {Input: 0.40, Output: 1.60, CacheRead: 0.10},
		"gpt-4.1-nano": {Input: 0.10, Output: 0.40, CacheRead: 0.025},
		"o1":           {Input: 15, Output: 60, CacheRead: 7.50},
		"o3":           {Input: 2, Output: 8, CacheRead: 0.50},
		"o3-mini":      {Input: 1.10, Output: 4.40, CacheRead: 0.55},
		"o4-mini":      {Input: 1.10, Output: 4.40, CacheRead: 0.275},
		"gpt-5":        {Input: 1.25, Output: 10, CacheRead: 0.125},
		"gpt-5-mini":   {Input: 0.25, Output: 2, CacheRead: 0.025},
		"gpt-5-nano":   {Input: 0.05, Output: 0.40, CacheRead: 0.005},
		"gpt-5.1":      {Input: 1.25, Output: 10, CacheRead: 0.125},
		"gpt-5.2":      {Input: 1.75, Output: 14, CacheRead: 0.175},
		"gpt-5.4-mini": {Input: 0.75, Output: 4.50, CacheRead: 0.075},
		"gpt-5.4-nano": {Input: 0.20, Output: 1.25, CacheRead: 0.02},
	}
}

// isoDate is a date at the end of a name, whose parts look like minor versions.
var isoDate = lazyregexp.New(`-\d{4}-\d{2}-\d{2}$`)

// lookup finds the entry whose key is the longest start of name such that only
// a date, a word or a tag is left over. A left-over minor version is no match:
// claude-opus-4-9 is another model than claude-opus-4, at another price.
func lookup[T any](table map[string]T, name string) (T, bool) {
	name = isoDate.ReplaceAllString(strings.ToLower(strings.TrimSpace(name)), "")
	for key := name; key != ""; {
		if v, ok := table[key]; ok {
			return v, true
		}
		cut := strings.LastIndexAny(key, "-@:.")
		if cut < 0 || minorVersion(key[cut+1:]) {
			break
		}
		key = key[:cut]
	}
	var none T
	return none, false
}

// minorVersion reports whether a word of a model's name is a number of at most
// two digits. Dates have eight.
func minorVersion(word string) bool {
	if len(word) == 0 || len(word) > 2 {
		return false
	}
	return strings.Trim(word, "0123456789") == ""
}
