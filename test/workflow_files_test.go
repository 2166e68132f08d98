package test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// workflow runs a workflow file of the project and returns its outputs, and what was
// told of its tasks.
func (p *place) workflow(args ...string) (outputs map[string]any, told string) {
	p.t.Helper()
	cmd := p.command(append([]string{"run"}, args...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("belay run %v: %v\n%s%s", args, err, out, errs.String())
	}
	must(p.t, json.Unmarshal(out, &outputs))
	return outputs, errs.String()
}

// The examples in examples/workflows, as their README tells to run them.
//
// Covers: attachments T1, attachments 2, attachments 3
func TestExampleWorkflows(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	must(t, os.CopyFS(p.project, os.DirFS("../examples/workflows")))
	must(t, os.RemoveAll(filepath.Join(p.project, ".belay"))) // of who tried it there
	for _, c := range []struct {
		args []string
		want map[string]any
	}{
		{[]string{"classify.yaml"}, map[string]any{"circles": "1.png ", "pictures": []any{
			map[string]any{"name": "1.png", "shape": "circle", "colour": "red"}, map[string]any{"name": "2.png", "shape": "square", "colour": "blue"},
			map[string]any{"name": "3.png", "shape": "triangle", "colour": "green"},
		}}},
		{[]string{"compare.yaml"}, map[string]any{
			"dearer": "second", "verdict": "The bridge of timber costs 35,000 euros less and is there six weeks earlier. The one of steel lasts twice as long.",
		}},
		{[]string{"summaries.yaml"}, map[string]any{"documents": "3", "page": "The deck goes up to 3.45 m. Timber is cheaper and sooner, steel lasts longer."}},
		{[]string{"announce.yaml"}, map[string]any{"text": "Workflows that need neither a key nor a network.", "rounds": 2.0, "approved": "time"}},
		{[]string{"kinds.yaml", "--input", "kind=image", "--input", "ref=pictures/1.png"}, map[string]any{"kind": "image", "description": "A red circle on white."}},
		{[]string{"kinds.yaml", "--input", "kind=audio", "--input", "ref=media/tone.wav"}, map[string]any{"kind": "audio", "description": "A tone that dies away within half a second."}},
		{[]string{"kinds.yaml", "--input", "kind=video", "--input", "ref=media/ball.mov"}, map[string]any{"kind": "video", "description": "A ball rolls from left to right."}},
		{[]string{"kinds.yaml", "--input", "ref=README.md"}, map[string]any{"kind": "text", "description": "A page about examples."}},
	} {
		args := append(c.args, "--config", "config.yaml")
		if out, err := p.command(append([]string{"run", "--dry-run", "--wait"}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("belay run --dry-run %v: %v\n%s", c.args, err, out)
		}
		got, told := p.workflow(args...)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("belay run %v (-want +got):\n%s\n%s", c.args, diff, told)
		}
	}
}

var (
	// noted is what a model is told of a file that it does not take, and of an address.
	noted = regexp.MustCompile(`\[The attachment (.*?)(?:, \d| is the address)`)
	// received is what the scripted provider says of each file that reaches it.
	received = regexp.MustCompile(`Received (\w+ "[^"]*": [^,]*),`)
	runID    = regexp.MustCompile(`run_[0-9a-f-]+`)
)

// The files of the specification run as they are written, in all three scopes, each
// host of them a folder of a local server.
//
// Covers: attachments T1, attachments T2, attachments 2, attachments 3, attachments 4
func TestSpecifiedFilesRun(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"foo.com/1.png": "pictures/1.png", "baz.com/spec.pdf": "documents/offer-timber.pdf", "bar.com/demo1.mp4": "media/ball.mov", "bar.com/demo2.mp4": "media/ball.mov",
		"example.com/spec.pdf": "documents/offer-timber.pdf", "example.com/spec1.pdf": "documents/offer-timber.pdf", "example.com/spec2.pdf": "documents/offer-steel.pdf",
		"example.com/source.png": "pictures/2.png",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := files[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			http.ServeFile(w, r, filepath.Join("../examples/workflows", name))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	p := newPlace(t, "BELAY_ATTACHMENTS_ALLOWED_HOSTS="+strings.TrimPrefix(server.URL, "http://"))
	for to, from := range map[string]string{
		"assets/b.png": "pictures/2.png", "assets/a.png": "pictures/1.png", "assets/input.png": "pictures/3.png", "screenshots/latest.jpg": "pictures/3.png",
		"batch/2.jpg": "pictures/2.png", "batch/1.png": "pictures/1.png", "out/made.png": "pictures/3.png",
		"assets/cover.png": "pictures/1.png", "assets/thumbnails/2.jpg": "pictures/2.png", "assets/thumbnails/1.jpg": "pictures/1.png",
	} {
		data, err := os.ReadFile(filepath.Join("../examples/workflows", from))
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, to)), 0o755))
		must(t, os.WriteFile(filepath.Join(p.project, to), data, 0o600))
	}
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte("turns: [{when: Make one, steps: [{say: '{\"path\": \"out/made.png\"}'}]}]\n"), 0o600))
	p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+script)
	for name, c := range map[string]struct {
		task string
		args []string
		want []string
	}{
		"agent": {"t", nil, []string{
			`"demo1.mp4" (video/quicktime`, `"demo2.mp4" (video/quicktime`, `("example.com")`,
			`image "1.png": image/png`, `pdf "spec.pdf": application/pdf`, `image "a.png": image/png`, `image "b.png": image/png`, `image "cover.png": image/png`,
			`image "input.png": image/png`, `image "latest.jpg": image/png`,
		}},
		"task": {"classify", nil, []string{`image "input.png": image/png`, `image "2.jpg": image/png`, `image "1.png": image/png`}},
		"action": {"t", nil, []string{
			`pdf "spec.pdf": application/pdf`, `pdf "Specification Bundle (spec1.pdf)": application/pdf`, `pdf "Specification Bundle (spec2.pdf)": application/pdf`,
		}},
		"templates": {"look", []string{"--input", "image_url=" + server.URL + "/example.com/source.png", "--input", "assets_dir=assets"}, []string{
			`image "source:spec": image/png`, `image "generated:run": image/png`, `image "cover.png": image/png`, `image "1.jpg": image/png`, `image "2.jpg": image/png`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("../internal/workflow/definition/testdata/specification/" + name + ".yaml")
			must(t, err)
			local := regexp.MustCompile(`https://((?:foo|bar|baz|example)\.com)`).ReplaceAllString(string(text), server.URL+"/$1")
			must(t, os.WriteFile(filepath.Join(p.project, name+".yaml"), []byte(local), 0o600))
			here := *p
			here.t = t
			outputs, told := here.workflow(append([]string{name + ".yaml"}, c.args...)...)
			answer, _ := outputs[c.task].(map[string]any)
			said, _ := answer["response"].(string)
			var got []string
			for _, form := range []*regexp.Regexp{noted, received} {
				for _, m := range form.FindAllStringSubmatch(runID.ReplaceAllString(said, "run"), -1) {
					got = append(got, m[1])
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the model received (-want +got):\n%s\n%s\n%s", diff, said, told)
			}
		})
	}
}
