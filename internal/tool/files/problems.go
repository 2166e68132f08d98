package files

import (
	"errors"
	"strings"

	"belay/internal/tool"
)

// problems are the refusals of a call's files. The model gets all of them in one result.
type problems []*tool.Refusal

// add notes an error. Any error becomes a refusal.
func (p *problems) add(err error) {
	if err == nil {
		return
	}
	var r *tool.Refusal
	if !errors.As(err, &r) {
		r = tool.Refuse("%v", err).Because(err)
	}
	*p = append(*p, r)
}

// refusal is all of them in one, nil for none.
func (p problems) refusal() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	all := &tool.Refusal{}
	texts := make([]string, len(p))
	for i, r := range p {
		texts[i] = r.Error()
		all.Authority = all.Authority || r.Authority
	}
	all.Reason = strings.Join(texts, "; ")
	return all
}
