package files

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"belay/internal/attachment"
	"belay/internal/permit"
	"belay/internal/tool"
)

// send gives files to people: they appear on every surface of the session, and in its
// transcript. Specification of the bus and Discord, A1 and A2.
type send struct{}

type sendInput struct {
	Path      string   `json:"path"`
	Paths     []string `json:"paths"`
	Filename  string   `json:"filename"`
	Filenames []string `json:"filenames"`
	MIMEType  string   `json:"mimeType"`
	MIMETypes []string `json:"mimeTypes"`
}

// Spec implements [tool.Tool].
func (send) Spec() tool.Spec {
	return tool.Spec{
		Name: "attachment.add",
		Description: "Send files to the people in this conversation, in the order of paths. Files of the project and of the scratch folder can be sent. " +
			"They are copied: later changes do not reach people. The result names what was sent; if one file cannot be sent, none is.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"path":{"type":"string","minLength":1,"description":"one file; ignored if there are paths"},
"paths":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string","minLength":1},"description":"relative to the project, or absolute in the project or the scratch folder"},
"filename":{"type":"string","maxLength":255,"description":"the name that people see, for a single file"},
"filenames":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":255},"description":"the names that people see, one for each of paths; an empty one keeps the name of the file"},
"mimeType":{"type":"string","maxLength":100,"description":"the MIME type, for a single file"},
"mimeTypes":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":100},"description":"the MIME types, one for each of paths; an empty one leaves it to the content"}}}`),
	}
}

// outgoing is one file of a call. Name and mimeType are what the call says, "" for what
// the file says.
type outgoing struct {
	place          place
	name, mimeType string
}

// Prepare implements [tool.Tool].
func (send) Prepare(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[sendInput](input)
	if err != nil {
		return nil, err
	}
	paths := in.Paths
	if len(paths) == 0 && in.Path != "" {
		paths = []string{in.Path}
	}
	if len(paths) == 0 {
		return nil, tool.Refuse("no file is named").WithHint("give paths, such as [\"out/plot.png\"]")
	}
	var wrong problems
	names, err := pairwise("filename", in.Filename, in.Filenames, len(paths))
	wrong.add(err)
	types, err := pairwise("mimeType", in.MIMEType, in.MIMETypes, len(paths))
	wrong.add(err)
	c := &sendCall{w: w}
	for i, written := range paths {
		p, err := locate(w, written)
		if err == nil && !p.exists() {
			err = notFound(w, p)
		}
		if err == nil {
			err = p.regular()
		}
		if wrong.add(err); err == nil && names != nil && types != nil {
			c.files = append(c.files, outgoing{p, names[i], types[i]})
		}
	}
	if err := wrong.refusal(); err != nil {
		return nil, err
	}
	if w.Destination == nil {
		return c, nil
	}
	// People decide on what leaves the machine: it is stored before they are asked.
	if c.items, err = c.acceptAll(ctx); err != nil {
		return nil, err
	}
	c.publication, err = publicationOf(w.Destination.Name, c.items, w.Blobs)
	return c, err
}

// pairwise returns what a call says of each of n files, "" for nothing.
func pairwise(field, one string, many []string, n int) ([]string, error) {
	all := make([]string, n)
	switch {
	case len(many) > n:
		return nil, tool.Refuse("%ss has %d entries for %d paths", field, len(many), n).WithHint("give one for each path")
	case one != "" && len(many) > 0:
		return nil, tool.Refuse("%s and %ss are both given", field, field).WithHint("give %ss alone", field)
	case one != "" && n > 1:
		return nil, tool.Refuse("%s is for a single file, and there are %d paths", field, n).WithHint("give %ss, one for each path", field)
	}
	copy(all, many)
	if one != "" {
		all[0] = one
	}
	return all, nil
}

type sendCall struct {
	w     *tool.Environment
	files []outgoing
	// items are the files as they are stored, and publication is what a person sees of
	// them: of a call that sends them to another machine.
	items       []attachment.Item
	publication *permit.Publication
}

// Effect implements [tool.Call]. Sending to the people at this machine changes nothing and
// shows them what they may read anyway. Files that leave the machine are published.
func (c *sendCall) Effect() permit.Effect {
	paths := make([]string, len(c.files))
	var links []string
	for i, f := range c.files {
		paths[i] = f.place.shown()
		links = append(links, f.place.alias()...)
	}
	e := permit.Effect{Tool: "attachment.add", Kind: permit.Read, Summary: "send " + strings.Join(paths, ", "), Paths: paths, Touched: links}
	if c.publication != nil {
		e.Kind, e.Publication = permit.Publish, c.publication
		e.Summary = "send to " + c.publication.Destination + ": " + strings.Join(paths, ", ")
	}
	e.Summary = tool.Clip(e.Summary, 190)
	return e
}

// Run implements [tool.Call]. Every file is checked and stored before the first is sent.
func (c *sendCall) Run(ctx context.Context) (tool.Result, error) {
	items := c.items
	if c.publication == nil {
		var err error
		if items, err = c.acceptAll(ctx); err != nil {
			return tool.Result{}, err
		}
	}
	text, err := json.Marshal(sentText(items))
	return tool.Result{Text: string(text), Sent: items}, err
}

// acceptAll checks the files and stores them. If one cannot be sent, none is.
func (c *sendCall) acceptAll(ctx context.Context) ([]attachment.Item, error) {
	var (
		items []attachment.Item
		wrong problems
		left  = c.w.Limits.SendCallBytes
	)
	for _, f := range c.files {
		it, err := c.accept(ctx, f, left)
		if err != nil {
			if _, ok := tool.AsRefusal(err); !ok {
				return nil, err
			}
			wrong.add(err)
			continue
		}
		left -= it.Bytes
		items = append(items, it)
	}
	return items, wrong.refusal()
}

// accept checks a file and stores it. Left is how many bytes the call may still send.
func (c *sendCall) accept(ctx context.Context, f outgoing, left int64) (attachment.Item, error) {
	shown := f.place.shown()
	file, info, err := f.place.open()
	if err != nil {
		return attachment.Item{}, unreadable(shown, err)
	}
	most := c.w.Limits.SendFileBytes
	switch size := info.Size(); {
	case size > most:
		err = tool.Refuse("%s has %d bytes; the limit for one file is %d bytes (tools.send_file_bytes)", shown, size, most)
	case size > left:
		err = tool.Refuse("with %s the call has more than %d bytes (tools.send_call_bytes)", shown, c.w.Limits.SendCallBytes).
			WithHint("send the files in several calls")
	}
	if err != nil {
		_ = file.Close() // it was only read
		return attachment.Item{}, err
	}
	name := path.Base(f.place.name)
	if f.name != "" {
		name = f.name
	}
	got, err := attachment.Accept(ctx, attachment.Opened{File: file, Name: name, Origin: shown, Hint: f.mimeType}, attachment.Terms{FileBytes: most}, c.w.Blobs)
	switch {
	case err != nil:
		return attachment.Item{}, err
	case got.Refused != nil:
		return attachment.Item{}, tool.Refuse("%s cannot be sent: %s", shown, got.Refused.Reason)
	}
	it := got.Item
	it.Named, it.Name = false, attachment.DisplayName(name)
	it.MIMEType, err = sentType(it, f.mimeType, name)
	if err != nil {
		return attachment.Item{}, tool.Refuse("%s %v", shown, err).WithHint("leave its mimeType out")
	}
	return it, nil
}
