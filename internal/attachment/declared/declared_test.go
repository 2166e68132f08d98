package declared_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

func decode(t *testing.T, text string) ([]declared.Entry, error) {
	t.Helper()
	n, err := authored.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := &authored.Report{}
	entries := declared.Decode(n, r, "attachments")
	return entries, r.Err("f")
}

func folder(t *testing.T, files ...string) *declared.Folder {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return declared.NewFolder(root, 1000)
}

// shown is an attachment in short.
func shown(a *declared.Attachment) string {
	s := string(a.Type) + " " + a.Source.Path + a.Source.URL
	if a.Name != "" {
		s += " name=" + a.Name
	}
	if len(a.Meta) > 0 {
		s += fmt.Sprint(" meta=", a.Meta)
	}
	if a.MaxPages > 0 {
		s += fmt.Sprint(" pages=", a.MaxPages)
	}
	if a.Direct {
		s += " direct"
	}
	if a.Fetch {
		s += " fetch"
	}
	return s
}

func values() map[string]any {
	return map[string]any{
		"workflow": map[string]any{"id": "wf", "exec_id": "run_1", "input": map[string]any{"image_url": "https://example.com/a.png"}},
		"input":    map[string]any{"assets_dir": "assets", "kind": "audio", "files": []any{"b.txt", "a.txt"}, "none": []any{}},
		"tasks":    map[string]any{"generate-image": map[string]any{"output": map[string]any{"path": "out/x.png", "files": []any{"out/x.png", "a.txt"}}}},
	}
}

// Covers: attachments T1, attachments T2, attachments 1, attachments 13
//
// The examples of the specification, and what becomes of them.
func TestExpand(t *testing.T) {
	t.Parallel()
	files := []string{"a.txt", "b.txt", "out/x.png", "assets/cover.png", "assets/thumbnails/2.jpg", "assets/thumbnails/1.jpg", "assets/deep/er/3.jpg", ".git/x.jpg", "assets/.belay/y.jpg"}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one of each": {`
- {type: image, url: "https://foo.example/1.png"}
- {type: document, url: "https://baz.example/spec.pdf", max_pages: 3}
- {type: audio, path: a.txt}
- {type: video, urls: ["https://bar.example/1.mp4", "http://bar.example/2.mp4"]}
- {type: file, path: ./x/../a.txt}
- {type: url, url: "https://example.com", fetch: true}
- {type: image, url: "https://foo.example/2.png", deliver: url}
`, []string{"image https://foo.example/1.png", "pdf https://baz.example/spec.pdf pages=3", "audio a.txt", "video https://bar.example/1.mp4", "video http://bar.example/2.mp4", "file a.txt", "url https://example.com fetch", "image https://foo.example/2.png direct"}},
		"templates": {`
- type: image
  url: "{{ .workflow.input.image_url }}"
  name: "source:{{ .workflow.id }}"
- type: image
  path: "{{ .tasks.generate-image.output.path }}"
  name: "generated:{{ .workflow.exec_id }}"
- type: image
  paths: ["{{ .input.assets_dir }}/cover.png", "{{ .input.assets_dir }}/thumbnails/*.jpg"]
`, []string{"image https://example.com/a.png name=source:wf", "image out/x.png name=generated:run_1", "image assets/cover.png", "image assets/thumbnails/1.jpg", "image assets/thumbnails/2.jpg"}},
		"order": {`
- type: file
  paths: ["b.txt", "assets/**/*.jpg", "*.txt"]
  meta: {source: local, deep: {n: [1, "{{ .workflow.id }}"], dir: "{{ .input.files }}"}}
`, []string{
			"file b.txt meta=map[deep:map[dir:[b.txt a.txt] n:[1 wf]] source:local]", "file assets/deep/er/3.jpg meta=map[deep:map[dir:[b.txt a.txt] n:[1 wf]] source:local]",
			"file assets/thumbnails/1.jpg meta=map[deep:map[dir:[b.txt a.txt] n:[1 wf]] source:local]", "file assets/thumbnails/2.jpg meta=map[deep:map[dir:[b.txt a.txt] n:[1 wf]] source:local]",
			"file a.txt meta=map[deep:map[dir:[b.txt a.txt] n:[1 wf]] source:local]", "file b.txt meta=map[deep:map[dir:[b.txt a.txt] n:[1 wf]] source:local]",
		}},
		"type of a template": {`[{type: "{{ .input.kind }}", path: a.txt}]`, []string{"audio a.txt"}},
		"lists of templates": {`[{type: file, paths: ["{{ .input.files }}", "{{ .tasks.generate-image.output.files }}"]}]`, []string{"file b.txt", "file a.txt", "file out/x.png", "file a.txt"}},
		"optional":           {`[{type: file, paths: ["none/*", "a.txt"], optional: true}, {type: file, paths: ["{{ .input.none }}"]}]`, []string{"file a.txt"}},
		"named folders":      {`[{type: file, paths: [".git/*", "assets/.belay/*.jpg"]}]`, []string{"file .git/x.jpg", "file assets/.belay/y.jpg"}},
		"braces":             {`[{type: file, paths: ["{a,b,a}.txt"]}]`, []string{"file a.txt", "file b.txt"}},
		"nothing":            {`[]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries, err := decode(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			x := &declared.Expander{Folder: folder(t, files...), MaxItems: 100}
			steps, err := x.Expand(t.Context(), entries, "task one", values(), func(string) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			all, err := x.Complete(t.Context(), steps, values())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range all {
				got = append(got, shown(a))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// Whatever waits, the result is the same.
			steps, err = x.Expand(t.Context(), entries, "task one", map[string]any{"workflow": values()["workflow"], "input": values()["input"], "tasks": map[string]any{}}, func(string) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			if all, err = x.Complete(t.Context(), steps, values()); err != nil {
				t.Fatal(err)
			}
			var late []string
			for _, a := range all {
				late = append(late, shown(a))
			}
			if diff := cmp.Diff(got, late); diff != "" {
				t.Errorf("at once and late differ:\n%s", diff)
			}
		})
	}
}

// Covers: attachments 11
func TestDecodeProblems(t *testing.T) {
	t.Parallel()
	_, err := decode(t, `
- {type: image}
- {type: image, url: "https://a.example/x", path: b}
- {type: imgae, path: b}
- {type: file, url: "https://a.example"}
- {type: url, path: b}
- {type: image, path: b, max_pages: 3}
- {type: pdf, path: b, max_pages: 0, deliver: url}
- {path: b}
- {type: image, path: "  "}
- {type: image, paths: []}
- {type: image, paths: [a, "", [b], null]}
- {type: image, path: "{{ .a"}
- {type: image, path: a, meta: {x: {y: ["{{ end }}"]}}, foo: 1}
- {type: image, paths: a.png}
- just text
- {type: "{{ .x }}", path: a, urls: [b]}
- {type: image, path: a, meta: [1], optional: perhaps}
`)
	want := []string{
		"f:2:3: attachments[0]: an attachment needs exactly one of url, path, urls, paths",
		"f:3:51: attachments[1].path: an attachment has exactly one of url, path, urls, paths, and this has url and path (keep one of them)",
		`f:4:10: attachments[2].type: it must be one of image, pdf, audio, video, file, url, document, and this is "imgae" (did you mean image?)`,
		"f:5:16: attachments[3].url: attachments of type file take no url (a file lies in a folder; use image, pdf, audio or video for what is fetched, or url with fetch: true for a page)",
		"f:6:15: attachments[4].path: attachments of type url take no path (use type: file)",
		"f:7:26: attachments[5].max_pages: attachments of type image take no max_pages",
		"f:8:35: attachments[6].max_pages: it must be a whole number from 1 to 100000, and this is 0",
		"f:8:38: attachments[6].deliver: attachments of type pdf take no deliver",
		"f:9:3: attachments[7].type: an attachment needs type",
		"f:10:23: attachments[8].path: it is empty",
		"f:11:24: attachments[9].paths: the list is empty",
		"f:12:28: attachments[10].paths[1]: it is empty",
		"f:12:32: attachments[10].paths[2]: it must be text, and this is a list",
		"f:12:37: attachments[10].paths[3]: it must be text, and this is nothing",
		"f:13:23: attachments[11].path: unclosed action (close what {{ opens with }})",
		`f:14:41: attachments[12].meta.x.y[0]: unexpected {{end}} (there is no {{ if }}, {{ range }} or {{ with }} that it could close)`,
		`f:14:57: attachments[12].foo: an attachment has no field "foo" (it has type, url, path, urls, paths, base, name, mime, meta, optional, deliver)`,
		"f:15:24: attachments[13].paths: it must be a list, and this is text (begin each entry with a dash)",
		"f:16:3: attachments[14]: an attachment must be a mapping, and this is text (write its fields, KEY: VALUE on a line each; it needs type)",
		"f:17:37: attachments[15].urls: an attachment has exactly one of url, path, urls, paths, and this has path and urls (keep one of them)",
		"f:18:32: attachments[16].meta: it must be a mapping, and this is a list",
		"f:18:47: attachments[16].optional: it must be true or false, and this is text",
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), fmt.Sprint(err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s\n%v", diff, err)
	}
}

// Covers: attachments 10.6, attachments 13
func TestExpandProblems(t *testing.T) {
	t.Parallel()
	f := folder(t, "a.txt", "d/b.txt")
	for text, want := range map[string]string{
		`[{type: file, path: ../x}]`:                                       `attachments[0].path: "../x" leads out of the folder`,
		`[{type: file, path: /etc/passwd}]`:                                "is absolute",
		`[{type: file, paths: ["../*"]}]`:                                  "leads out of the folder",
		`[{type: file, paths: ["d/../../*"]}]`:                             "leads out of the folder",
		`[{type: file, paths: ["none/*.txt"]}]`:                            `"none/*.txt" matches no file in the folder of the workflow file; write optional: true where that may be`,
		`[{type: file, paths: ["none.txt"]}]`:                              `"none.txt" matches no file`,
		`[{type: file, paths: ["d"]}]`:                                     `"d" is a folder; write d/*`,
		`[{type: file, paths: ["[a"]}]`:                                    "is no pattern",
		"[{type: file, paths: [\"" + strings.Repeat("{a,b}", 40) + "\"]}]": "stands for more than 1000 patterns by its braces",
		`[{type: image, url: "file:///etc/passwd"}]`:                       `an address begins with https:// or http://, and this with "file"`,
		`[{type: image, url: "http://user:secret@"}]`:                      "the address has no host",
		`[{type: image, url: "{{ .workflow.input.image_ulr }}"}]`:          `did you mean image_url?`,
		`[{type: "{{ .workflow.id }}", path: a}]`:                          `the template gives "wf", which is no type`,
		`[{type: "{{ .input.kind }}", path: a, max_pages: 2}]`:             "attachments of type audio take no max_pages",
		`[{type: file, path: "{{ .input.files }}"}]`:                       "the template gives []interface {}, and text is needed",
		`[{type: file, path: "{{ .input.none | join \"\" }}"}]`:            "the template gives nothing",
		`[{type: file, paths: ["**/*"], meta: {a: {b: "{{ .no }}"}}}]`:     `attachments[0].meta.a.b: {{ .no }}: there is no "no" in the context`,
	} {
		entries, err := decode(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		x := &declared.Expander{Folder: f, MaxItems: 100}
		if _, err = x.Expand(t.Context(), entries, "task one", values(), func(string) bool { return true }); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s\n gave %v\n want %s", text, err, want)
		}
	}
}

// Covers: attachments 10.6
func TestLinksAndLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "in"), 0o755), os.WriteFile(filepath.Join(dir, "in", "a.txt"), nil, 0o600),
		os.Symlink("in/a.txt", filepath.Join(dir, "inside")), os.Symlink("/etc/passwd", filepath.Join(dir, "outside")),
		os.Symlink("nowhere", filepath.Join(dir, "broken")), os.Symlink(".", filepath.Join(dir, "in", "loop")), os.Symlink("/etc", filepath.Join(dir, "etc")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	expand := func(pattern string, limit, items int) ([]declared.Step, error) {
		entries, err := decode(t, "[{type: file, paths: ['"+pattern+"']}]")
		if err != nil {
			t.Fatal(err)
		}
		x := &declared.Expander{Folder: declared.NewFolder(root, limit), MaxItems: items}
		return x.Expand(t.Context(), entries, "task one", nil, func(string) bool { return true })
	}
	// A link is found by its name. Who opens it learns that it leads nowhere, or out.
	f := declared.NewFolder(root, 10)
	for pattern, want := range map[string]string{
		"out*":    "it leads out of the folder of the workflow file; with base: project, paths begin at the project",
		"brok*":   "there is no such file in the folder of the workflow file",
		"outside": "it leads out of the folder of the workflow file; with base: project, paths begin at the project",
		"in?*de":  "",
	} {
		steps, err := expand(pattern, 10, 10)
		if err != nil || len(steps) != 1 {
			t.Errorf("%s: %d, %v", pattern, len(steps), err)
			continue
		}
		source, reason := steps[0].Attachment.Source, ""
		if _, err := f.Stat(source); err != nil {
			reason, _ = f.Reason(source, err)
		}
		if reason != want {
			t.Errorf("%s: %q, want %q", pattern, reason, want)
		}
	}
	for pattern, want := range map[string]string{"etc/*": "etc: it leads out of the folder", "in/**/loop/**/*.txt": "matches no file"} {
		if steps, err := expand(pattern, 10, 10); err == nil || !strings.Contains(err.Error(), want) || len(steps) > 0 {
			t.Errorf("%s: %d, %v", pattern, len(steps), err)
		}
	}
	if steps, err := expand("in*/**", 10, 10); err != nil || len(steps) != 1 {
		t.Errorf("in*/**: %d, %v", len(steps), err)
	}
	if _, err := expand("{inside,in/*}", 1, 10); err == nil || !strings.Contains(err.Error(), "attachments.max_matches") {
		t.Errorf("matches: %v", err)
	}
	if _, err := expand("{inside,in/*}", 10, 1); err == nil || !strings.Contains(err.Error(), "attachments.max_items") {
		t.Errorf("items: %v", err)
	}
}

// Covers: attachments 2
func TestMerge(t *testing.T) {
	t.Parallel()
	f := folder(t, "img.png", "b.png")
	if err := os.Symlink("img.png", filepath.Join(f.Dir(), "link.png")); err != nil {
		t.Fatal(err)
	}
	list := func(text string) []*declared.Attachment {
		entries, err := decode(t, text)
		if err != nil {
			t.Fatal(err)
		}
		x := &declared.Expander{Folder: f, MaxItems: 100}
		steps, err := x.Expand(t.Context(), entries, "x", values(), func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		all, err := x.Complete(t.Context(), steps, nil)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	task := list(`[{type: image, path: img.png, name: one, meta: {a: 1, b: 1}}, {type: image, url: "HTTPS://Example.com:443/x/../a.png?q=1#f", name: far}, {type: pdf, path: b.png, max_pages: 2}]`)
	agent := list(`[{type: image, path: b.png}, {type: image, path: link.png, meta: {b: 2}}, {type: file, path: img.png}]`)
	action := list(`[{type: image, url: "https://example.com/a.png?q=1", name: near}, {type: image, path: ./img.png, name: last}, {type: pdf, path: b.png, name: doc}, {type: image, url: "https://u:p@example.com/a.png?q=1"}]`)
	before := fmt.Sprint(shown(task[0]), task[0].Meta)
	var got []string
	for _, a := range f.Merge(task, agent, action) {
		got = append(got, shown(a))
	}
	want := []string{
		"image img.png name=last meta=map[a:1 b:2]", "image HTTPS://Example.com:443/x/../a.png?q=1#f name=near", "pdf b.png name=doc pages=2",
		"image b.png", "file img.png", "image https://u:p@example.com/a.png?q=1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if after := fmt.Sprint(shown(task[0]), task[0].Meta); after != before {
		t.Errorf("the task's own has changed: %s", after)
	}
}

// Covers: attachments 13
//
// Meta is each attachment's own.
func TestMetaIsCopied(t *testing.T) {
	t.Parallel()
	entries, err := decode(t, `[{type: file, paths: ["*"], meta: {a: {b: [1]}, v: "{{ .input.files }}"}}]`)
	if err != nil {
		t.Fatal(err)
	}
	x := &declared.Expander{Folder: folder(t, "a", "b"), MaxItems: 100}
	v := values()
	steps, err := x.Expand(t.Context(), entries, "x", v, func(string) bool { return true })
	if err != nil || len(steps) != 2 {
		t.Fatal(len(steps), err)
	}
	m := steps[0].Attachment.Meta
	m["a"].(map[string]any)["b"].([]any)[0] = "changed"
	m["v"].([]any)[0] = "changed"
	if other := fmt.Sprint(steps[1].Attachment.Meta, v["input"]); strings.Contains(other, "changed") {
		t.Error(other)
	}
}

func TestEvaluationErrorHasItsPlace(t *testing.T) {
	t.Parallel()
	entries, err := decode(t, "- type: file\n  path: '{{ .no }}'\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&declared.Expander{MaxItems: 1}).Expand(t.Context(), entries, "x", map[string]any{}, func(string) bool { return true })
	var e *template.FieldError
	if !errors.As(err, &e) || e.Line != 2 || e.Column != 9 || e.Path != "attachments[0].path" {
		t.Errorf("%+v", err)
	}
}
