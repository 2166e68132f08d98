package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"belay/internal/model"
)

// toolsJSON is specs as the service gets them, separated by commas. The last is
// marked where it is the end of what is cached: without a system prompt, which the
// service puts behind the tools.
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
