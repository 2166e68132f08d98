package api

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// feedRequest is what a request for the one stream asks for.
type feedRequest struct {
	at       feedPosition
	sessions []string
	projects map[string]string // folders by their ids
	order    []followed
}

// readFeedRequest reads the query and where the reader is.
func readFeedRequest(c *call) (f feedRequest, err error) {
	q, err := query(c.r)
	if err != nil {
		return f, err
	}
	p := params{q: q}
	at, ok := readPosition(cmp.Or(c.r.Header.Get("Last-Event-ID"), q["lastEventId"]))
	if !ok {
		p.badWith("leave it out, and fetch the lists anew", "Last-Event-ID", "is not the id of an event of this stream")
	}
	f.at = feedPosition{at.feed, map[followed]int64{}}
	f.sessions = f.named(&p, at, "sessions", sessionItem)
	projects := f.named(&p, at, "projects", projectItem)
	if err := p.err(); err != nil {
		return f, err
	}
	f.projects = map[string]string{}
	for _, id := range projects {
		root, err := c.rootOf(id)
		if err == nil {
			root, err = c.checkProject(root)
		}
		if err != nil {
			return f, err
		}
		f.projects[id] = root
	}
	return f, nil
}

// named reads a parameter that names sessions or projects, and where the reader is in each.
func (f *feedRequest) named(p *params, at feedPosition, name string, pattern *lazyregexp.Regexp) (ids []string) {
	list := slices.DeleteFunc(strings.Split(p.q[name], ","), func(s string) bool { return trim(s) == "" })
	if len(list) > maxNamed {
		p.bad(name, fmt.Sprintf("names %d, the limit is %d", len(list), maxNamed))
		return nil
	}
	for _, item := range list {
		m := pattern.FindStringSubmatch(trim(item))
		if m == nil {
			p.bad(name, fmt.Sprintf("has %q, which is no id", fault.Clip(item)))
			continue
		}
		key := followed{name[:1], m[1]}
		if slices.Contains(f.order, key) {
			p.bad(name, "names "+m[1]+" twice")
			continue
		}
		after, _ := strconv.ParseInt(m[len(m)-1], 10, 64)
		if before, has := at.in[key]; has {
			after = before
		}
		f.order = append(f.order, key)
		f.at.in[key] = after
		ids = append(ids, m[1])
	}
	return ids
}
