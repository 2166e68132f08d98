package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/attachment"
	"belay/internal/tool"
)

// folder is where long results and files are kept in the scratch folder.
const folder = "mcp"

// maxFiles is how many files of one result are kept.
const maxFiles = 20

// extensions are those of the types that come often; others get .bin.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf",
	"audio/wav": ".wav", "audio/mpeg": ".mp3", "text/plain": ".txt", "text/markdown": ".md", "application/json": ".json",
}

// shown gathers what a model gets of a result.
type shown struct {
	call  *call
	texts []string
	items []attachment.Item
	// files are the paths of the files that were kept.
	files []string
	cut   bool
}

// result is a server's answer as the model gets it.
func (c *call) result(ctx context.Context, res *sdk.CallToolResult) (tool.Result, error) {
	s := shown{call: c}
	for _, part := range res.Content {
		if err := s.add(ctx, part); err != nil {
			return tool.Result{}, err
		}
	}
	var value map[string]any
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return tool.Result{}, tool.Refuse("the answer of the MCP server %s cannot be read", c.tool.server.Name).Because(err)
		}
		if len(res.Content) == 0 {
			s.texts = append(s.texts, string(raw))
		}
		var plain any
		if err := json.Unmarshal(raw, &plain); err != nil {
			return tool.Result{}, tool.Refuse("the answer of the MCP server %s cannot be read", c.tool.server.Name).Because(err)
		}
		value = map[string]any{"structured": plain}
	}
	if len(s.texts) == 0 {
		s.texts = []string{"The call has no result."}
	}
	text, cut, err := c.w.Beginning("", strings.Join(s.texts, "\n\n"), folder)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: text, Truncated: cut, Value: value, Items: s.items, Failed: res.IsError}, nil
}

// add takes one part of an answer.
func (s *shown) add(ctx context.Context, part sdk.Content) error {
	switch p := part.(type) {
	case *sdk.TextContent:
		s.text(p.Text)
	case *sdk.ImageContent:
		return s.file(ctx, p.MIMEType, p.Data)
	case *sdk.AudioContent:
		return s.file(ctx, p.MIMEType, p.Data)
	case *sdk.EmbeddedResource:
		if r := p.Resource; r != nil {
			if r.Text != "" || len(r.Blob) == 0 {
				s.text(r.URI + ":\n" + r.Text)
				return nil
			}
			return s.file(ctx, r.MIMEType, r.Blob)
		}
	case *sdk.ResourceLink:
		s.text(strings.TrimSpace(fmt.Sprintf("%s (%s): %s", p.URI, p.Name, p.Description)))
	default:
		s.text(fmt.Sprintf("[a part of the answer is a %T, which cannot be shown]", part))
	}
	return nil
}

func (s *shown) text(text string) { s.texts = append(s.texts, strings.ToValidUTF8(text, "\uFFFD")) }

// file keeps a file of the answer in the scratch folder, and shows it to the model where
// the turn admits its kind.
func (s *shown) file(ctx context.Context, kind string, data []byte) error {
	if len(s.files) == maxFiles {
		if !s.cut {
			s.text(fmt.Sprintf("[only the first %d files were kept]", maxFiles))
		}
		s.cut = true
		return nil
	}
	kind, _, err := mime.ParseMediaType(kind)
	if err != nil {
		kind = "application/octet-stream"
	}
	ext := cmp.Or(extensions[kind], ".bin")
	path, err := s.call.w.Keep(folder, ext, data)
	if err != nil {
		return err
	}
	if slices.Contains(s.files, path) { // the same file once more
		return nil
	}
	s.files = append(s.files, path)
	note := fmt.Sprintf("%s (%s, %d bytes)", path, kind, len(data))
	item, err := s.call.w.Files.Admit(ctx, path)
	if refusal, ok := tool.AsRefusal(err); ok {
		s.text(fmt.Sprintf("%s was kept and is not shown: %s", note, refusal.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	s.items = append(s.items, item)
	s.text(note + " is attached")
	return nil
}
