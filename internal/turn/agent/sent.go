package agent

import (
	"belay/internal/event"
	"belay/internal/session"
)

// SentFiles are the files that a call sent, as events have them.
func SentFiles(b session.Block) []event.SentFile {
	files := make([]event.SentFile, len(b.Sent))
	for i, it := range b.Sent {
		files[i] = event.SentFile{
			SHA256: it.SHA256, Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes,
			Index: i, Of: len(b.Sent), ToolCallID: b.ID, Path: it.Origin,
		}
	}
	return files
}
