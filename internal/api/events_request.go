package api

import (
	"cmp"
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
	if f.at, err = readPosition(cmp.Or(c.r.Header.Get("Last-Event-ID"), q["lastEventId"])); err != nil {
		return f, err
	}
	given := f.at.in
	f.at.in = map[followed]int64{}
	named := func(name string, pattern *lazyregexp.Regexp, add func(id string, after int64) error) error {
		list := slices.DeleteFunc(strings.Split(q[name], ","), func(s string) bool { return trim(s) == "" })
		if len(list) > maxNamed {
			return fault.New(fault.InvalidRequest, "%s names %d, the limit is %d", name, len(list), maxNamed).With("field", name)
		}
		for _, item := range list {
			m := pattern.FindStringSubmatch(trim(item))
			if m == nil {
				return fault.New(fault.InvalidRequest, "%s has %q, which is no id", name, fault.Clip(item)).With("field", name)
			}
			after, _ := strconv.ParseInt(m[len(m)-1], 10, 64)
			key := followed{name[:1], m[1]}
			if slices.Contains(f.order, key) {
				return fault.New(fault.InvalidRequest, "%s names %s twice", name, m[1]).With("field", name)
			}
			if at, has := given[key]; has {
				after = at
			}
			f.order = append(f.order, key)
			f.at.in[key] = after
			if err := add(m[1], after); err != nil {
				return err
			}
		}
		return nil
	}
	f.projects = map[string]string{}
	err = named("sessions", sessionItem, func(id string, _ int64) error {
		f.sessions = append(f.sessions, id)
		return nil
	})
	if err == nil {
		err = named("projects", projectItem, func(id string, _ int64) error {
			root, err := c.rootOf(id)
			if err == nil {
				root, err = c.checkProject(root)
			}
			f.projects[id] = root
			return err
		})
	}
	return f, err
}
