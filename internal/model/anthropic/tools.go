package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"belay/internal/model"
)

// addTools puts the tools into p, and marks the end of what all turns share: the
// system prompt, which comes behind the tools, or the tools alone. It comes last:
// the tools are the body's last placeholder.
func (b *builder) addTools(p *sdk.MessageNewParams, specs []model.ToolSpec) error {
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	if len(specs) == 0 {
		return nil
	}
	text, err := b.tools.json(specs, len(p.System) == 0)
	if err != nil {
		return err
	}
	var all sdk.ToolUnionParam
	param.SetJSON([]byte(strconv.Quote(b.slots.addJSON(text))), &all)
	p.Tools = []sdk.ToolUnionParam{all}
	return nil
}

// toolSets keeps the JSON of tools: it is long, and the same from turn to turn.
type toolSets struct {
	mu   sync.Mutex
	sets []toolSet // the one that was used last is the first
}

// toolSet is tools as the service gets them, separated by commas.
type toolSet struct {
	specs  []model.ToolSpec
	marked bool // the last is the end of what is cached
	text   []byte
}

// keptToolSets is how many are kept: personas have tools of their own.
const keptToolSets = 16

// json is the JSON of specs, which is kept and must not be changed.
func (t *toolSets) json(specs []model.ToolSpec, marked bool) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.sets, func(s toolSet) bool {
		return s.marked == marked && slices.EqualFunc(s.specs, specs, sameTool)
	})
	var set toolSet
	if i >= 0 {
		set = t.sets[i]
		t.sets = slices.Delete(t.sets, i, i+1)
	} else {
		text, err := toolsJSON(specs, marked)
		if err != nil {
			return nil, err
		}
		set = toolSet{slices.Clone(specs), marked, text}
		t.sets = t.sets[:min(len(t.sets), keptToolSets-1)]
	}
	t.sets = slices.Insert(t.sets, 0, set)
	return set.text, nil
}

func sameTool(a, b model.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

func toolsJSON(specs []model.ToolSpec, marked bool) ([]byte, error) {
	all := make([]sdk.ToolParam, len(specs))
	for i, t := range specs {
		all[i].Name = t.Name
		if t.Description != "" {
			all[i].Description = param.NewOpt(t.Description)
		}
		if len(t.Schema) > 0 {
			param.SetJSON(t.Schema, &all[i].InputSchema)
		}
	}
	if marked {
		all[len(all)-1].CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode the tools: %w", err)
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]")), nil
}
