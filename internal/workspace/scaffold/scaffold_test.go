package scaffold_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/validate"
)

const bridge = `# Footbridge — decomposition

| PackageID | Name |
|---|---|
| PKG-01 | Deck & rail |
| PKG-02 | Survey |

### PKG-01 — Deck & rail

| DeliverableID | Name | Discipline | Type | ResponsibleParty | Description | AcceptanceCriteria | AnticipatedArtifacts | CoversScopeItems | SupportsObjectives |
|---|---|---|---|---|---|---|---|---|---|
| DEL-01-01 | Levels: deck | Civil | TABLE | Surveyor | # not a heading<br>**Name:** not a field | Dry | Table; drawing | SOW-001–SOW-003 | OBJ-001 |
| DEL-01-02 | Rail | | | | | | | | |

### PKG-02 — Survey

| DeliverableID | Name |
|---|---|
| DEL-02-01 | Levels as found |
`

// noon is when every run of the tests happens.
var noon = time.Date(2026, 8, 24, 12, 0, 0, 0, time.UTC)

// tempPrefix begins the names of unfinished files.
const tempPrefix = durable.TempPrefix + "scaffold-"

func options(t testing.TB) scaffold.Options {
	t.Helper()
	return scaffold.Options{LockDir: t.TempDir(), MaxBytes: 1 << 20, Clock: func() time.Time { return noon }}
}

// paper writes a decomposition outside of any root.
func paper(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bridge.md")
	must(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, r scaffold.Request, o scaffold.Options) scaffold.Result {
	t.Helper()
	res, err := scaffold.Run(context.Background(), r, o)
	must(t, err)
	return res
}

// tree is every folder and file below root, with the content of the files.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			all[filepath.ToSlash(rel)] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return all
}

// Covers: workspace 1, 10.2
func TestRun(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "new", "root")
	r := scaffold.Request{ExecutionRoot: root, DecompositionPath: paper(t, bridge)}
	o := options(t)
	res := run(t, r, o)
	if res.PackageCount != 2 || res.DeliverableCount != 3 || res.ProjectName != "Footbridge" || res.CoordinationMode != "DEPENDENCY_TRACKED" ||
		res.CopiedDecompositionPath != filepath.Join(root, "_Decomposition", "bridge.md") || !res.LayoutValidation.Valid ||
		!res.PreparationCompatibility.Ready || res.PreparationCompatibility.DeliverablesChecked != 3 || len(res.Findings) != 0 {
		t.Errorf("the result is %+v", res)
	}
	got := tree(t, root)
	for path, content := range map[string]string{
		"PKG-01_Deck & rail/2_Checking/From": "folder",
		"_Aggregation/_Templates":            "folder",
		"_Decomposition/bridge.md":           bridge,
		"PKG-01_Deck & rail/1_Working/DEL-01-01_Levels- deck/_STATUS.md": `# Status: DEL-01-01 Levels: deck

**Current State:** OPEN
**Last Updated:** 2026-08-24

## History
- 2026-08-24 — State set to OPEN (PREPARATION)
`,
		"PKG-01_Deck & rail/1_Working/DEL-01-01_Levels- deck/_CONTEXT.md": `# Context: DEL-01-01

**Name:** Levels: deck
**Package:** PKG-01 Deck & rail
**Discipline:** Civil
**Type:** TABLE
**Responsible:** Surveyor

## Description
\# not a heading
**Name:** not a field

## Acceptance Criteria
- Dry

## Anticipated Artifacts
- Table
- drawing

## Scope Traceability
- Scope items: SOW-001, SOW-002, SOW-003
- Objectives: OBJ-001

## Decomposition Reference
- **Decomposition file:** _Decomposition/bridge.md
- **Deliverable ID:** DEL-01-01
`,
	} {
		if diff := cmp.Diff(content, got[path]); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	valid(t, root)
	if n := len(res.Created.Directories) + len(res.Created.Files); n != len(got) {
		t.Errorf("it says that it made %d things; there are %d", n, len(got))
	}
	again := run(t, r, o)
	if len(again.Created.Directories)+len(again.Created.Files) != 0 {
		t.Errorf("again it made %+v", again.Created)
	}
	again.Created = res.Created
	if diff := cmp.Diff(res, again); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got, tree(t, root)); diff != "" {
		t.Error(diff)
	}
}

// A run takes what there is as it is, and completes it.
//
// Covers: workspace 10.2
func TestRunKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before map[string]string // content by path, "folder" for a folder
		want   []string          // findings as "CODE path"
		absent []string
	}{
		{
			name: "a file that exists", before: map[string]string{
				"INIT.md": "mine", "PKG-02_Survey/1_Working/DEL-02-01_Levels as found/_STATUS.md": "**Current State:** CHECKING",
			},
		},
		{
			name: "another name", before: map[string]string{"PKG-01_Walkway/1_Working/DEL-01-02_Handrail/_STATUS.md": "x"},
			want: []string{
				"SCAFFOLD_NAME_CHANGED PKG-01_Walkway", "SCAFFOLD_NAME_CHANGED PKG-01_Walkway/1_Working/DEL-01-02_Handrail",
			},
			absent: []string{"PKG-01_Deck & rail", "PKG-01_Walkway/1_Working/DEL-01-02_Rail"},
		},
		{
			name: "another number of digits", before: map[string]string{"PKG-002_Survey": "folder"},
			absent: []string{"PKG-02_Survey"},
		},
		{
			name: "in another package", before: map[string]string{"PKG-02_Survey/1_Working/DEL-01-02_Rail/_STATUS.md": "x"},
			want:   []string{"SCAFFOLD_ELSEWHERE PKG-02_Survey/1_Working/DEL-01-02_Rail"},
			absent: []string{"PKG-01_Deck & rail/1_Working/DEL-01-02_Rail", "PKG-02_Survey/1_Working/DEL-01-02_Rail/_CONTEXT.md"},
		},
		{
			name: "issued", before: map[string]string{"PKG-01_Deck & rail/3_Issued/DEL-01-02_Rail/_STATUS.md": "x"},
			want: []string{"SCAFFOLD_ELSEWHERE PKG-01_Deck & rail/3_Issued/DEL-01-02_Rail"},
		}, {
			name: "in review", before: map[string]string{"PKG-01_Deck & rail/2_Checking/DEL-01-02_Rail/_STATUS.md": "x"},
			want:   []string{"SCAFFOLD_ELSEWHERE PKG-01_Deck & rail/2_Checking/DEL-01-02_Rail"},
			absent: []string{"PKG-01_Deck & rail/1_Working/DEL-01-02_Rail"},
		},
		{
			name: "no longer defined", before: map[string]string{"PKG-09_Gone": "folder", "PKG-01_Deck & rail/1_Working/DEL-01-09_Gone": "folder"},
			want: []string{"SCAFFOLD_NOT_IN_DECOMPOSITION PKG-01_Deck & rail/1_Working/DEL-01-09_Gone", "SCAFFOLD_NOT_IN_DECOMPOSITION PKG-09_Gone"},
		},
		{
			name: "worked in, without a state", before: map[string]string{"PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/Datasheet.md": "x"},
			want:   []string{"SCAFFOLD_STATUS_MISSING PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/_STATUS.md"},
			absent: []string{"PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/_STATUS.md"},
		},
		{
			name: "the older memory", before: map[string]string{
				"PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/_MEMORY.md": "x", "PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/_STATUS.md": "x",
			},
			absent: []string{"PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/MEMORY.md"},
		},
		{
			name: "what a crash left", before: map[string]string{
				tempPrefix + "X": "", "_Coordination/" + tempPrefix + "X": "", "PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/" + tempPrefix + "X": "half",
			},
			absent: []string{tempPrefix + "X", "_Coordination/" + tempPrefix + "X", "PKG-01_Deck & rail/1_Working/DEL-01-02_Rail/" + tempPrefix + "X"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for path, content := range c.before {
				path = filepath.Join(root, path)
				if content == "folder" {
					must(t, os.MkdirAll(path, 0o777))
					continue
				}
				must(t, os.MkdirAll(filepath.Dir(path), 0o777))
				must(t, os.WriteFile(path, []byte(content), 0o666))
			}
			res := run(t, scaffold.Request{ExecutionRoot: root, DecompositionPath: paper(t, bridge)}, options(t))
			var got []string
			for _, f := range res.Findings {
				got = append(got, f.Code+" "+f.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			after := tree(t, root)
			gone := map[string]bool{}
			for _, path := range c.absent {
				gone[path] = true
				if _, there := after[path]; there {
					t.Errorf("%s is there", path)
				}
			}
			for path, content := range c.before {
				if !gone[path] && after[path] != content {
					t.Errorf("%s holds %q now", path, after[path])
				}
			}
			if _, there := after["PKG-02_Survey/1_Working/DEL-02-01_Levels as found/MEMORY.md"]; !there && c.name != "another number of digits" {
				t.Error("the other deliverables are not complete")
			}
		})
	}
}

// An edited decomposition takes the place of the project's copy, which is archived:
// folders and their source agree (S39).
func TestEditedDecomposition(t *testing.T) {
	t.Parallel()
	root, file, o := t.TempDir(), paper(t, bridge), options(t)
	r := scaffold.Request{ExecutionRoot: root, DecompositionPath: file}
	run(t, r, o)
	edited := strings.Replace(bridge, "| DEL-02-01 | Levels as found |", "| DEL-02-01 | Levels as found |\n| DEL-02-02 | Flood marks |", 1)
	must(t, os.WriteFile(file, []byte(edited), 0o666))
	for n, want := range []string{"bridge_2026-08-24_1200.md", ""} {
		res := run(t, r, o)
		if n == 0 && (res.ArchivedDecompositionPath != filepath.Join(root, "_Decomposition", "_Archive", want) ||
			len(res.Findings) != 1 || res.Findings[0].Code != "SCAFFOLD_DECOMPOSITION_REPLACED" || res.DeliverableCount != 4) {
			t.Errorf("the result is %+v", res)
		}
		if n == 1 && res.ArchivedDecompositionPath != "" {
			t.Errorf("again it archived %s", res.ArchivedDecompositionPath)
		}
		got := tree(t, root)
		if got["_Decomposition/bridge.md"] != edited || got["_Decomposition/_Archive/bridge_2026-08-24_1200.md"] != bridge ||
			got["PKG-02_Survey/1_Working/DEL-02-02_Flood marks/_STATUS.md"] == "" {
			t.Errorf("after run %d there is %v", n, got)
		}
	}
	// A third version within the minute has a name of its own in the archive.
	must(t, os.WriteFile(file, []byte(edited+"\n"), 0o666))
	if res := run(t, r, o); filepath.Base(res.ArchivedDecompositionPath) != "bridge_2026-08-24_1200_2.md" {
		t.Errorf("it archived %s", res.ArchivedDecompositionPath)
	}
	// The copy itself may be the source.
	r.DecompositionPath = filepath.Join(root, "_Decomposition", "bridge.md")
	if res := run(t, r, o); res.ArchivedDecompositionPath != "" || res.CopiedDecompositionPath != r.DecompositionPath {
		t.Errorf("the result is %+v", res)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	file, instructions := paper(t, bridge), t.TempDir()
	pipe := filepath.Join(t.TempDir(), "folder.md")
	must(t, os.Mkdir(pipe, 0o777))
	for _, c := range []struct {
		name   string
		r      scaffold.Request
		want   fault.Type
		detail string
	}{
		{"no root", scaffold.Request{DecompositionPath: file}, fault.InvalidRequest, "executionRoot"},
		{"a relative root", scaffold.Request{ExecutionRoot: "x", DecompositionPath: file}, fault.InvalidRequest, "executionRoot"},
		{"a root with a line break", scaffold.Request{ExecutionRoot: "/tmp/a\nb", DecompositionPath: file}, fault.InvalidRequest, "executionRoot"},
		{"no document", scaffold.Request{ExecutionRoot: t.TempDir()}, fault.InvalidRequest, "decompositionPath"},
		{"a document that is not there", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: file + "x"}, fault.InvalidRequest, "decompositionPath"},
		{"a folder", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: pipe}, fault.InvalidRequest, "decompositionPath"},
		{"too large", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: paper(t, strings.Repeat(bridge, 2000))}, fault.InvalidRequest, "decompositionPath"},
		{"nothing in it", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: paper(t, "# P\n")}, fault.InvalidRequest, "findings"},
		{"no deliverable", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: paper(t, "### PKG-01 — P\n")}, fault.InvalidRequest, "findings"},
		{"a name of dots", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: paper(t, bridge+"| DEL-02-02 | .. |\n")}, fault.InvalidRequest, "findings"},
		{"no text", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: paper(t, "# P\x00\n")}, fault.InvalidRequest, "findings"},
		{"a mode", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: file, CoordinationMode: "GUESS"}, fault.InvalidRequest, "coordinationMode"},
		{"a project's name with a line break", scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: file, ProjectName: "a\n## b"}, fault.InvalidRequest, "value"},
		{"the instruction root", scaffold.Request{ExecutionRoot: filepath.Join(instructions, "new"), DecompositionPath: file}, fault.WorkingRootConflict, "projectRoot"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			o.InstructionRoot = instructions
			_, err := scaffold.Run(context.Background(), c.r, o)
			var f *fault.Error
			if !errors.As(err, &f) || f.Type != c.want || f.Details[c.detail] == nil {
				t.Fatalf("the error is %v, details %v", err, f.Details)
			}
			if c.r.ExecutionRoot != "" && filepath.IsAbs(c.r.ExecutionRoot) {
				if left, err := os.ReadDir(c.r.ExecutionRoot); err == nil && len(left) > 0 {
					t.Errorf("it made %v", left)
				}
			}
		})
	}
}

// What is in the way ends a run with the stage, the place and what had been
// made; with the way free, another run goes on.
func TestInTheWay(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, c := range []struct {
		name, path string
		stage      scaffold.Stage
		link       string
	}{
		{"the root", "", scaffold.EnsureRoot, ""},
		{"a tool root", "_Change", scaffold.EnsureToolRoot, ""},
		{"a package", "PKG-02_Survey", scaffold.CreatePackage, ""},
		{"a package's folder", "PKG-02_Survey/3_Issued", scaffold.CreatePackageFolder, ""},
		{"a deliverable", "PKG-02_Survey/1_Working/DEL-02-01_Levels as found", scaffold.CreateDeliverable, ""},
		{"a link out of the root", "PKG-02_Survey", scaffold.CreatePackage, outside},
		{"a link to nowhere", "PKG-02_Survey", scaffold.CreatePackage, "nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "root")
			at := filepath.Join(root, c.path)
			must(t, os.MkdirAll(filepath.Dir(at), 0o777))
			if c.link != "" {
				must(t, os.Symlink(c.link, at))
			} else {
				must(t, os.WriteFile(at, []byte("x"), 0o666))
			}
			r, o := scaffold.Request{ExecutionRoot: root, DecompositionPath: paper(t, bridge)}, options(t)
			_, err := scaffold.Run(context.Background(), r, o)
			var f *fault.Error
			if !errors.As(err, &f) || f.Type != fault.WorkingRootInaccessible || f.Status != 409 {
				t.Fatalf("the error is %v", err)
			}
			if f.Details["stage"] != string(c.stage) || f.Details["targetPath"] != at || f.Details["scaffoldStrategy"] != "FAIL_FAST" || f.Details["guidance"] == "" {
				t.Errorf("the details are %v", f.Details)
			}
			made, _ := f.Details["created"].(scaffold.Created)
			for _, path := range append(made.Directories, made.Files...) {
				if _, err := os.Lstat(path); err != nil {
					t.Errorf("it says that it made %s: %v", path, err)
				}
			}
			must(t, os.Remove(at))
			if res := run(t, r, o); !res.LayoutValidation.Valid {
				t.Errorf("afterwards: %+v", res.LayoutValidation)
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
				t.Errorf("outside of the root there is %v, %v", left, err)
			}
		})
	}
}

// Runs at the same time, with documents that give other names, make one folder for
// each id.
func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	root, o := t.TempDir(), options(t)
	errs := make(chan error)
	const runs = 8
	for i := range runs {
		text := strings.ReplaceAll(bridge, "| Rail |", fmt.Sprintf("| Rail %d |", i))
		r := scaffold.Request{ExecutionRoot: root, DecompositionPath: paper(t, text)}
		go func() {
			_, err := scaffold.Run(context.Background(), r, o)
			errs <- err
		}()
	}
	for range runs {
		must(t, <-errs)
	}
	folders, err := filepath.Glob(filepath.Join(root, "*", layout.Working, "DEL-*"))
	must(t, err)
	if len(folders) != 3 {
		t.Errorf("there are %v", folders)
	}
	for path := range tree(t, root) {
		if strings.HasPrefix(filepath.Base(path), tempPrefix) {
			t.Errorf("%s was left", path)
		}
	}
}

func TestPreviewAndConfirm(t *testing.T) {
	t.Parallel()
	r, o := scaffold.Request{ExecutionRoot: filepath.Join(t.TempDir(), "root"), DecompositionPath: paper(t, bridge)}, options(t)
	p, err := scaffold.Preview(r, o)
	must(t, err)
	if _, err := os.Lstat(r.ExecutionRoot); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("a preview made the root")
	}
	no := errors.New("no")
	o.Confirm = func(*scaffold.Plan) error { return no }
	if _, err := scaffold.Run(context.Background(), r, o); !errors.Is(err, no) {
		t.Fatalf("the error is %v", err)
	}
	if _, err := os.Lstat(r.ExecutionRoot); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("what was not confirmed was made")
	}
	o.Confirm = nil
	res := run(t, r, o)
	if n := len(res.Created.Directories) + len(res.Created.Files); n != len(p.Makes()) {
		t.Errorf("the preview has %d things, the run made %d", len(p.Makes()), n)
	}
	got := tree(t, r.ExecutionRoot)
	for _, m := range p.Makes() {
		if m.Data != nil && got[m.Path] != string(m.Data) {
			t.Errorf("%s is not what was announced", m.Path)
		}
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	o := options(t)
	o.Confirm = func(*scaffold.Plan) error { cancel(); return nil }
	if _, err := scaffold.Run(ctx, scaffold.Request{ExecutionRoot: t.TempDir(), DecompositionPath: paper(t, bridge)}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// The decompositions of real projects give whole roots; run over those projects
// themselves, they change nothing that is there.
func TestCorpora(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	for name, deliverables := range map[string]int{"chirality-app": 37, "psb-6a": 31, "proposal-6b": 40} {
		files, err := filepath.Glob(filepath.Join(corpora, name, "_Decomposition", "*.md"))
		must(t, err)
		r, o := scaffold.Request{ExecutionRoot: filepath.Join(t.TempDir(), name), DecompositionPath: files[0]}, options(t)
		res := run(t, r, o)
		if !res.LayoutValidation.Valid || !res.PreparationCompatibility.Ready || res.DeliverableCount != deliverables ||
			len(res.Created.Files) != 3+6*deliverables {
			t.Errorf("%s: %d deliverables, %d files, layout %+v", name, res.DeliverableCount, len(res.Created.Files), res.LayoutValidation)
		}
		valid(t, r.ExecutionRoot)
		real := filepath.Join(t.TempDir(), name)
		must(t, os.CopyFS(real, os.DirFS(filepath.Join(corpora, name))))
		before := tree(t, real)
		r.ExecutionRoot, r.DecompositionPath = real, filepath.Join(real, "_Decomposition", filepath.Base(files[0]))
		res = run(t, r, o)
		after := tree(t, real)
		for path, content := range before {
			if after[path] != content {
				t.Errorf("%s: %s was changed", name, path)
			}
		}
		for _, path := range res.Created.Directories {
			if layout.ParseName(filepath.Base(path)).Kind != layout.Other {
				t.Errorf("%s: %s was made beside the one that is there", name, path)
			}
		}
	}
}

// FuzzRun holds whatever the parser makes of a document to a root that is valid in
// full, and that a second run leaves as it is.
func FuzzRun(f *testing.F) {
	f.Add([]byte(bridge))
	f.Add([]byte("### PKG-001 -- X\n#### DEL-01-01_Short\n- **Type:** T\n  more\n- **Description:** ```\n  ## History\n"))
	f.Add([]byte("### PKG-01 — ../../x\n### PKG-02 — \\..\\\n#### DEL-01-01 — CON\n#### DEL-02-01 — a/b:c|d\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			t.Skip()
		}
		o := options(t)
		r := scaffold.Request{ExecutionRoot: filepath.Join(t.TempDir(), "root"), DecompositionPath: paper(t, string(data))}
		res, err := scaffold.Run(context.Background(), r, o)
		if err != nil {
			if !fault.Is(err, fault.InvalidRequest) {
				t.Fatal(err)
			}
			return
		}
		if !res.LayoutValidation.Valid || !res.PreparationCompatibility.Ready {
			t.Errorf("the layout is %+v", res.LayoutValidation)
		}
		if !oddNames(decomposition.Parse("", data)) {
			valid(t, r.ExecutionRoot)
		}
		again := run(t, r, o)
		if len(again.Created.Directories)+len(again.Created.Files) != 0 {
			t.Errorf("again it made %+v", again.Created)
		}
	})
}

// oddNames reports whether a name has another id in it, or Markdown's marks: of
// these, files that repeat the name are told.
func oddNames(d *decomposition.Document) bool {
	odd := func(name string) bool {
		return strings.Contains(name, "DEL-") || strings.Contains(name, "KTY-") || strings.ContainsAny(name, "*_`") ||
			strings.IndexAny(name, "-–—:") == 0
	}
	return slices.ContainsFunc(d.Deliverables, func(d decomposition.Deliverable) bool { return odd(d.Name) }) ||
		slices.ContainsFunc(d.Packages, func(p decomposition.Package) bool { return odd(p.Name) })
}

// valid checks that a new root has nothing wrong but what is wrong in its
// decomposition.
func valid(t testing.TB, root string) {
	t.Helper()
	found, err := scan.Scan(context.Background(), root, scan.Options{Visited: true})
	must(t, err)
	report, err := validate.Project(context.Background(), root, found, validate.Options{Today: "2026-08-24"})
	must(t, err)
	for _, f := range report.Findings {
		// What belongs to no package has no folder, and the decomposition an error.
		astray := f.Code == "DELIVERABLE_NO_FOLDER" && !report.Valid
		if !strings.HasPrefix(f.Code, "DECOMPOSITION_") && !astray {
			t.Errorf("%s %s:%d: %s", f.Code, f.Path, f.Line, f.Message)
		}
	}
}
