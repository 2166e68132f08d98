package files

import (
	"context"
	"encoding/json"

	"belay/internal/tool"
)

// edit replaces parts of a text file.
type edit struct{}

type editInput struct {
	Path  string        `json:"path"`
	Edits []replacement `json:"edits"`
}

// Spec implements [tool.Tool].
func (edit) Spec() tool.Spec {
	return tool.Spec{
		Name: "edit",
		Description: "Replace parts of a text file. Each edit's old text must occur in the file exactly once, character for character with its indentation " +
			"(without the line numbers that read shows); give more lines around it to make it unique, or set replace_all to replace every occurrence. " +
			"Edits are applied one after the other, each to the result of the one before; if one fails, none is done. " +
			"Line endings and encoding of the file are kept.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","edits"],"properties":{
"path":{"type":"string","minLength":1,"description":"relative to the project, or absolute in the scratch folder"},
"edits":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","additionalProperties":false,"required":["old","new"],"properties":{
"old":{"type":"string","minLength":1,"description":"text that is in the file"},
"new":{"type":"string","description":"text to put in its place"},
"replace_all":{"type":"boolean","description":"replace every occurrence"}}}}}}`),
	}
}

// Prepare implements [tool.Tool].
func (edit) Prepare(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[editInput](input)
	if err != nil {
		return nil, err
	}
	p, before, err := plan(ctx, w, in.Path)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return nil, notFound(w, p)
	}
	if shown := w.Seen.Last(p.shown()); shown != "" && shown != before.sha256 {
		return nil, tool.Refuse("%s has changed since you read it", p.shown()).WithHint("read it again")
	}
	text, e, err := decodeText(before.data)
	if err != nil {
		return nil, unreadable(p.shown(), err)
	}
	edited, err := apply(text, in.Edits, w.Limits.WriteBytes)
	if err != nil {
		return nil, tool.Refuse("%s: %v", p.shown(), err).WithHint("nothing was changed; read the file and repeat the edit with its exact text")
	}
	c := &change{w: w, p: p, before: before, after: encodeText(edited, e), tool: "edit", done: "edited"}
	if err := c.settle(); err != nil {
		return nil, err
	}
	return c, nil
}
