package session

import "belay/internal/durable"

// kindOf is the kind of a session's file that grows.
func kindOf(name string) *durable.File {
	if name == fileTranscript {
		return durable.Transcript
	}
	return durable.EventLog
}
