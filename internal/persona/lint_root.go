package persona

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/finding"
)

// Lint holds every instruction file of the root against the specification, and the
// files against each other. It works on a root that is not valid, and says what it
// lacks; it fails only where the agents folder cannot be listed.
func (r *Root) Lint() ([]finding.Finding, error) {
	all := []finding.Finding{}
	if r.path != "" {
		missing, invalid := r.inspect()
		for _, name := range append(missing, invalid...) {
			all = append(all, ruleEntry.At(name, 0, "the instruction root has no %s that can be read", name))
		}
		if slices.Contains(append(missing, invalid...), "agents") {
			return all, nil
		}
	}
	names, err := r.agentFiles()
	if err != nil {
		return nil, fmt.Errorf("lint the instruction root: %w", err)
	}
	for _, base := range names {
		if !strings.HasPrefix(base, "AGENT_") || !strings.HasSuffix(base, ".md") {
			continue
		}
		file := "agents/" + base
		if idOf(base) == "" {
			all = append(all, ruleFileName.At(file, 0, "no persona can be called %q", finding.Shown(strings.TrimSuffix(strings.TrimPrefix(base, "AGENT_"), ".md"))))
			continue
		}
		d, err := r.load(file)
		if err != nil {
			all = append(all, ruleUnreadable.At(file, 0, "the file cannot be read: %s", unreadable(err)))
			continue
		}
		all = append(all, r.judged(d.persona).Findings...)
	}
	finding.Sort(all)
	return all, nil
}

// unreadable says in words for people why a file of the root cannot be read.
func unreadable(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, durable.ErrTooLarge):
		return "it is larger than the limit"
	case errors.Is(err, durable.ErrNotRegular):
		return "it is not a regular file"
	case errors.As(err, &at) && strings.Contains(at.Err.Error(), "escapes"): // os.Root has no error for it that can be compared
		return "it is a link that leads out of the instruction root"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return "the disk does not give it"
}

// judged adds to a persona's findings what only other files can show: whom it may
// delegate to, as [Govern] would decide.
func (r *Root) judged(p Persona) Persona {
	if len(p.Subagents) == 0 {
		return p
	}
	all := slices.Clone(p.Findings)
	if p.Type != Manager {
		all = append(all, ruleDelegates.At(p.File, 1, "the persona is %s and names subagents", p.Type.orUnknown()))
	}
	for _, name := range p.Subagents {
		sub, err := r.find(name)
		switch {
		case err != nil:
			all = append(all, ruleSubagent.At(p.File, 1, "the subagent %s has no readable file", name))
		case sub.Type != Specialist:
			all = append(all, ruleSubagent.At(p.File, 1, "the subagent %s is %s, not %s", name, sub.Type.orUnknown(), Specialist))
		case len(sub.ID) > MaxSubagentID:
			all = append(all, ruleSubagent.At(p.File, 1, "the subagent %s has a name of more than %d characters", name, MaxSubagentID))
		case sub.Class != ClassTask:
			all = append(all, ruleSubagentClass.At(p.File, 1, "the subagent %s does not declare AGENT_CLASS TASK", name))
		}
	}
	finding.Sort(all)
	p.Findings = all
	return p
}
