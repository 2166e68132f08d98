package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"belay/internal/model"
)

// addTools puts the tools into p. They are the body's last placeholder.
func (b *builder) addTools(p *sdk.ChatCompletionNewParams, specs []model.ToolSpec) error {
	if len(specs) == 0 {
		return nil
	}
	text, err := b.tools.JSON(specs, false)
	if err != nil {
		return err
	}
	var all sdk.ChatCompletionToolUnionParam
	param.SetJSON([]byte(strconv.Quote(b.files.AddJSON(text))), &all)
	p.Tools = []sdk.ChatCompletionToolUnionParam{all}
	return nil
}

// toolsJSON is specs as the service gets them, separated by commas.
func toolsJSON(specs []model.ToolSpec, _ bool) ([]byte, error) {
	all := make([]sdk.ChatCompletionToolUnionParam, len(specs))
	for i, t := range specs {
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		if len(t.Schema) > 0 {
			f.SetExtraFields(map[string]any{"parameters": t.Schema})
		}
		all[i] = sdk.ChatCompletionFunctionTool(f)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode the tools: %w", err)
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]")), nil
}
