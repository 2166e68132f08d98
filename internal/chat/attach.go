package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/fault"
	"belay/internal/render"
	"belay/internal/turn"
)

// inspected is what would become of a file that was attached.
type inspected struct {
	path string
	is   turn.Inspection
	err  error
}

// attachFile sends a file with the next message.
func attachFile(m *Model, rest string) tea.Cmd {
	rest = strings.Trim(rest, `"`)
	if rest == "" {
		m.conversation.notify(noticeWarning, "name a file: /attach PATH")
		return nil
	}
	if err := m.editor.paths.attachable(rest); err != nil {
		m.conversation.notify(noticeWarning, err.Error())
		return nil
	}
	if slices.Contains(m.outbox.attached, rest) {
		m.conversation.notify(noticeInfo, render.Line(rest)+" is attached already")
		return nil
	}
	m.outbox.attached = append(m.outbox.attached, rest)
	return m.calls.inspect(m.session, rest, m.editor.paths.resolve(rest))
}

// inspection asks what a turn would make of files, in a session or in the first turn
// of one that is not there yet.
func (o *Options) inspection(sessionID string, files ...string) turn.InspectRequest {
	r := turn.InspectRequest{Attachments: files, Model: o.Opts.Model, SessionID: sessionID}
	if sessionID == "" {
		r.ProjectRoot = o.Project
	}
	return r
}

// Usable says why a turn would refuse a file, nil where it would not, or where that
// is only known once it is uploaded.
func (o *Options) Usable(ctx context.Context, sessionID, file string) error {
	if o.Upload != nil || o.SkipRefused {
		return nil
	}
	found, err := o.Engine.Inspect(ctx, o.inspection(sessionID, file))
	if err == nil && len(found) == 1 && !found[0].OK {
		err = fmt.Errorf("%s is refused: %s", filepath.Base(file), found[0].Reason)
	}
	return err
}

// inspected takes the engine's word on a file: one that the turn would refuse does not
// go with it.
func (m *Model) inspected(msg inspected) {
	at := slices.Index(m.outbox.attached, msg.path)
	switch {
	case msg.err != nil:
		m.conversation.notify(noticeFailure, why(msg.err))
	case at < 0: // sent or dropped meanwhile
	case !msg.is.OK && msg.is.Reason != "":
		m.outbox.attached = slices.Delete(m.outbox.attached, at, at+1)
		m.conversation.notify(noticeWarning, msg.path+" is not attached: "+msg.is.Reason)
	case msg.is.Note != "":
		m.conversation.notify(noticeInfo, msg.path+": "+msg.is.Note)
	}
}

// dropFiles takes back what was to go with the next message: all of it, one file, or with
// "!" the outputs of the person's commands.
func dropFiles(m *Model, rest string) tea.Cmd {
	rest = strings.Trim(rest, `"`)
	before := len(m.outbox.attached)
	if len(m.own.waiting) > 0 && (rest == "" || rest == "!") {
		m.own.waiting = nil
		m.conversation.notify(noticeInfo, "the outputs of your commands do not go with the next message")
		if rest == "!" || before == 0 {
			return nil
		}
	}
	m.outbox.attached = slices.DeleteFunc(m.outbox.attached, func(f string) bool { return rest == "" || f == rest })
	if len(m.outbox.attached) == before {
		m.conversation.notify(noticeInfo, "no such file is attached")
	}
	return nil
}

// Bring turns paths of this machine into those of the engine, and uploads files where
// that is on another one. They are judged as the turn will judge them: an error names
// every one that it would refuse, and nothing is sent. With SkipRefused the others
// are, and skipped says which are not and why.
func (o *Options) Bring(ctx context.Context, sessionID string, files []string) (brought, skipped []string, err error) {
	var refused []string
	names := files
	if o.Upload != nil {
		names = nil
		for _, f := range files {
			at, err := o.Upload(ctx, sessionID, f)
			switch {
			case fault.Is(err, fault.AttachmentFailure):
				refused = append(refused, filepath.Base(f)+" is refused: "+refusal(err))
			case err != nil:
				return nil, nil, err
			default:
				names, brought = append(names, f), append(brought, at)
			}
		}
	} else {
		brought = files
	}
	if o.SkipRefused {
		return brought, refused, nil
	}
	if len(brought) > 0 {
		found, err := o.Engine.Inspect(ctx, o.inspection(sessionID, brought...))
		if err != nil {
			return nil, nil, err
		}
		for i, f := range found {
			if !f.OK && i < len(names) {
				refused = append(refused, filepath.Base(names[i])+" is refused: "+f.Reason)
			}
		}
	}
	if len(refused) > 0 {
		return nil, nil, fault.New(fault.AttachmentFailure, "%s", strings.Join(refused, "; ")).
			WithHint("attach other files; with --skip-refused a chat sends messages without those that are refused")
	}
	return brought, nil, nil
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
