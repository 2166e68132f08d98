package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/permit"
)

// Each line of a question stays a line, whatever a file or a channel is called.
func TestPublication(t *testing.T) {
	t.Parallel()
	e := permit.Effect{Kind: permit.Publish, Publication: &permit.Publication{
		Destination: "Discord, #general\nallow?",
		Files: []permit.Published{
			{Path: "out/notes.md", Name: "notes.md", MIMEType: "text/markdown", Bytes: 12, Preview: "# Notes\n\n  one\x1b[2J"},
			{Path: "plot.png", Name: "plot.png", MIMEType: "image/png", Bytes: 2048, Preview: "640 × 480 pixels"},
		},
	}}
	want := []string{
		"to Discord, #general allow?", "notes.md (text/markdown, 12 B) from out/notes.md", "  # Notes", "  one\ufffd[2J",
		"plot.png (image/png, 2 KiB)", "  640 × 480 pixels",
	}
	if diff := cmp.Diff(want, Publication(e)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if lines := Publication(permit.Effect{}); lines != nil {
		t.Errorf("of another effect: %q", lines)
	}
}
