package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"

	"belay/bench/material/projects"
	"belay/bench/measure"
)

// The projects whose views are measured.
var (
	largeProject = projects.Shape{Deliverables: 10_000, Rows: 4}
	graphProject = projects.Shape{Deliverables: 500, Rows: 6, Circles: 4}
	// longRegister is the project with a long register, that of its last deliverable.
	longRegister = projects.Shape{Deliverables: 3, Rows: 5_000}
)

// made makes a project of a shape in the run's folder, once.
func (b *bench) made(s projects.Shape) (string, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("project-%d", s.Deliverables))
	if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrExist) {
		return dir, nil
	} else if err != nil {
		return "", err
	}
	return dir, projects.Write(dir, s)
}

// answer is what the server says about its project.
func (s *server) answer(ctx context.Context, path string, more url.Values) (_ []byte, err error) {
	q := url.Values{"projectRoot": {s.project}}
	for k, v := range more {
		q[k] = v
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr+path+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, res.Status, data)
	}
	return data, err
}

// view is the address of a view of the server's project.
func (s *server) view(ctx context.Context, rest string) (string, error) {
	var known struct {
		Projects []struct{ ID, Path string }
	}
	if err := s.call(ctx, http.MethodGet, "/api/projects", nil, &known); err != nil {
		return "", err
	}
	for _, p := range known.Projects {
		if p.Path == s.project {
			return "/p/" + url.PathEscape(p.ID) + rest, nil
		}
	}
	return "", fmt.Errorf("the server does not know its project %s", s.project)
}

// timing is what a timed step took until the frame that shows its result, in milliseconds.
type timing struct {
	Ms float64
	// Longest is the longest time between two frames before the one that shows the result.
	Longest float64
}

// timed takes a step on the page and waits for a condition.
func (t *tab) timed(step, shown string) (timing, error) {
	return value[timing](t, fmt.Sprintf(timedStep, step, shown))
}

// click is the step of clicking.
func click(selector string) string {
	return fmt.Sprintf("document.querySelector(%q).click()", selector)
}

// settleView is how long a view is left alone before it is measured: what it asks for in the
// background has come by then.
const settleView = time.Second

// show opens an address and waits until something is there for a while.
func (t *tab) show(ctx context.Context, address, condition string) error {
	if err := errors.Join(t.do(chromedp.Navigate(address)), t.until(condition)); err != nil {
		return err
	}
	return t.rest(ctx)
}

// rest leaves the page alone for a while.
func (t *tab) rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(settleView):
		return nil
	}
}

// bareList is a bare page with a table of deliverables, and a search.
var bareList = bareDocument{
	main: `<a class="tab" href="#">Overview</a><input id="search"><span class="shown-count"></span><div class="deliverables"></div>`,
	script: `<script>
let all = [];
const draw = (rows) => {
  document.querySelector(".shown-count").textContent = rows.length;
  document.querySelector(".deliverables").innerHTML = "<table>" + rows.map((d) => "<tr class=line><td>" + [d.id, d.name, d.pkg, d.status].join("<td>")).join("") + "</table>";
};
document.querySelector(".tab").onclick = async () => { all = (await (await fetch("/data")).json()).deliverables; draw(all); };
document.querySelector("#search").oninput = (e) => draw(all.filter((d) => (d.id + d.name + d.pkg).toLowerCase().includes(e.target.value)));
</script>`,
}

// deliverables measures the list of a large project and its search.
func (b *bench) deliverables(ctx context.Context) ([]measure.Figure, error) {
	root, err := b.made(largeProject)
	if err != nil {
		return nil, err
	}
	var list, filter measure.Series
	err = b.compare(ctx, setup{project: root}, bareList, func(p pair, t *tab, isBare bool) error {
		link := ".tab"
		if isBare {
			data, err := p.belay.answer(ctx, "/api/project/deliverables", nil)
			if err != nil {
				return err
			}
			p.bare.give(data)
			if err := t.show(ctx, p.bare.URL("/"), "document.querySelector('.tab')"); err != nil {
				return err
			}
		} else {
			// The server reads the project; then another view of it is shown.
			for _, ask := range []string{"/api/project/deliverables", "/api/project/progress"} {
				if _, err := p.belay.answer(ctx, ask, url.Values{"short": {"true"}}); err != nil {
					return err
				}
			}
			at, err := p.belay.view(ctx, "/history")
			if err != nil {
				return err
			}
			if err := t.show(ctx, p.url(false, at), "document.querySelector('.project-tabs')"); err != nil {
				return err
			}
			link = ".project-tabs .tab"
		}
		took, err := t.timed(click(link), "document.querySelectorAll('.deliverables .line').length > 10")
		if err != nil {
			return err
		}
		list.Add(isBare, took.Ms)
		if err := t.rest(ctx); err != nil {
			return err
		}
		took, err = t.timed("window.before = document.querySelector('.shown-count').textContent, document.querySelector('#search').focus(), document.execCommand('insertText', false, 'w')",
			"document.querySelector('.shown-count').textContent !== window.before")
		filter.Add(isBare, took.Ms)
		return err
	})
	return []measure.Figure{
		list.Figure("deliverables", "10,000 deliverables are listed, from the click", "ms", measure.AtMost(100)),
		filter.Figure("deliverables", "they are filtered, from the letter that was typed", "ms", measure.AtMost(100)),
	}, err
}

// lastDeliverable is the view of the last one of the project.
func (s *server) lastDeliverable(ctx context.Context) (string, error) {
	data, err := s.answer(ctx, "/api/project/deliverables", nil)
	if err != nil {
		return "", err
	}
	var listing struct{ Deliverables []struct{ ID, Pkg string } }
	if err := json.Unmarshal(data, &listing); err != nil {
		return "", err
	}
	if len(listing.Deliverables) == 0 {
		return "", errors.New("the project has no deliverables")
	}
	last := listing.Deliverables[len(listing.Deliverables)-1]
	return s.view(ctx, "/d/"+url.PathEscape(last.Pkg+"::"+last.ID))
}
