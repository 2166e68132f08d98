package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

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
	text, err := b.tools.JSON(specs, len(p.System) == 0)
	if err != nil {
		return err
	}
	var all sdk.ToolUnionParam
	param.SetJSON([]byte(strconv.Quote(b.files.AddJSON(text))), &all)
	p.Tools = []sdk.ToolUnionParam{all}
	return nil
}

// toolsJSON is specs as the service gets them, separated by commas. The last is
// marked where it is the end of what is cached.
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
