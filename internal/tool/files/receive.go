package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/attachment/download"
	"belay/internal/attachment/links"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
)

// receiveName is the tool that gets the files of people.
const receiveName = "attachment.download"

// Links knows the addresses of files that people sent. The items of records have their
// addresses without the query, which may be a secret.
type Links interface {
	// Address is the whole address of an item, or the one that the item has.
	Address(it block.Item) (string, error)
	// Renew asks the surface that the file came through for a new address, because the old
	// one has expired. A [*links.GoneError] is for the model.
	Renew(ctx context.Context, it block.Item) (string, error)
}

// receive writes the files that people sent with a message to where the other tools find
// them. Specification of the bus and Discord, B4.
type receive struct {
	downloads *download.Downloads
	links     Links
}

type receiveInput struct {
	Dir string `json:"downloadDir"`
}

const defaultReceiveDir = "~/Downloads"

// Spec implements [tool.Tool].
func (receive) Spec() tool.Spec {
	return tool.Spec{
		Name: receiveName,
		Description: "Save the files that people sent with their newest message that has some, so that you can read them and work with them. " +
			"You name no address: belay knows where the files are. The result has the path of each file, which is made from its content, and why a file could not be saved.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"downloadDir":{"type":"string","minLength":1,"maxLength":4096,"description":"the folder, which is made if needed: in the project, or below ~, the HOME of commands; ~/Downloads if absent"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t receive) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[receiveInput](input)
	if err != nil {
		return nil, err
	}
	in.Dir = cmp.Or(in.Dir, defaultReceiveDir)
	dir, err := receiveDir(w, in.Dir)
	if err != nil {
		return nil, err
	}
	probe := dir
	probe.name, probe.missing = path.Join(dir.name, unknownName), 1
	if err := writable(w, probe, probe.shown()); err != nil {
		return nil, err // before anything is fetched
	}
	c := &receiveCall{receive: t, w: w, dir: dir, written: in.Dir}
	if w.Received != nil {
		c.items = w.Received()
	}
	return c, nil
}

// receiveDir finds the folder of a call: in the project, or in the HOME of commands, for
// which a tilde stands.
func receiveDir(w *tool.Environment, written string) (place, error) {
	asked := written
	if rest, ok := strings.CutPrefix(written, "~"); ok && (rest == "" || rest[0] == '/') {
		asked = filepath.Join(w.Scratch, homeDir, filepath.FromSlash(rest))
	}
	dir, err := locate(w, asked)
	if err != nil {
		return place{}, err
	}
	if dir.scratch && dir.name != homeDir && !strings.HasPrefix(dir.name, homeDir+"/") {
		return place{}, authority("%s is neither in the project nor below ~", tool.Clip(written, 200)).
			WithHint("leave downloadDir out, or name a folder of the project")
	}
	if dir.exists() && !dir.info.IsDir() {
		return place{}, tool.Refuse("%s is a file, not a folder", dir.shown()).WithHint("name another downloadDir")
	}
	return dir, nil
}

// unknownName stands for the name of a file that has not come yet.
var unknownName = strings.Repeat("0", sha10)

// homeDir is the HOME of commands in the scratch folder.
const homeDir = "home"

type receiveCall struct {
	receive
	w *tool.Environment
	// dir is the folder, written what the call says of it.
	dir     place
	written string
	items   []block.Item
}

// Effect implements [tool.Call]. A call that finds no file changes nothing.
func (c *receiveCall) Effect() permit.Effect {
	e := permit.Effect{Tool: receiveName, Kind: permit.Write, Paths: []string{c.dir.shown()}, Touched: c.dir.alias()}
	var names []string
	for _, it := range c.items {
		names = append(names, attachment.DisplayName(it.Filename))
		// The name will be another one, made of the content, and such that rules for these fit.
		e.Touched = append(e.Touched, c.dir.below(path.Join(c.dir.name, unknownName+extensionOf(it.MIMEType, it))))
		if u, err := url.Parse(it.URL); err == nil && it.URL != "" && !slices.Contains(e.Hosts, u.Host) {
			e.Hosts = append(e.Hosts, u.Host)
		}
	}
	if len(names) == 0 {
		e.Kind = permit.Read
		names = []string{"nothing, for no message has files,"}
	}
	e.Summary = tool.Clip(fmt.Sprintf("save %s to %s", strings.Join(names, ", "), c.dir.shown()), 190)
	return e
}

// received is what the model reads of one file.
type received struct {
	Path      string `json:"path,omitempty"`
	SHA10     string `json:"sha10,omitempty"`
	Bytes     int64  `json:"bytes,omitempty"`
	SourceURL string `json:"sourceUrl"`
	MIMEType  string `json:"mimeType,omitempty"`
	// Error is why there is no file, for the model.
	Error string `json:"error,omitempty"`
}

// receivedAll is the result of a call. OK is false where no file could be saved.
type receivedAll struct {
	OK          bool       `json:"ok"`
	DownloadDir string     `json:"downloadDir"`
	Files       []received `json:"files"`
}

// Run implements [tool.Call]. A file that cannot be had costs the others nothing.
func (c *receiveCall) Run(ctx context.Context) (tool.Result, error) {
	all := receivedAll{OK: len(c.items) == 0, DownloadDir: c.dir.shown(), Files: []received{}}
	s := saving{call: c, left: c.w.Limits.ReceiveCallBytes, paths: map[string]string{}}
	for _, it := range c.items {
		got := received{SourceURL: sourceOf(it)}
		if err := s.save(ctx, it, &got); err != nil {
			why, err := excuse(ctx, err)
			if err != nil {
				return tool.Result{}, err
			}
			got = received{SourceURL: got.SourceURL, Error: why}
		}
		all.OK = all.OK || got.Error == ""
		all.Files = append(all.Files, got)
	}
	text, err := json.Marshal(all)
	return tool.Result{Text: string(text), Failed: !all.OK}, err
}

// sourceOf is where a file comes from, as models may know it.
func sourceOf(it block.Item) string {
	if it.SHA256 != "" {
		return "upload:" + it.SHA256
	}
	return it.Public().URL
}

// excuse is why a file could not be saved, for the model. The end of the turn and failures
// of belay's own storage are errors.
func excuse(ctx context.Context, err error) (string, error) {
	var (
		failure *fault.Error
		known   *download.Error
		gone    *links.GoneError
		refusal *tool.Refusal
	)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &refusal):
		return refusal.Error(), nil
	case errors.As(err, &known):
		return known.Reason, nil
	case errors.As(err, &gone):
		return gone.Error(), nil
	case errors.As(err, &failure):
		return "", err
	}
	r, ok := tool.AsRefusal(explain("the folder", err))
	if !ok {
		return "", err
	}
	return r.Error(), nil
}
