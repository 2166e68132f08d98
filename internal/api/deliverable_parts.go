package api

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/index"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/statusfile"
	"belay/internal/workspace/validate"
)

// maxDeliverableFindings is how many findings are listed.
const maxDeliverableFindings = 500

// readStatus reads the status file of the deliverable.
func (a *deliverableAnswer) readStatus(c *call, d workspace.Deliverable) error {
	if c.o.Projects.Transitions == nil {
		return notServed("does not look into projects")
	}
	s, err := statusfile.Read(d, c.o.Projects.Transitions.Bytes)
	if err != nil {
		return err
	}
	a.Status = new(s.View(nil))
	a.ETags[layout.StatusFile] = s.ETag()
	for _, rule := range lifecycle.Transitions(s.Status.State()) {
		a.Transitions = append(a.Transitions, transitionChoice{
			To: rule.To, Actors: rule.Actors, Approval: rule.Approval != "",
			Operator: !c.o.Projects.OpenTransitions && (gated(string(rule.To)) || c.o.Token != "" && slices.Contains(rule.Actors, lifecycle.Human)),
			Lacks:    orEmpty(s.Lacks(rule.To)),
		})
	}
	return nil
}

// readFindings reads those of the validation, and of the register.
func (a *deliverableAnswer) readFindings(c *call, s *index.Snapshot, folder *scan.Folder) error {
	_, err := validate.Project(c.ctx(), a.ProjectRoot, s.Result, validate.Options{
		FileBytes: c.o.Projects.FileBytes, Today: c.o.Clock().UTC().Format(time.DateOnly), Only: &finding.Filter{Deliverables: []string{folder.ID}},
		Each: func(found []finding.Finding) { a.addFindings(found, folder) },
	})
	if err != nil {
		return noReport(a.ProjectRoot, err)
	}
	slices.SortStableFunc(a.Findings, func(x, y placedFinding) int {
		return cmp.Or(strings.Compare(string(x.Severity), string(y.Severity)), strings.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Row, y.Row))
	})
	return nil
}

// addFindings takes over what is about the folder. Two packages may have a deliverable of
// one number, and findings of the project name the deliverable elsewhere.
func (a *deliverableAnswer) addFindings(found []finding.Finding, folder *scan.Folder) {
	for _, f := range found {
		in := f.Path == folder.Path || strings.HasPrefix(f.Path, folder.Path+"/")
		if !in && strings.Contains(f.Path, folder.ID) {
			continue
		}
		if in && path.Base(f.Path) == layout.RegisterFile {
			a.Register.Findings++
		}
		if len(a.Findings) == maxDeliverableFindings {
			a.MoreFound++
			continue
		}
		one := placedFinding{Finding: f}
		if f.Remedy.Command != "" {
			one.Command = f.Remedy.Line(a.ProjectRoot, false, folder.ID)
		}
		a.Findings = append(a.Findings, one)
	}
}

func (a *deliverableAnswer) readRegister(c *call, d workspace.Deliverable) error {
	if c.o.Projects.Registers == nil {
		return errNoRegisters
	}
	file, err := c.o.Projects.Registers.Read(c.ctx(), d)
	if fault.Is(err, fault.RegisterNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	a.ETags[layout.RegisterFile] = quoted(file.Tag)
	a.Register.Exists, a.Register.Rows = true, file.Len()
	for i := range file.Len() {
		if file.Row(i).Active() {
			a.Register.Active++
		}
	}
	a.Register.Retired = a.Register.Rows - a.Register.Active
	return nil
}

func (a *deliverableAnswer) readProposals(c *call, folder *scan.Folder) error {
	if c.o.Projects.Proposals == nil {
		return nil
	}
	all, err := c.o.Projects.Proposals.List(c.ctx(), a.ProjectRoot, false)
	for _, p := range all {
		if p.Path == folder.Path {
			a.Proposals = append(a.Proposals, p)
		}
	}
	return err
}

// readBlockers reads who waits for whom, one step up and down.
func (a *deliverableAnswer) readBlockers(c *call, s *index.Snapshot, folder *scan.Folder) error {
	g, err := once(s, graphKey{}, func() (*graphOf, error) { return dependencies(context.WithoutCancel(c.ctx()), s) })
	if err != nil {
		return noIndex(a.ProjectRoot, err)
	}
	part, ok := g.Around(folder.ID)
	if !ok {
		return nil
	}
	states := map[string]string{}
	for _, f := range s.Deliverables {
		states[f.ID] = strings.ToUpper(f.Status)
	}
	for _, r := range part.Analyse(c.ctx()).Readiness {
		for _, b := range r.Blockers {
			switch {
			case r.Deliverable == folder.ID:
				a.Upstream = append(a.Upstream, b)
			case b.Deliverable == folder.ID:
				a.Downstream = append(a.Downstream, blockedBy{Deliverable: r.Deliverable, State: states[r.Deliverable], DependencyID: b.DependencyID, Type: b.Type})
			}
		}
	}
	return nil
}

func (a *deliverableAnswer) readSessions(c *call, folder *scan.Folder) error {
	if c.o.Overview == nil {
		return nil
	}
	all, more, err := c.o.Overview.Touching(c.ctx(), a.ProjectRoot, folder.Path)
	a.Sessions, a.MoreTouched = append(a.Sessions, all...), more
	return err
}
