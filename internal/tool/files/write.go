package files

import (
	"context"
	"encoding/json"

	"belay/internal/tool"
)

// write creates or replaces a file.
type write struct{}

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Spec implements [tool.Tool].
func (write) Spec() tool.Spec {
	return tool.Spec{
		Name: "write",
		Description: "Create a file, or replace all of one that exists; folders are made as needed. " +
			"A file that exists must have been read in full first, and not have changed since. " +
			"Use edit to change parts of a file. The content is written as it is, in UTF-8.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","content"],"properties":{
"path":{"type":"string","minLength":1,"description":"relative to the project, or absolute in the scratch folder"},
"content":{"type":"string","description":"all that the file is to hold"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (write) Prepare(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[writeInput](input)
	if err != nil {
		return nil, err
	}
	p, before, err := plan(ctx, w, in.Path)
	if err != nil {
		return nil, err
	}
	c := &change{w: w, p: p, before: before, after: []byte(in.Content), tool: "write", done: "wrote"}
	if before != nil && !w.Unread {
		switch shown := w.Seen.Last(p.shown()); {
		case shown == "":
			return nil, tool.Refuse("%s exists, and you have not read it", p.shown()).WithHint("read it first, then write it; or change parts of it with edit")
		case shown != before.sha256:
			return nil, tool.Refuse("%s has changed since you read it", p.shown()).WithHint("read it again")
		case w.Seen.SHA256(p.shown()) == "":
			return nil, tool.Refuse("%s exists, and you have read only a part of it", p.shown()).WithHint("read the rest first; or change parts of it with edit")
		}
	}
	if err := c.settle(); err != nil {
		return nil, err
	}
	return c, nil
}
