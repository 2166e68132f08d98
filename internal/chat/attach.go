package chat

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/fault"
	"belay/internal/turn"
)

// inspected is what would become of a file that was attached.
type inspected struct {
	path string
	is   turn.Inspection
	err  error
}

// attach sends a file with the next message.
func (m *Model) attach(rest string) tea.Cmd {
	rest = strings.Trim(rest, `"`)
	if rest == "" {
		m.tell(warns, "name a file: /attach PATH")
		return nil
	}
	if err := m.editor.paths.attachable(rest); err != nil {
		m.tell(warns, err.Error())
		return nil
	}
	if slices.Contains(m.attached, rest) {
		m.tell(tells, oneLine(rest)+" is attached already")
		return nil
	}
	m.attached = append(m.attached, rest)
	return m.inspect(rest)
}

// inspect asks what would become of a file. An upload is checked when it is sent.
func (m *Model) inspect(path string) tea.Cmd {
	if m.o.Upload != nil {
		return nil
	}
	r := turn.InspectRequest{Attachments: []string{m.editor.paths.resolve(path)}, Model: m.o.Opts.Model, SessionID: m.session}
	return m.call(func(ctx context.Context) tea.Msg {
		all, err := m.o.Engine.Inspect(ctx, r)
		if err != nil || len(all) != 1 {
			return inspected{path: path, err: err}
		}
		return inspected{path: path, is: all[0]}
	})
}

// weighed takes the engine's word on a file: one that the turn would refuse does not
// go with it.
func (m *Model) weighed(msg inspected) {
	at := slices.Index(m.attached, msg.path)
	switch {
	case msg.err != nil:
		m.tell(fails, why(msg.err))
	case at < 0: // sent or dropped meanwhile
	case !msg.is.OK && msg.is.Reason != "":
		m.attached = slices.Delete(m.attached, at, at+1)
		m.tell(warns, msg.path+" is not attached: "+msg.is.Reason)
	case msg.is.Note != "":
		m.tell(tells, msg.path+": "+msg.is.Note)
	}
}

// drop takes back the files that were to go with the next message, or one of them.
func (m *Model) drop(rest string) tea.Cmd {
	rest = strings.Trim(rest, `"`)
	before := len(m.attached)
	m.attached = slices.DeleteFunc(m.attached, func(f string) bool { return rest == "" || f == rest })
	if len(m.attached) == before {
		m.tell(tells, "no such file is attached")
	}
	return nil
}

// Bring turns paths of this machine into those of the engine, with upload where that
// is on another one. A file that is refused there does not keep the others, and the
// words, from being sent, as a turn does not fail of one; refused says which and why.
func Bring(ctx context.Context, upload func(ctx context.Context, sessionID, path string) (string, error), sessionID string, files []string) (brought, refused []string, err error) {
	if upload == nil {
		return files, nil, nil
	}
	for _, f := range files {
		at, err := upload(ctx, sessionID, f)
		switch {
		case fault.Is(err, fault.AttachmentFailure):
			refused = append(refused, filepath.Base(f)+" was refused: "+refusal(err))
		case err != nil:
			return nil, nil, err
		default:
			brought = append(brought, at)
		}
	}
	return brought, refused, nil
}

// refusal is why a file was refused.
func refusal(err error) string {
	var f *fault.Error
	var all []struct {
		Reason string `json:"reason"`
	}
	if errors.As(err, &f) {
		data, merr := json.Marshal(f.Details["attachmentErrors"])
		if merr == nil && json.Unmarshal(data, &all) == nil && len(all) == 1 && all[0].Reason != "" {
			return all[0].Reason
		}
	}
	return why(err)
}
