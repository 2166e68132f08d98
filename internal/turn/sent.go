package turn

import (
	"slices"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/session"
)

// A file that a call sends to people is an event for readers and a part of the call's result
// in the transcript. A process that dies between the two leaves one without the other, and a
// power cut may take the event. Recovery adds the one that is missing.

// sentFiles are the files that a call sent, as events have them.
func sentFiles(b session.Block) []event.SentFile {
	files := make([]event.SentFile, len(b.Sent))
	for i, it := range b.Sent {
		files[i] = event.SentFile{
			SHA256: it.SHA256, Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes,
			Index: i, Of: len(b.Sent), ToolCallID: b.ID, Path: it.Origin,
		}
	}
	return files
}

// sentOnRecord are the files that the calls of a turn sent, as the transcript has them.
func sentOnRecord(entries []session.Entry, turnID string) (files []event.SentFile) {
	for _, e := range entries {
		if e.Turn == turnID && e.Kind == session.EntryTools {
			for _, b := range e.Blocks {
				files = append(files, sentFiles(b)...)
			}
		}
	}
	return files
}

// unsent are the events of files that the transcript has and the log does not.
func (t *trace) unsent(entries []session.Entry, turnID string) (drafts []event.Draft) {
	logged := slices.Clone(t.sent)
	for _, f := range sentOnRecord(entries, turnID) {
		// Calls of one turn may have one id: each event stands for one file.
		if i := slices.Index(logged, f); i >= 0 {
			logged = slices.Delete(logged, i, i+1)
			continue
		}
		drafts = append(drafts, event.Draft{Type: event.AttachmentAdd, Data: f})
	}
	return drafts
}

// resultOf is what the log has of a call's result.
func (t *trace) resultOf(callID string) (o event.ToolOutcome) {
	for _, r := range t.results {
		if r.ToolCallID == callID {
			o = r
		}
	}
	return o
}

// unrecorded are the results of calls whose files the log has and the transcript does not.
// The model learns that they were sent.
func (t *trace) unrecorded(entries []session.Entry, turnID string, now session.Time) (late []session.Entry) {
	known := sentOnRecord(entries, turnID)
	for _, f := range t.sent {
		if i := slices.Index(known, f); i >= 0 {
			known = slices.Delete(known, i, i+1)
			continue
		}
		n := len(late)
		if n == 0 || late[n-1].Blocks[0].ID != f.ToolCallID {
			result := t.resultOf(f.ToolCallID)
			late = append(late, session.Entry{
				Kind: session.EntryTools, Turn: turnID, Time: now, Agent: result.ParentToolCallID,
				Blocks: []session.Block{{Type: session.BlockToolResult, ID: f.ToolCallID, Name: result.Name, Text: result.Output, Failed: !result.OK}},
			})
			n++
		}
		b := &late[n-1].Blocks[0]
		b.Sent = append(b.Sent, attachment.Item{SHA256: f.SHA256, Name: f.Filename, MIMEType: f.MIMEType, Bytes: f.Bytes, Origin: f.Path})
	}
	return late
}
