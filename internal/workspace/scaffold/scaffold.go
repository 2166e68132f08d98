// Package scaffold makes an execution root of a decomposition: its folders, and
// for each deliverable the files that it has in state OPEN.
//
// [Run] may be repeated at any time, also after a crash or with an edited
// decomposition. It makes what is missing and touches nothing that is there. A
// file comes into being whole or not at all, a deliverable's state before its
// other files, so that a folder which was interrupted half way is completed and
// one that people have worked in is not taken for new. One id has one folder: a
// deliverable whose name changed, or that is elsewhere, keeps the folder that it
// has, and a finding says so.
//
// The one thing that is replaced is the project's own copy of the decomposition,
// when the new one has the same name: folders and their source must agree. What
// the copy was goes to _Decomposition/_Archive first.
//
// Runs on one root exclude each other by a lock in the state folder.
//
// Contract: workspace spec, sections 1, 2, 3, 4, 5, 7, 8, 10, 12 and 13;
// compatible contract, 8.6, S38 and S39.
package scaffold

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/coordination"
	"belay/internal/workspace/layout"
)

// Request is what a caller asks for.
type Request struct {
	// ExecutionRoot is the absolute path of the root, which is made where it does
	// not exist. DecompositionPath is that of the document.
	ExecutionRoot, DecompositionPath string
	// ProjectName is the document's title where it is blank.
	ProjectName string
	// CoordinationMode is one of [Modes], letter case apart; blank is
	// DEPENDENCY_TRACKED.
	CoordinationMode string
}

// Modes are the representations of coordination.
func Modes() (all []string) {
	for _, m := range coordination.Modes() {
		all = append(all, string(m))
	}
	return all
}

// MaxDocumentBytes is a limit for [Options.MaxBytes]: more than people write in a
// decomposition.
const MaxDocumentBytes = 8 << 20

const defaultMode = "DEPENDENCY_TRACKED"

// Options are what a run needs besides. All but InstructionRoot, Private, Read and Confirm
// are required.
type Options struct {
	// LockDir is a folder for locks, outside of what agents reach.
	LockDir string
	// InstructionRoot is a folder that no project may be in; "" for none.
	InstructionRoot string
	// Private are belay's own folders, in which no project may be.
	Private []string
	// MaxBytes caps the document.
	MaxBytes int64
	Clock    func() time.Time
	// Read reads the document instead of the file system, for callers that may not
	// read everything.
	Read func(path string) ([]byte, error)
	// Confirm is asked about what a run would make before it makes anything; an
	// error ends the run.
	Confirm func(*Plan) error
}

// Run makes what is missing. Before anything is made it returns INVALID_REQUEST
// for a request or a document that cannot be used and WORKING_ROOT_CONFLICT for a
// root inside the instruction root; when it fails half way, WORKING_ROOT_INACCESSIBLE
// for something in the way and STORAGE_FAILURE for a disk that takes no more, with
// details of what had been made. Running again goes on there.
func Run(ctx context.Context, r Request, o Options) (Result, error) {
	r, err := r.checked(o)
	if err != nil {
		return Result{}, err
	}
	unlock, err := workspace.LockFolder(ctx, o.LockDir, "scaffold", r.ExecutionRoot)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	p, err := newPlan(r, o)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	if o.Confirm != nil {
		if err := o.Confirm(p); err != nil {
			return Result{}, err
		}
	}
	return p.apply(ctx)
}

// Preview returns what a run would make now. It takes no lock and makes nothing.
func Preview(r Request, o Options) (*Plan, error) {
	r, err := r.checked(o)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(r, o)
	if err != nil {
		return nil, err
	}
	p.close()
	return p, nil
}

// checked returns the request in normal form.
func (r Request) checked(o Options) (Request, error) {
	var err error
	if r.ExecutionRoot, err = workspace.CheckNewRoot("executionRoot", r.ExecutionRoot, o.InstructionRoot, o.Private...); err != nil {
		return r, err
	}
	if r.DecompositionPath, err = workspace.CheckPath("decompositionPath", r.DecompositionPath); err != nil {
		return r, err
	}
	mode := cmp.Or(strings.ToUpper(strings.TrimSpace(r.CoordinationMode)), defaultMode)
	if !slices.Contains(Modes(), mode) {
		return r, fault.New(fault.InvalidRequest, "coordinationMode must be one of %s", strings.Join(Modes(), ", ")).
			With("field", "coordinationMode").With("coordinationMode", shown(r.CoordinationMode))
	}
	r.CoordinationMode = mode
	r.ProjectName = strings.TrimSpace(r.ProjectName)
	if line := oneLine(r.ProjectName); line != r.ProjectName {
		return r, invalid("projectName", r.ProjectName, "must be one line without control characters")
	}
	if r.ProjectName != "" && layout.Sanitize(r.ProjectName) == "" {
		return r, invalid("projectName", r.ProjectName, "must hold more than dots")
	}
	return r, nil
}

func invalid(field, value, why string) error {
	return fault.New(fault.InvalidRequest, "%s", fmt.Sprintf("%s %s", field, why)).With("field", field).With("value", shown(value))
}
