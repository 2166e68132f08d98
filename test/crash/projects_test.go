//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/coordination"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/registerfile"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/snapshot"
	"belay/internal/workspace/statusfile"
	"belay/internal/workspace/undo"
)

const (
	listFolder = "PKG-01_A/1_Working/DEL-01-01_List"
	listStatus = "# Status: DEL-01-01 List\n\n**Current State:** OPEN\n**Last Updated:** 2026-01-02\n\n## History\n- 2026-01-02 — State set to OPEN (PREPARATION)\n"
	rowColumns = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetDeliverableID,EvidenceFile,SourceRef,SatisfactionStatus,Origin,FirstSeen,LastSeen,Status\n"
	oneRow     = "v3.1,DEP-01-01-001,PKG-01,DEL-01-01,List,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE,DEL-01-02,a.md,a.md,TBD,EXTRACTED,2026-01-01,2026-01-02,ACTIVE\n"
	oldSummary = "# Dependencies: DEL-01-01\n\n## Extracted Dependency Register\nNot extracted yet.\n\n## Run History\n"
	footbridge = "# Footbridge — decomposition\n\n### PKG-01 — Deck & rail\n\n| DeliverableID | Name | Type |\n|---|---|---|\n| DEL-01-01 | Levels | TABLE |\n"
)

// projectScenarios change files of a project.
var projectScenarios = []scenario{
	{
		name:  "transition",
		setup: deliverable,
		work: func(w *world, _ *app.App) {
			writer, err := app.Transitions(w.settings())
			w.try(err)
			s, _, err := writer.Change(context.Background(), w.deliverable(), statusfile.Change{
				Request: lifecycle.Request{To: "INITIALIZED", Actor: "4_DOCUMENTS", Date: "2026-01-03", Now: time.Now()}, By: statusfile.Asker{Name: "the person"},
			})
			w.try(err)
			w.acknowledged("the transition", promise{Kind: "content", Path: s.Path(), SHA256: s.Hash}.holds)
		},
		always: func(w *world, a *app.App) error {
			s, err := statusfile.Read(w.deliverable(), 0)
			if err == nil && s.Status.State() != lifecycle.Open && s.Status.State() != lifecycle.Initialized {
				err = fmt.Errorf("the state is %s", s.Status.State())
			}
			return errors.Join(err, auditIsWhole(w, a))
		},
	},
	{
		name: "coordination",
		setup: func(w *world, _ *app.App) {
			folder := filepath.Join(w.project, "_Coordination")
			must(w.t, os.MkdirAll(folder, 0o700))
			must(w.t, os.WriteFile(filepath.Join(folder, "_COORDINATION.md"), []byte("# Coordination Record\n\n**Representation:** Hybrid\n"), 0o600))
		},
		work: func(w *world, _ *app.App) {
			writer, err := app.Coordinator(w.settings())
			w.try(err)
			r, err := writer.Set(context.Background(), w.project, coordination.ScheduleFirst, "the person", nil)
			w.try(err)
			w.acknowledged("the mode", promise{Kind: "content", Path: filepath.Join(w.project, filepath.FromSlash(r.Path)), SHA256: strings.Trim(r.ETag(), `"`)}.holds)
			w.canBeTakenBack()
		},
		always: func(w *world, a *app.App) error {
			r, err := coordination.Read(w.project)
			if err == nil && r.Mode != coordination.Hybrid && r.Mode != coordination.ScheduleFirst {
				err = fmt.Errorf("the mode is %q: %s", r.Value, r.Problem)
			}
			return errors.Join(err, auditIsWhole(w, a))
		},
	},
	{
		name:  "register",
		setup: deliverable,
		work: func(w *world, _ *app.App) {
			registers, err := app.OpenRegisters(w.settings())
			w.try(err)
			done, err := registers.Files.Put(context.Background(), w.deliverable(), registerfile.Change{By: "the person"}, []map[string]string{row()})
			w.try(err)
			w.unchanged("the register", done.File.Path, filepath.Join(filepath.Dir(done.File.Path), "_DEPENDENCIES.md"))
			w.canBeTakenBack()
		},
		always: registerIsWhole,
	},
	{
		name:  "ids made valid",
		setup: deliverable,
		work: func(w *world, _ *app.App) {
			_, path := w.changeByCommand()
			w.unchanged("the file", path)
			w.canBeTakenBack()
		},
	},
	{
		name:  "undo of a command",
		setup: deliverable,
		work: func(w *world, _ *app.App) {
			store, path := w.changeByCommand()
			_, err := store.Undo(context.Background(), w.project, "", "the person")
			w.try(err)
			w.unchanged("the file", path)
		},
	},
	{
		name:  "proposal",
		setup: deliverable,
		work: func(w *world, _ *app.App) {
			registers, err := app.OpenRegisters(w.settings())
			w.try(err)
			shown, err := registers.Proposals.Add(context.Background(), w.deliverable(), proposal.Request{By: "an agent", Content: []byte(rowColumns + oneRow)})
			w.try(err)
			w.acknowledged("the proposal", func(w *world, _ *app.App) error { return w.hasProposal(registers, shown.ID) })
			_, done, err := registers.Proposals.Apply(context.Background(), w.project, shown.ID, proposal.Settle{By: "the person"})
			w.try(err)
			w.unchanged("the register", done.File.Path)
			w.settled(registers, shown.ID)
			w.canBeTakenBack()
		},
		always: registerIsWhole,
	},
	{
		name:  "dismissal",
		setup: deliverable,
		work: func(w *world, _ *app.App) {
			registers, err := app.OpenRegisters(w.settings())
			w.try(err)
			shown, err := registers.Proposals.Add(context.Background(), w.deliverable(), proposal.Request{By: "an agent", Content: []byte(rowColumns + oneRow)})
			w.try(err)
			_, err = registers.Proposals.Dismiss(context.Background(), w.project, shown.ID, "the person")
			w.try(err)
			w.settled(registers, shown.ID)
		},
		always: registerIsWhole,
	},
	{
		name: "scaffold",
		setup: func(w *world, _ *app.App) {
			must(w.t, os.WriteFile(filepath.Join(w.project, "bridge.md"), []byte(footbridge), 0o600))
		},
		work: func(w *world, _ *app.App) {
			done, err := w.scaffold()
			w.try(err)
			w.unchanged("the scaffold", done.Created.Files...)
		},
		always: func(w *world, _ *app.App) error {
			done, err := w.scaffold()
			if err == nil && (!done.LayoutValidation.Valid || !done.PreparationCompatibility.Ready) {
				err = fmt.Errorf("once more gives %+v and %+v", done.LayoutValidation, done.PreparationCompatibility)
			}
			return err
		},
	},
	{
		name: "snapshot",
		setup: func(w *world, _ *app.App) {
			must(w.t, os.MkdirAll(filepath.Join(w.project, "draft", "a"), 0o700))
			must(w.t, os.WriteFile(filepath.Join(w.project, "draft", "a", "one.csv"), []byte("1\n"), 0o600))
			must(w.t, os.WriteFile(filepath.Join(w.project, "draft", "two.csv"), []byte("2\n"), 0o600))
		},
		work: func(w *world, _ *app.App) {
			t := snapshot.Target{Root: w.project, ToolRoot: "_Estimates", Label: "EST"}
			o, err := app.SnapshotOptions(w.settings())
			if err != nil {
				w.try(err)
				return
			}
			s, err := snapshot.Publish(context.Background(), t, o, snapshot.Copy(context.Background(), t, o, filepath.Join(w.project, "draft")))
			w.try(err)
			var files []string
			for _, f := range s.Files {
				files = append(files, filepath.Join(s.Path, filepath.FromSlash(f.Path)))
			}
			w.unchanged("the snapshot", append(files, s.Manifest, s.Pointer)...)
		},
		always: snapshotsAreWhole,
	},
}

// settings are config, which must be valid.
func (w *world) settings() *config.Config {
	w.t.Helper()
	cfg, err := w.config()
	w.try(err)
	return cfg
}

// deliverable makes a deliverable.
func deliverable(w *world, _ *app.App) {
	folder := filepath.Join(w.project, filepath.FromSlash(listFolder))
	must(w.t, os.MkdirAll(folder, 0o700))
	must(w.t, os.WriteFile(filepath.Join(folder, "_STATUS.md"), []byte(listStatus), 0o600))
	must(w.t, os.WriteFile(filepath.Join(folder, "_DEPENDENCIES.md"), []byte(oldSummary), 0o600))
}

func (w *world) deliverable() workspace.Deliverable {
	w.t.Helper()
	d, err := workspace.FindDeliverable(w.project, filepath.Join(w.project, filepath.FromSlash(listFolder)))
	w.try(err)
	return d
}

// unchanged promises that files stay as they are now.
func (w *world) unchanged(what string, files ...string) {
	w.t.Helper()
	for _, name := range files {
		data, err := os.ReadFile(name)
		w.try(err)
		w.acknowledged(what, promise{Kind: "content", Path: name, SHA256: digest(data)}.holds)
	}
}

// row is oneRow by its columns.
func row() map[string]string {
	cells := map[string]string{}
	values := strings.Split(strings.TrimSpace(oneRow), ",")
	for i, name := range strings.Split(strings.TrimSpace(rowColumns), ",") {
		cells[name] = values[i]
	}
	return cells
}

// settled promises that nobody can decide about a proposal again.
func (w *world) settled(registers app.Registers, id string) {
	w.acknowledged("the proposal's end", func(w *world, _ *app.App) error {
		if _, err := registers.Proposals.Show(context.Background(), w.project, id, proposal.Settle{}); !fault.Is(err, fault.DecisionClosed) {
			return fmt.Errorf("it is open again: %w", err)
		}
		return nil
	})
}

func (w *world) hasProposal(registers app.Registers, id string) error {
	list, err := registers.Proposals.List(context.Background(), w.project, true)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(p proposal.Shown) bool { return p.ID == id })
	if at < 0 {
		return errors.New("it is gone")
	}
	if list[at].State == proposal.Open && list[at].Problem != "" {
		return errors.New(list[at].Problem)
	}
	return nil
}

// registerIsWhole checks that the register and its summary are both old or both new,
// once somebody has read the register.
func registerIsWhole(w *world, a *app.App) error {
	d := w.deliverable()
	registers, err := app.OpenRegisters(w.settings())
	if err != nil {
		return err
	}
	file, err := registers.Files.Read(context.Background(), d)
	if err != nil && !fault.Is(err, fault.RegisterNotFound) {
		return err
	}
	summary, err := os.ReadFile(filepath.Join(d.Path, "_DEPENDENCIES.md"))
	isNew := strings.Contains(string(summary), "**Total ACTIVE rows:** 1\n")
	if err != nil || file.Exists != isNew || !isNew && string(summary) != oldSummary || isNew && !file.HasID("DEP-01-01-001") {
		return fmt.Errorf("there is a register %v, with the summary %q: %w", file.Exists, summary, err)
	}
	return auditIsWhole(w, a)
}

func (w *world) scaffold() (scaffold.Result, error) {
	r := scaffold.Request{ExecutionRoot: filepath.Join(w.project, "roots", "one"), DecompositionPath: filepath.Join(w.project, "bridge.md")}
	return scaffold.Run(context.Background(), r, app.ScaffoldOptions(w.settings()))
}

// snapshotsAreWhole checks everything that looks like a snapshot.
func snapshotsAreWhole(w *world, _ *app.App) error {
	names, err := filepath.Glob(filepath.Join(w.project, "_Estimates", "EST_*"))
	must(w.t, err)
	for _, name := range names {
		if found, _ := snapshot.Verify(context.Background(), w.project, "_Estimates/"+filepath.Base(name)); len(found) > 0 {
			return fmt.Errorf("%s: %s", name, found[0].Message)
		}
	}
	return nil
}

// canBeTakenBack says that the change of the project that was made last is on record. One that
// failed for want of the means to write may be there as well: an undo names it as not in effect.
func (w *world) canBeTakenBack() {
	w.acknowledged("the change can be taken back", func(w *world, _ *app.App) error {
		store, err := app.OpenUndo(w.settings())
		if err != nil {
			return err
		}
		all, err := store.List(context.Background(), w.project)
		if err == nil && (len(all) == 0 || all[0].Undone != nil || all[0].Problem != "") {
			err = fmt.Errorf("on record are %+v", all)
		}
		return err
	})
}

// changeByCommand changes a file of the deliverable as belay deps renumber does.
func (w *world) changeByCommand() (*undo.Store, string) {
	store, err := app.OpenUndo(w.settings())
	w.try(err)
	d := w.deliverable()
	path := filepath.Join(d.Path, "_DEPENDENCIES.md")
	before, err := os.ReadFile(path)
	w.try(err)
	_, err = store.Make(context.Background(), w.project, "deps renumber", "the person",
		[]changeset.File{{Path: d.Rel + "/_DEPENDENCIES.md", Before: before, After: append(slices.Clone(before), "- one more\n"...)}})
	w.try(err)
	return store, path
}
