package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

// input is what the schema describes.
type input struct {
	Command     string `json:"command"`
	Dir         string `json:"dir"`
	TimeoutMS   int64  `json:"timeout_ms"`
	Description string `json:"description"`
	Outside     bool   `json:"outside"`
	Reason      string `json:"reason"`
	Write       bool   `json:"write"`
	Background  bool   `json:"background"`
	// Ports are those of a background job that are opened for the person.
	Ports []uint16 `json:"ports"`
	// Job is what Action is about, in place of a command.
	Job    string `json:"job"`
	Action string `json:"action"`
}

// maxCommandBytes is what the kernel takes as one argument of a program, less
// some room.
const maxCommandBytes = 120 << 10

// maxSummaryBytes is the longest summary of an effect.
const maxSummaryBytes = 200

// Prepare implements tool.Tool.
func (s *Shell) Prepare(ctx context.Context, w *tool.Environment, raw json.RawMessage) (tool.Call, error) {
	var in input
	if err := tool.Decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Job != "" {
		return s.prepareJob(w, in)
	}
	switch {
	case strings.TrimSpace(in.Command) == "":
		return nil, tool.Refuse("command is blank").WithHint("say in command what bash runs, or in job which background job the call is about")
	case len(in.Command) > maxCommandBytes:
		return nil, tool.Refuse("command has %d bytes, and %d are the most", len(in.Command), maxCommandBytes).
			WithHint("write a script into the project or $TMPDIR and run that")
	case in.Outside && strings.TrimSpace(in.Reason) == "":
		return nil, tool.Refuse("a command outside the sandbox needs a reason").WithHint("say in reason, for the person, why it needs their files, network or credentials")
	case strings.ContainsRune(in.Command, 0):
		return nil, tool.Refuse("command holds a NUL byte, which no program can be given")
	}
	if err := in.checkBackground(w); err != nil {
		return nil, err
	}
	limit, err := timeLimit(w.Limits, in.TimeoutMS)
	if err != nil {
		return nil, err
	}
	if in.Background && in.TimeoutMS == 0 {
		limit = 0 // it ends with its turn
	}
	dir, err := workingDir(w, in.Dir)
	if err != nil {
		return nil, err
	}
	report, err := s.Report(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{shell: s, environment: w, in: in, dir: dir, limit: limit, report: report}
	if in.Outside {
		return c, nil
	}
	if c.deferred, err = c.overlaid(ctx); err != nil {
		return nil, err
	}
	if err := c.checkJob(); err != nil {
		return nil, err
	}
	if err := c.inspect(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// timeLimit is how long a command may run that asks for ms milliseconds.
func timeLimit(l tool.Limits, ms int64) (time.Duration, error) {
	if ms == 0 {
		return l.CommandTime, nil
	}
	if ms > l.CommandTimeMost.Milliseconds() {
		return 0, tool.Refuse("timeout_ms is %d, and %d is the most", ms, l.CommandTimeMost.Milliseconds()).
			WithHint("ask for less, or split the work")
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// workingDir is the absolute path of the folder that the model named, which is
// in the project or the scratch folder.
func workingDir(w *tool.Environment, dir string) (string, error) {
	base, root, rel := w.Project, w.Root, dir
	switch {
	case dir == "":
		return w.Project, nil
	case filepath.IsAbs(dir) && below(dir, w.Scratch) != "":
		base, root, rel = w.Scratch, w.ScratchRoot, below(dir, w.Scratch)
	case filepath.IsAbs(dir):
		rel = below(dir, w.Project)
	}
	if rel == "" || !filepath.IsLocal(filepath.FromSlash(rel)) {
		r := tool.Refuse("dir %q is not in the project", dir)
		r.Authority = true
		return "", r
	}
	rel = filepath.Clean(filepath.FromSlash(rel))
	info, err := root.Stat(rel)
	switch {
	case base == w.Project && w.Scope.Hidden(filepath.ToSlash(rel)), os.IsNotExist(err):
		return "", tool.Refuse("dir %q does not exist", dir)
	case err != nil:
		return "", tool.Refuse("dir %q cannot be used", dir).Because(err)
	case !info.IsDir():
		return "", tool.Refuse("dir %q is not a folder", dir).Because(fs.ErrInvalid)
	}
	return filepath.Join(base, rel), nil
}

// below is path relative to dir, "" where it is not in it.
func below(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return rel
}

// Effect implements tool.Call.
func (c *call) Effect() permit.Effect {
	parse := permit.ParseCommand
	if c.report.PlainShell {
		parse = permit.ParsePlainCommand
	}
	cmds, opaque, err := parse(c.in.Command)
	e := permit.Effect{
		Tool: Name, Kind: permit.Execute, Summary: c.summary(),
		Project: filepath.ToSlash(c.environment.Project), Command: c.in.Command, Commands: cmds, Opaque: opaque || err != nil,
		Network:    c.report.Network == confine.NetworkPorts || c.report.Network == confine.NetworkOpen,
		Unconfined: c.report.Unconfined, Deferred: c.deferred || c.readOnly(), Writes: !c.deferred && !c.readOnly(), Doubt: c.doubt,
	}
	e.Background, e.Ports = c.in.Background, c.in.Ports
	if c.in.Outside {
		e.Outside, e.Why, e.Network, e.Deferred = true, c.in.Reason, true, false
	}
	if rel := below(c.dir, c.environment.Project); rel != "." {
		e.Dir = filepath.ToSlash(rel)
		if rel == "" {
			e.Dir = c.dir
		}
	}
	e.Paths = e.Written()
	return e
}

// summary is the command's first line, and never the model's own word for it:
// people answer by what they see, and a model may call anything harmless.
func (c *call) summary() string {
	line, more, _ := strings.Cut(strings.TrimSpace(c.in.Command), "\n")
	if more != "" {
		line = fmt.Sprintf("%s …", strings.TrimSpace(line))
	}
	return tool.Clip(line, maxSummaryBytes)
}
