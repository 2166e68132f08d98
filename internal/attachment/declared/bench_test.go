package declared_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
)

// 10,000 attachments of templates and patterns, in three scopes, merged.
func BenchmarkTenThousand(b *testing.B) {
	dir := b.TempDir()
	for i := range 8000 {
		path := filepath.Join(dir, fmt.Sprintf("d%02d", i%40), fmt.Sprintf("f%05d.txt", i))
		if i < 40 {
			if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	text := "- {type: file, paths: ['{{ .input.dir }}**/*.txt'], name: 'n {{ .workflow.id }}', meta: {a: '{{ .workflow.id }}'}}\n"
	for i := range 2000 {
		text += fmt.Sprintf("- {type: image, url: 'https://example.com/{{ .workflow.id }}/%d.png'}\n", i)
	}
	n, err := authored.Parse("f", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	r := &authored.Report{}
	entries := declared.Decode(n, r, "attachments")
	if err := r.Err("f"); err != nil {
		b.Fatal(err)
	}
	f := declared.NewFolder(root, 100_000)
	x := &declared.Expander{Folder: f, MaxItems: 100_000}
	v := map[string]any{"input": map[string]any{"dir": ""}, "workflow": map[string]any{"id": "wf"}}
	b.ReportAllocs()
	for b.Loop() {
		steps, err := x.Expand(b.Context(), entries, "task", v, func(string) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		all, err := x.Complete(b.Context(), steps, v)
		if err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
		if merged := f.Merge(all, all[:5000], all[5000:]); len(merged) != 10_000 {
			b.Fatal(len(merged))
		}
	}
}
