// Package mcptest is an MCP server for tests, on the server half of the official SDK. Each
// of its tools stands for something that servers do, well or badly.
package mcptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Main serves on stdin and stdout until stdin ends. It returns the exit code.
func Main() int {
	if err := Server().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// pixel is the smallest image.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

// input is what all tools take; each looks at its own part.
type input struct {
	Text   string `json:"text"`
	Folder string `json:"folder"`
	Bytes  int    `json:"bytes"`
}

// Server returns the server.
func Server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "mcptest", Version: "1.0.0"}, nil)
	text := `"text":{"type":"string","description":"what to say"}`
	add := func(name, properties string, required string, do func(ctx context.Context, in input) (*sdk.CallToolResult, error)) {
		schema := json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`)
		s.AddTool(&sdk.Tool{Name: name, Description: "Does " + name + ".", InputSchema: schema, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: name == "echo"}},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				var in input
				if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
					return nil, err
				}
				return do(ctx, in)
			})
	}
	said := func(text string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	}
	add("echo", text, `"text"`, func(_ context.Context, in input) (*sdk.CallToolResult, error) { return said(in.Text), nil })
	add("make", `"folder":{"type":"string"}`, `"folder"`, func(_ context.Context, in input) (*sdk.CallToolResult, error) {
		return said("made"), os.Mkdir(filepath.Clean(in.Folder), 0o700)
	})
	add("variable", text, `"text"`, func(_ context.Context, in input) (*sdk.CallToolResult, error) {
		return said(in.Text + "=" + os.Getenv(in.Text)), nil
	})
	add("fail", "", "", func(context.Context, input) (*sdk.CallToolResult, error) {
		res := said("the disk is on fire")
		res.IsError = true
		return res, nil
	})
	add("long", `"bytes":{"type":"integer"}`, `"bytes"`, func(_ context.Context, in input) (*sdk.CallToolResult, error) {
		return said(strings.Repeat("0123456789abcde\n", in.Bytes/16)), nil
	})
	add("files", "", "", func(context.Context, input) (*sdk.CallToolResult, error) {
		image, err := base64.StdEncoding.DecodeString(pixel)
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "here"},
			&sdk.ImageContent{MIMEType: "image/png", Data: image},
			&sdk.AudioContent{MIMEType: "audio/x-nothing", Data: []byte("no sound")},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "note://1", Text: "a note"}},
			&sdk.ResourceLink{URI: "note://2", Name: "second", Description: "another note"},
		}}, err
	})
	add("structured", "", "", func(context.Context, input) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: map[string]any{"degrees": 21}}, nil
	})
	add("wait", "", "", func(ctx context.Context, _ input) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("die", "", "", func(context.Context, input) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(3)
		return nil, nil
	})
	add("grow", "", "", func(context.Context, input) (*sdk.CallToolResult, error) {
		add("late", text, "", func(_ context.Context, in input) (*sdk.CallToolResult, error) { return said("late " + in.Text), nil })
		return said("grown"), nil
	})
	add("a.tool.with.a.name.that.is.so.long.that.no.provider.would.take.it.at.all", "", "", func(context.Context, input) (*sdk.CallToolResult, error) {
		return said("long name"), nil
	})
	// What the schema says is checked here: belay's library does not know such patterns.
	add("lookahead", `"text":{"type":"string","pattern":"^(?!no)"}`, "", func(_ context.Context, in input) (*sdk.CallToolResult, error) {
		if strings.HasPrefix(in.Text, "no") {
			return nil, fmt.Errorf("the text must not begin with no")
		}
		return said("ahead"), nil
	})
	return s
}
