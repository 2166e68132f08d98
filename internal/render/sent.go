package render

import (
	"path"

	"belay/internal/event"
)

// Sent names a file that an agent sends to people, with its path where the name does not
// say all of it.
func Sent(f event.SentFile) string {
	text := Line(f.Filename) + " (" + Line(f.MIMEType) + ", " + Size(f.Bytes) + ")"
	if f.Path != "" && path.Clean(f.Path) != f.Filename {
		text += " from " + Line(f.Path)
	}
	return text
}
