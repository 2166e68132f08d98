package worker

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"path"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/event"
	"belay/internal/render"
)

// What a message of the output holds at most, in bytes where nothing else is said.
const (
	maxNote  = 2 << 10
	maxLine  = 400
	maxPiece = 64 << 10 // of a text: the rest follows in further messages
	maxPaths = 100
	// columns are the width for which a call is described.
	columns = 160
)

// translate returns the messages of the output that an event stands for: always the
// same ones, in the same order.
func (o *output) translate(ctx context.Context, e event.Event) []contract.Payload {
	switch e.Type {
	case event.SessionInit:
		return o.begun(e)
	case event.ChatDelta:
		var t event.Text
		if !read(e, &t) {
			return nil
		}
		return o.said(t.Text)
	case event.ChatThinking:
		var t event.Text
		if !read(e, &t) {
			return nil
		}
		return pieces(t.Text, func(s string) contract.Payload { return &contract.ReasoningDelta{Delta: s} })
	case event.ChatComplete:
		var t event.Text
		if read(e, &t) {
			o.final = t.Text
		}
	case event.TurnInput:
		o.since = true
	case event.ToolCall:
		o.since = true
		return o.toolCall(e)
	case event.ToolResult:
		return o.toolResult(e)
	case event.AttachmentInput:
		var a event.Attachment
		if read(e, &a) {
			return []contract.Payload{&contract.InputBinary{File: file(a.SHA256, a.Bytes, a.MIMEType, a.Filename, a.ToolCallID, a.Index)}}
		}
	case event.AttachmentAdd:
		return o.sent(ctx, e)
	case event.TurnWarning:
		var w event.Warning
		if read(e, &w) {
			return []contract.Payload{warning(w)}
		}
	case event.TurnError:
		var f event.Failure
		if read(e, &f) {
			o.why = &contract.Failure{Code: contract.Cut(f.ErrorType, maxLine), Message: contract.Cut(f.Message, maxNote)}
		}
	case event.SessionComplete:
		var c event.Complete
		if read(e, &c) && c.StopReason != "end_turn" && c.StopReason != "stop_sequence" {
			o.notes = append(o.notes, "the answer stopped early: "+strings.ReplaceAll(contract.Cut(c.StopReason, maxLine), "_", " "))
		}
	}
	return nil
}

// read decodes the content of an event. An event of a newer program may not be
// readable; then it is left out.
func read(e event.Event, into any) bool { return json.Unmarshal(e.Data, into) == nil }

// pieces cuts a text to messages, of which an empty text has none.
func pieces(text string, message func(string) contract.Payload) (all []contract.Payload) {
	text = strings.ToValidUTF8(text, "\ufffd")
	for text != "" {
		piece := contract.Cut(text, maxPiece)
		all = append(all, message(piece))
		text = text[len(piece):]
	}
	return all
}

// said is text of the answer. What the model says after calls of tools, or after somebody
// said something, is a paragraph of its own.
func (o *output) said(text string) []contract.Payload {
	if text == "" {
		return nil
	}
	begins := o.since && o.text.Len() > 0
	o.since = false
	if begins {
		text = strings.Repeat("\n", 2-newlines(o.text.String())) + text
	}
	if o.text.Len() <= contract.MaxText {
		o.text.WriteString(text)
	}
	all := pieces(text, func(s string) contract.Payload { return &contract.TextDelta{Delta: s} })
	all[0].(*contract.TextDelta).Begins = begins
	return all
}

// newlines counts those at the end of a text, up to two.
func newlines(text string) int {
	switch {
	case strings.HasSuffix(text, "\n\n"):
		return 2
	case strings.HasSuffix(text, "\n"):
		return 1
	}
	return 0
}

// begun are the warnings with which a turn begins.
func (o *output) begun(e event.Event) (all []contract.Payload) {
	var i event.Init
	if read(e, &i) {
		for _, w := range i.Warnings {
			all = append(all, warning(w))
		}
	}
	return all
}

func warning(w event.Warning) contract.Payload {
	m := &contract.Warning{Code: contract.Cut(w.Code, maxLine/2), Message: contract.Cut(w.Message, maxNote)}
	for _, p := range w.Paths[:min(len(w.Paths), maxPaths)] {
		m.Paths = append(m.Paths, contract.Cut(p, maxNote))
	}
	return m
}

func (o *output) toolCall(e event.Event) []contract.Payload {
	var u event.ToolUse
	if !read(e, &u) {
		return nil
	}
	name := contract.Cut(u.Name, maxLine/2)
	o.names[u.ToolCallID] = name
	return []contract.Payload{&contract.ToolCall{
		ToolCallID: u.ToolCallID, Name: name, Status: contract.ToolStart, Parent: u.ParentToolCallID,
		Display: contract.Cut(render.Call(render.NewLook(), u, columns), maxLine),
	}}
}

func (o *output) toolResult(e event.Event) []contract.Payload {
	var r event.ToolOutcome
	if !read(e, &r) {
		return nil
	}
	m := &contract.ToolCall{
		ToolCallID: r.ToolCallID, Name: contract.Cut(r.Name, maxLine/2), Status: contract.ToolEnd, OK: r.OK, Parent: r.ParentToolCallID,
	}
	m.Name = cmp.Or(m.Name, o.names[r.ToolCallID])
	if !r.OK {
		first, _, _ := strings.Cut(strings.TrimSpace(r.Output), "\n")
		m.Error = contract.Cut(first, maxLine)
	}
	return []contract.Payload{m}
}

// sent is a file for people. Its bytes go along where they are few.
func (o *output) sent(ctx context.Context, e event.Event) []contract.Payload {
	var s event.SentFile
	if !read(e, &s) {
		return nil
	}
	m := &contract.ResponseBinary{File: file(s.SHA256, s.Bytes, s.MIMEType, s.Filename, s.ToolCallID, s.Index), Of: max(s.Of, s.Index+1)}
	if s.Bytes <= contract.MaxInline {
		m.DataBase64 = o.inline(ctx, s)
	}
	return []contract.Payload{m}
}

// inline returns the bytes of a small file, "" where they cannot be read: the
// reference stands for them.
func (o *output) inline(ctx context.Context, s event.SentFile) string {
	r, _, err := o.j.w.o.Engine.Blob(ctx, o.j.key.session, s.SHA256)
	if err != nil {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(r, contract.MaxInline+1))
	if cerr := r.Close(); err != nil || cerr != nil || int64(len(data)) != s.Bytes {
		return ""
	}
	return base64.StdEncoding.EncodeToString(data)
}

func file(sha256 string, bytes int64, mime, name, call string, index int) contract.File {
	name = contract.Cut(path.Base(strings.ReplaceAll(name, "\x00", "")), maxLine)
	if name == "." || name == "/" || name == "" {
		name = "file"
	}
	if !contract.ValidMIME(mime) {
		mime = "application/octet-stream"
	}
	return contract.File{SHA256: sha256, Bytes: bytes, MIMEType: mime, Filename: name, ToolCallID: call, Index: index}
}
