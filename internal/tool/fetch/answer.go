package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"

	"belay/internal/attachment"
	"belay/internal/attachment/webpage"
	"belay/internal/tool"
)

// answer is what a server said.
type answer struct {
	w      *tool.Environment
	url    *url.URL // the last one, after redirects
	status int
	header string // Content-Type
	body   []byte
	cut    bool // the body goes on
}

// folder is where long answers and files are kept in the scratch folder.
const folder = "fetched"

// attached are the types that models are shown as attachments, with the extension
// that the file gets.
var attached = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf",
}

// result notifies the model of it.
func (a *answer) result(ctx context.Context) (tool.Result, error) {
	kind, _, err := mime.ParseMediaType(a.header)
	if err != nil || kind == "application/octet-stream" {
		kind, _, _ = strings.Cut(http.DetectContentType(a.body), ";")
	}
	if is, _, _ := strings.Cut(http.DetectContentType(a.body), ";"); attached[is] != "" {
		kind = is // bytes win
	}
	if ext := attached[kind]; ext != "" && a.status < 300 {
		return a.attach(ctx, kind, ext)
	}
	if !textual(kind) {
		return tool.Result{}, tool.Refuse("%s is %s (status %d), which cannot be shown", a.name(), tool.Clip(kind, 100), a.status)
	}
	text, err := a.text(ctx, kind)
	if err != nil {
		return tool.Result{}, err
	}
	return a.tell(kind, text)
}

func (a *answer) name() string { return tool.Clip(a.url.String(), 300) }

// textual reports whether a type is text that a model can read.
func textual(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return true
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml",
		"application/toml", "application/x-ndjson", "application/sql":
		return true
	}
	return false
}

// text decodes the body, whatever its character set, and makes HTML readable.
func (a *answer) text(ctx context.Context, kind string) (string, error) {
	isHTML := kind == "text/html" || kind == "application/xhtml+xml"
	data := a.body
	if isHTML || strings.Contains(strings.ToLower(a.header), "charset") {
		r, err := charset.NewReader(bytes.NewReader(a.body), a.header)
		if err == nil {
			// Decoding makes at most three bytes of one.
			data, err = io.ReadAll(io.LimitReader(r, 3*a.w.Limits.FetchBytes+16))
		}
		if err != nil {
			return "", tool.Refuse("%s is in a character set that cannot be read", a.name()).Because(err)
		}
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", tool.Refuse("%s says it is %s and is binary", a.name(), tool.Clip(kind, 100))
	}
	if isHTML {
		text, err := webpage.Text(ctx, data, a.url)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			return "", tool.Refuse("the page cannot be read as HTML").Because(err)
		}
		return text, nil
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

// tell writes the text, or its beginning with the file that has all of it.
func (a *answer) tell(kind, text string) (tool.Result, error) {
	head := fmt.Sprintf("%s (status %d, %s, %d bytes)\n\n", a.name(), a.status, kind, len(a.body))
	if a.cut {
		head += fmt.Sprintf("[only the first %d bytes were taken]\n", len(a.body))
	}
	shown, cut, err := a.w.Beginning(head, text, folder)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: shown, Failed: a.status >= 400, Truncated: a.cut || cut, Value: map[string]any{
		"url": a.url.String(), "status": a.status, "type": kind, "content": text,
	}}, nil
}

// attach shows an image or a PDF.
func (a *answer) attach(ctx context.Context, kind, ext string) (tool.Result, error) {
	if a.cut {
		return tool.Result{}, tool.Refuse("%s has more than %d bytes", a.name(), a.w.Limits.FetchBytes)
	}
	file, err := a.w.Keep(folder, ext, a.body)
	if err != nil {
		return tool.Result{}, err
	}
	item, err := a.w.Files.Admit(ctx, file)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Text:  fmt.Sprintf("%s (status %d, %s, %d bytes) is attached", a.name(), a.status, kind, len(a.body)),
		Items: []attachment.Item{item},
	}, nil
}
