package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/tool"
)

// read shows a file: text by pages of lines, images and PDFs as attachments.
type read struct{}

type readInput struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

const defaultLines = 2000

// Spec implements [tool.Tool].
func (read) Spec() tool.Spec {
	return tool.Spec{
		Name: "read",
		Description: "Read a file. Text comes with line numbers, at most 2000 lines unless limit says otherwise; lines over 2000 bytes are cut. " +
			"Page with offset (first line to show) and limit; a negative offset shows the last lines, also of very large files. " +
			"Images (PNG, JPEG, GIF, WebP) and PDFs are shown to you as attachments. Other binary files, folders, pipes and devices are refused.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
"path":{"type":"string","minLength":1,"description":"relative to the project, or absolute in the project or the scratch folder"},
"offset":{"type":"integer","minimum":-1000000000,"maximum":1000000000,"description":"first line, from 1; negative counts from the end: -50 shows the last 50 lines"},
"limit":{"type":"integer","minimum":1,"maximum":100000,"description":"most lines to show, 2000 by default"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (read) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[readInput](input)
	if err != nil {
		return nil, err
	}
	p, err := locate(w, in.Path)
	if err != nil {
		return nil, err
	}
	if !p.exists() {
		return nil, notFound(w, p)
	}
	if err := p.regular(); err != nil {
		return nil, err
	}
	limited := in.Limit > 0
	if !limited {
		in.Limit = defaultLines
	}
	return &readCall{w, p, in, limited}, nil
}

type readCall struct {
	w  *tool.Environment
	p  place
	in readInput
	// limited is set where the call says how many lines it wants.
	limited bool
}

// value is the result for a program, nil for a model: the text as it is, or the lines that
// were asked for, without numbers.
func (c *readCall) value(text string, lines []string) map[string]any {
	if !c.w.Unread {
		return nil
	}
	if c.limited && c.in.Limit < len(lines) {
		lines = lines[:c.in.Limit]
	}
	if c.limited || c.in.Offset != 0 {
		text = strings.Join(lines, "\n")
	}
	return map[string]any{"path": c.p.shown(), "content": text}
}

// Effect implements [tool.Call].
func (c *readCall) Effect() permit.Effect {
	return permit.Effect{Tool: "read", Kind: permit.Read, Summary: tool.Clip("read "+c.p.shown(), 190), Paths: []string{c.p.shown()}, Touched: c.p.alias()}
}

// Run implements [tool.Call].
func (c *readCall) Run(ctx context.Context) (tool.Result, error) { return c.show(ctx, c.attach) }

// Foresee implements [tool.Foreseer].
func (c *readCall) Foresee(ctx context.Context) error {
	w := *c.w
	w.Seen = &tool.Seen{} // it is not shown to anybody
	apart := *c
	apart.w = &w
	result, err := apart.show(ctx, func(context.Context) (tool.Result, error) { return tool.Result{}, nil })
	if err == nil && c.w.Unread && result.Truncated && result.Value == nil {
		return tool.Refuse("%s is too large to be read as a whole", c.p.shown()).WithHint("read a part of it with offset and limit")
	}
	return err
}

// show reads the file; attach shows one that is an image or a PDF.
func (c *readCall) show(ctx context.Context, attach func(context.Context) (tool.Result, error)) (result tool.Result, err error) {
	err = steady(ctx, func() error {
		f, info, err := c.p.open()
		if err != nil {
			return err
		}
		defer f.Close()
		head, err := section(f, info, 0, min(1024, info.Size()))
		switch {
		case err != nil:
			return err
		case drawn(head):
			result, err = attach(ctx)
		case info.Size() <= c.w.Limits.ReadBytes:
			result, err = c.whole(f, info)
		case c.in.Offset < 0:
			result, err = c.tail(f, info)
		default:
			result, err = c.head(f, info)
		}
		return err
	})
	if err != nil {
		return tool.Result{}, unreadable(c.p.shown(), err)
	}
	return result, nil
}

// drawn reports whether a file is an image or a PDF that models are shown.
func drawn(head []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "%PDF-"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

// attach shows the file as an attachment.
func (c *readCall) attach(ctx context.Context) (tool.Result, error) {
	item, err := c.w.Files.Admit(ctx, c.p.abs())
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Text:  fmt.Sprintf("%s is attached (%s, %d bytes)", c.p.shown(), item.MIMEType, item.Bytes),
		Items: []attachment.Item{item},
	}, nil
}

// unreadable turns an error of reading a file into a refusal.
func unreadable(shown string, err error) error {
	var not notText
	switch {
	case errors.As(err, &not):
		return tool.Refuse("%s %s", shown, not.why).WithHint("only text, images and PDFs can be read")
	case errors.Is(err, errChanging):
		return tool.Refuse("%s keeps changing while it is read", shown).WithHint("try again when it is at rest").Because(err)
	case errors.Is(err, durable.ErrTooLarge):
		return tool.Refuse("%s is too large: %v", shown, err).Because(err)
	case errors.Is(err, durable.ErrNotRegular):
		return tool.Refuse("%s is not a file any more", shown).Because(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return explain(shown, err)
}

// notFound refuses a path that leads to nothing and says what was perhaps meant.
func notFound(w *tool.Environment, p place) error {
	r := tool.Refuse("%s does not exist", tool.Clip(p.shown(), 200))
	if p.missing != 1 {
		return r.WithHint("find files with glob or list")
	}
	dir := path.Dir(p.name)
	folder, err := durable.OpenFolder(p.root, dir)
	if err != nil {
		return r
	}
	defer folder.Close()
	entries, _, err := readNames(folder, 1000)
	if err != nil {
		return r
	}
	var names []string
	for _, e := range entries {
		if p.scratch || !w.Hides(path.Join(dir, e.Name()), e.IsDir()) {
			names = append(names, e.Name())
		}
	}
	if near := nearest.Of(path.Base(p.name), names); near != "" {
		return r.WithHint("did you mean %s?", p.below(path.Join(dir, near)))
	}
	return r.WithHint("find files with glob or list")
}
