package main

import (
	"os"
	"regexp"
	"testing"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// What the pages about workflows show is read as it stands there.
func TestPagesAboutWorkflows(t *testing.T) {
	t.Parallel()
	for page, check := range map[string]func(text []byte) error{
		"workflows": func(text []byte) error {
			_, err := definition.Parse(t.Context(), "workflows.md", text)
			return err
		},
		"attachments": func(text []byte) error {
			n, err := authored.Parse("attachments.md", text)
			if err != nil {
				return err
			}
			r := &authored.Report{}
			declared.Decode(n.Field("attachments"), r, "attachments")
			return r.Err("attachments.md")
		},
	} {
		text, err := os.ReadFile("../" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		blocks := yamlBlock.FindAllSubmatch(text, -1)
		if len(blocks) == 0 {
			t.Errorf("docs/%s.md shows nothing", page)
		}
		for _, b := range blocks {
			if err := check(b[1]); err != nil {
				t.Errorf("docs/%s.md: %v", page, err)
			}
		}
	}
}
