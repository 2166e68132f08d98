package api_test

import (
	"context"
	"testing"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scaffold"
)

func TestMakingTranscripts(t *testing.T) { transcripts(t, "making") }

// sampleScaffolder answers as a scaffolder does whose disk holds /srv/bridge.md.
type sampleScaffolder struct{}

func (sampleScaffolder) Scaffold(_ context.Context, r scaffold.Request) (scaffold.Result, error) {
	const deck, levels = "/srv/bridge/PKG-01_Deck & rail", "/srv/bridge/PKG-01_Deck & rail/1_Working/DEL-01-01_Levels"
	made := scaffold.Created{Directories: []string{"/srv/bridge/_Change"}, Files: []string{"/srv/bridge/INIT.md"}}
	if r.ExecutionRoot == "/srv/taken" {
		return scaffold.Result{}, fault.New(fault.WorkingRootInaccessible, "/srv/taken/_Change cannot be made: something else than a folder is in the way").
			WithStatus(409).With("scaffoldStrategy", "FAIL_FAST").With("stage", "ensure_tool_root").With("targetPath", "/srv/taken/_Change").
			With("created", scaffold.Created{Directories: []string{}, Files: []string{}}).
			With("guidance", "move what is in the way and run it again; it goes on where it stopped")
	}
	return scaffold.Result{
		ExecutionRoot: r.ExecutionRoot, DecompositionPath: r.DecompositionPath, CopiedDecompositionPath: "/srv/bridge/_Decomposition/bridge.md",
		ProjectName: "Bridge <1>", CoordinationMode: "DEPENDENCY_TRACKED", PackageCount: 1, DeliverableCount: 1, Created: made,
		LayoutValidation: scaffold.Layout{
			Valid: true, ExecutionRoot: scaffold.LayoutRoot{Path: r.ExecutionRoot, Valid: true, Missing: []string{}},
			Packages:     []scaffold.LayoutUnit{{ID: "PKG-01", Path: deck, Valid: true, Missing: []string{}}},
			Deliverables: []scaffold.LayoutUnit{{ID: "DEL-01-01", Path: levels, Valid: true, Missing: []string{}}},
		},
		PreparationCompatibility: scaffold.Compatibility{
			Ready: true, DeliverablesChecked: 1, Deliverables: []scaffold.Readiness{{ID: "DEL-01-01", Path: levels, Ready: true, Issues: []string{}}},
		},
		Findings: []finding.Finding{{
			Path: "_Decomposition/bridge.md", Severity: finding.Warning, Code: "DECOMPOSITION_UNDEFINED", Line: 7,
			Message: "DEL-01-02 is mentioned, but not defined", Fix: "define it",
		}},
	}, nil
}

func (sampleScaffolder) Outline(_ context.Context, r scaffold.Request) (scaffold.Outline, error) {
	return scaffold.Outline{
		ExecutionRoot: r.ExecutionRoot, DecompositionPath: r.DecompositionPath, ProjectName: "Bridge <1>", CoordinationMode: "DEPENDENCY_TRACKED", PackageCount: 1, DeliverableCount: 1,
		New: true, Folders: []string{"_Change"}, Files: []string{"INIT.md"}, Findings: []finding.Finding{},
	}, nil
}

func (sampleScaffolder) Example(_ context.Context, projectRoot string) (string, error) {
	if projectRoot == "" {
		return "/home/user/belay-example", nil
	}
	return projectRoot, nil
}
