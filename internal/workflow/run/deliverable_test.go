package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/gather"
	"belay/internal/model"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// direct is a gatherer that says of each image whether its address is passed on.
type direct struct{ files }

func (g direct) Gather(ctx context.Context, f *declared.Folder, list []*declared.Attachment, b attachment.BlobStore) (gather.Result, error) {
	r, err := g.files.Gather(ctx, f, list, b)
	for i, a := range list {
		if a.Type == declared.TypeImage && a.Direct {
			r.Reports[i].MIME = "text/uri-list"
		}
	}
	return r, err
}

// An image whose address is to be passed on is fetched for a model that takes images,
// but no addresses of them, and the report says so.
//
// Covers: attachments 3
func TestAddressesForModelsThatTakeNone(t *testing.T) {
	t.Parallel()
	const tasks = `tasks:
  - id: t
    agent: a
    prompt: x
    model: some-model
    attachments:
      - {type: image, path: a.png}
      - {type: image, url: "https://example.com/a.png", deliver: url}
      - {type: image, url: "https://example.com/b.png"}
      - {type: url, url: "https://example.com/c"}
`
	for what, c := range map[string]struct {
		limits  attachment.Limits
		fetched bool
	}{
		"addresses":    {attachment.Limits{ImageTypes: []string{"image/png"}, ImageURLs: true}, false},
		"no addresses": {attachment.Limits{ImageTypes: []string{"image/png"}}, true},
		"no images":    {attachment.Limits{}, false},
	} {
		b := newBench(t, agents+tasks, echo)
		b.gather = direct{}
		b.takes = func(project string, asked turn.Choice) (turn.Capacity, error) {
			if project != b.project || asked.Model != "some-model" {
				t.Errorf("asked about %+v in %s", asked, project)
			}
			return turn.Capacity{Limits: model.Limits{ContextTokens: 100_000, Attachments: c.limits}}, nil
		}
		b.r = b.runner()
		plan, err := b.r.Plan(t.Context(), b.request(nil))
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range plan.Tasks[0].Attachments {
			if said := strings.Contains(a.Note, "it is fetched"); said != (c.fetched && i == 1) {
				t.Errorf("%s: the plan says of %s%s: %q", what, a.Path, a.URL, a.Note)
			}
		}
		for i, a := range task(t, b.run(nil), "t").Attachments {
			if passed := a.MIME != ""; passed != (!c.fetched && i == 1) {
				t.Errorf("%s: the address %s is passed on: %v", what, a.Origin, passed)
			}
			if said := len(a.Warnings) == 1; said != (c.fetched && i == 1) {
				t.Errorf("%s: the report of %s says %q", what, a.Origin, a.Warnings)
			}
		}
	}
	b := newBench(t, agents+tasks, echo)
	b.takes = func(string, turn.Choice) (turn.Capacity, error) {
		return turn.Capacity{}, errors.New("no such model")
	}
	b.r = b.runner()
	if r := b.run(nil); r.Status != run.Failed {
		t.Errorf("the model cannot be asked about: %s", r.Status)
	}
}
