package finding

import "testing"

func TestRemedyLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		remedy              Remedy
		folder, deliverable string
		implied             bool
		want                string
	}{
		{remedy: Remedy{Command: "deps lint"}, folder: "/it's here", want: `belay deps lint --project '/it'\''s here'`},
		{remedy: Remedy{Command: "deps summary"}, folder: ".", implied: true, deliverable: "DEL-01-01", want: "belay deps summary DEL-01-01 --write"},
		{remedy: Remedy{Command: "deps renumber"}, folder: "~x;y", deliverable: "DEL-01-01", want: "belay deps renumber --project '~x;y' --write"},
		{remedy: Remedy{Command: "project init", Document: "docs/a.md"}, folder: "/a/b-1", want: "belay project init /a/b-1 --decomposition /a/b-1/docs/a.md"},
		{remedy: Remedy{Command: "deps lint"}, want: "belay deps lint --project ''"},
	} {
		if got := c.remedy.Line(c.folder, c.implied, c.deliverable); got != c.want {
			t.Errorf("%+v in %q is %s, want %s", c.remedy, c.folder, got, c.want)
		}
	}
}
