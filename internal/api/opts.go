package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"belay/internal/turn"
)

// optNames are the options that a turn knows, for telling the unknown ones.
var optNames = []string{
	"maxCostUsd", "maxTokens", "maxTurns", "mode", "model", "onBusy", "onDisconnect", "onQuestion",
	"persona", "subagentGovernance", "timeoutMs", "tools",
}

// readOpts decodes the types of opts. What the values mean, and which are in
// range, the engine knows.
func readOpts(f fields) turn.Opts {
	o := turn.Opts{
		Persona:      f.optional("persona"),
		Mode:         f.optional("mode"),
		Model:        f.optional("model"),
		MaxTokens:    f.integer("maxTokens"),
		MaxCostUSD:   f.float("maxCostUsd"),
		TimeoutMS:    f.integer("timeoutMs"),
		OnDisconnect: f.optional("onDisconnect"),
		OnBusy:       f.optional("onBusy"),
		OnQuestion:   f.optional("onQuestion"),
	}
	if tools := f.strings("tools"); tools != nil {
		o.Tools = &tools
	}
	if n := f.integer("maxTurns"); n != nil {
		turns := int(*n)
		o.MaxTurns = &turns
	}
	if g := f.object.get("subagentGovernance"); g.kind != absent {
		// Its own gate judges it, whatever it is.
		o.SubagentGovernance = bytes.Clone(g.raw)
	}
	for _, name := range f.object.names {
		if _, known := slices.BinarySearch(optNames, name); !known {
			o.Unknown = append(o.Unknown, name)
		}
	}
	slices.Sort(o.Unknown)
	return o
}

// digest identifies what a turn request asks for, however it was written down:
// the same message, attachments and options give the same digest.
func digest(body value) string {
	sum := sha256.New()
	for _, name := range []string{"message", "attachments", "opts"} {
		sum.Write([]byte(name))
		sum.Write(canonical(nil, body.get(name)))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// canonical appends v with sorted keys and without insignificant spelling.
func canonical(b []byte, v value) []byte {
	switch v.kind {
	case text:
		quoted, _ := json.Marshal(v.text) // a valid string always encodes
		return append(b, quoted...)
	case array:
		b = append(b, '[')
		for _, item := range v.items {
			b = append(canonical(b, item), ',')
		}
		return append(b, ']')
	case object:
		order := make([]int, len(v.names))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.names[i], v.names[j]) })
		b = append(b, '{')
		for _, i := range order {
			b = append(canonical(b, value{kind: text, text: v.names[i]}), ':')
			b = append(canonical(b, v.items[i]), ',')
		}
		return append(b, '}')
	}
	return append(b, v.raw...)
}
