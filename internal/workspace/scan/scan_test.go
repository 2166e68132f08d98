package scan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/layout"
)

// tree makes files, and folders where a name ends with a slash, and returns the
// root. The content of a _STATUS.md is the state that follows a blank.
func tree(t testing.TB, names ...string) string {
	t.Helper()
	root := t.TempDir()
	grow(t, root, names...)
	return root
}

func grow(t testing.TB, root string, names ...string) {
	t.Helper()
	for _, n := range names {
		name, state, _ := strings.Cut(n, " = ")
		path := filepath.Join(root, filepath.FromSlash(name))
		text := ""
		if state != "" {
			text = "# Status: X\n\n**Current State:** " + state + "\n"
		}
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// told is a result as lines that tests compare.
func told(r *Result) []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, p := range r.Packages {
		say("package %s %q %s", p.ID, p.Name, p.Path)
	}
	for _, list := range [][]*Folder{r.Deliverables, r.Copies, r.KnowledgeTypes} {
		for _, f := range list {
			say("%s %s %s %q %s%s", f.Place, f.Key(), f.Path, f.Name, f.Status, strings.TrimSuffix("="+f.Recorded, "="))
		}
	}
	for _, root := range r.ToolRoots {
		say("tool root %s %v", root.Name, root.Known)
	}
	if r.Marker != "" {
		say("marker %s", r.Marker)
	}
	for _, f := range r.Findings {
		say("%s %s: %s", f.Code, f.Path, f.Message)
	}
	return all
}

// scanned scans a root in each way that there is and compares.
func scanned(t testing.TB, root string, o Options) *Result {
	t.Helper()
	r, err := Scan(t.Context(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	w := newWalk(o.orDefault())
	w.open = dir.OpenPortable
	portable, err := w.result(t.Context(), root, ".")
	if err != nil {
		t.Fatal(err)
	}
	if o.MaxFolders == 0 {
		if diff := cmp.Diff(told(r), told(portable)); diff != "" {
			t.Errorf("the portable walk found something else (-quick +portable):\n%s", diff)
		}
	}
	return r
}

// Covers: workspace 1, 1.2, 2, 10.1
func TestScan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tree, want []string
	}{
		"working, archived, in review, issued": {
			[]string{
				"PKG-01_Build_Plan/1_Working/DEL-01-02_Second/_STATUS.md = IN_PROGRESS", "PKG-01_Build_Plan/1_Working/DEL-01-01_First_One/_STATUS.md = open",
				"PKG-01_Build_Plan/1_Working/_Archive/DEL-01-01_First_One/_STATUS.md = OPEN", "PKG-01_Build_Plan/3_Issued/DEL-01-01_First_One/a.pdf",
				"PKG-01_Build_Plan/2_Checking/To/DEL-01-02_Second/_STATUS.md = CHECKING", "PKG-01_Build_Plan/3_Issued/_Archive/DEL-01-01_First_One/",
				"_Archive/base/PKG-01_Build_Plan/1_Working/DEL-01-01_First_One/_STATUS.md = OPEN", "_Estimates/DEL-01-01_First_One/x.csv", "_Mine/",
				"_Aggregation/run/DEL-01-01_First_One/_STATUS.md = OPEN",
			},
			[]string{
				`package PKG-01 "Build Plan" PKG-01_Build_Plan`,
				`working PKG-01_Build_Plan::DEL-01-01 PKG-01_Build_Plan/1_Working/DEL-01-01_First_One "First One" open`,
				`working PKG-01_Build_Plan::DEL-01-02 PKG-01_Build_Plan/1_Working/DEL-01-02_Second "Second" in_progress`,
				`archive PKG-01_Build_Plan::DEL-01-01 PKG-01_Build_Plan/1_Working/_Archive/DEL-01-01_First_One "First One" open`,
				`issued PKG-01_Build_Plan::DEL-01-01 PKG-01_Build_Plan/3_Issued/DEL-01-01_First_One "First One" unknown`,
				`archive PKG-01_Build_Plan::DEL-01-01 PKG-01_Build_Plan/3_Issued/_Archive/DEL-01-01_First_One "First One" unknown`,
				`checking PKG-01_Build_Plan::DEL-01-02 PKG-01_Build_Plan/2_Checking/To/DEL-01-02_Second "Second" checking`,
				`archive PKG-01_Build_Plan::DEL-01-01 _Archive/base/PKG-01_Build_Plan/1_Working/DEL-01-01_First_One "First One" open`,
				`derived UNKNOWN_PACKAGE::DEL-01-01 _Aggregation/run/DEL-01-01_First_One "First One" open`,
				"tool root _Aggregation true", "tool root _Archive true", "tool root _Estimates true", "tool root _Mine false",
			},
		},
		"two and three digits, any label": {
			[]string{
				"PKG-001_Cold Storage (60'x100') & more, \"x\"/1_Working/DEL-01-01_Ünï/", "PKG-02_a/1_Working/DEL-02-02/", "PKG-100_b/1_Working/DEL-100-01_x/",
				"PKG-11_c/1_Working/DEL-11-01_x/",
			},
			[]string{
				`package PKG-001 "Cold Storage (60'x100') & more, \"x\"" PKG-001_Cold Storage (60'x100') & more, "x"`,
				`package PKG-02 "a" PKG-02_a`, `package PKG-100 "b" PKG-100_b`, `package PKG-11 "c" PKG-11_c`,
				`working PKG-001_Cold Storage (60'x100') & more, "x"::DEL-01-01 PKG-001_Cold Storage (60'x100') & more, "x"/1_Working/DEL-01-01_Ünï "Ünï" unknown`,
				`working PKG-02_a::DEL-02-02 PKG-02_a/1_Working/DEL-02-02 "DEL-02-02" unknown`,
				`working PKG-100_b::DEL-100-01 PKG-100_b/1_Working/DEL-100-01_x "x" unknown`,
				`working PKG-11_c::DEL-11-01 PKG-11_c/1_Working/DEL-11-01_x "x" unknown`,
				`LABEL_NOT_SAFE PKG-001_Cold Storage (60'x100') & more, "x": the label has characters or blanks that not every file system keeps`,
			},
		},
		"states": {
			[]string{
				"PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md = **`semantic_ready`**", "PKG-01_a/1_Working/DEL-01-02_x/_STATUS.md = RETIRED",
				"PKG-01_a/1_Working/DEL-01-03_x/_STATUS.md", "PKG-01_a/1_Working/DEL-01-04_x/_STATUS.md/",
			},
			[]string{
				`package PKG-01 "a" PKG-01_a`,
				`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x "x" semantic_ready`,
				`working PKG-01_a::DEL-01-02 PKG-01_a/1_Working/DEL-01-02_x "x" unknown=RETIRED`,
				`working PKG-01_a::DEL-01-03 PKG-01_a/1_Working/DEL-01-03_x "x" unknown`,
				`working PKG-01_a::DEL-01-04 PKG-01_a/1_Working/DEL-01-04_x "x" unknown`,
			},
		},
		"deliverables that are wrong": {
			[]string{
				"PKG-01_a/1_Working/group/DEL-01-01_x/_STATUS.md = OPEN", "PKG-01_a/DEL-01-02_x/_STATUS.md = OPEN", "DEL-01-03_x/_STATUS.md = OPEN",
				"DEL-01-04_x/", "PKG-01_a/1_Working/DEL-02-01_x/", "PKG-01_a/1_Working/DEL-1-1_x/", "PKG-1_b/", "pkg-02_b/", "PKG-01_a/1_Working/DEL-02-01_x/DEL-01-05_x/_STATUS.md",
			},
			[]string{
				`package PKG-01 "a" PKG-01_a`,
				`working PKG-01_a::DEL-02-01 PKG-01_a/1_Working/DEL-02-01_x "x" unknown`,
				`elsewhere PKG-01_a::DEL-01-01 PKG-01_a/1_Working/group/DEL-01-01_x "x" open`,
				`elsewhere PKG-01_a::DEL-01-02 PKG-01_a/DEL-01-02_x "x" open`,
				`elsewhere PKG-01_a::DEL-01-05 PKG-01_a/1_Working/DEL-02-01_x/DEL-01-05_x "x" unknown`,
				`elsewhere UNKNOWN_PACKAGE::DEL-01-03 DEL-01-03_x "x" open`,
				"DELIVERABLE_ASTRAY DEL-01-03_x: DEL-01-03 is where no deliverable belongs",
				"DELIVERABLE_ASTRAY PKG-01_a/1_Working/DEL-02-01_x/DEL-01-05_x: DEL-01-05 is where no deliverable belongs",
				"DELIVERABLE_NAME_INVALID PKG-01_a/1_Working/DEL-1-1_x: DEL-1-1 is not of the form DEL-XX-YY",
				"DELIVERABLE_ASTRAY PKG-01_a/1_Working/group/DEL-01-01_x: DEL-01-01 is where no deliverable belongs",
				"DELIVERABLE_ASTRAY PKG-01_a/DEL-01-02_x: DEL-01-02 is where no deliverable belongs",
				"PACKAGE_NAME_INVALID PKG-1_b: PKG-1 is not PKG- and two or three digits",
				"PACKAGE_NAME_INVALID pkg-02_b: pkg-02 is not PKG- and two or three digits",
			},
		},
		"duplicates": {
			[]string{"PKG-01_a/1_Working/DEL-01-01_x/", "PKG-01_a/1_Working/DEL-01-01_y/", "PKG-01_b/1_Working/DEL-01-01_x/"},
			[]string{
				`package PKG-01 "a" PKG-01_a`, `package PKG-01 "b" PKG-01_b`,
				`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x "x" unknown`,
				`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_y "y" unknown`,
				`working PKG-01_b::DEL-01-01 PKG-01_b/1_Working/DEL-01-01_x "x" unknown`,
				"DUPLICATE_DELIVERABLE_ID PKG-01_a/1_Working/DEL-01-01_y: PKG-01_a/1_Working/DEL-01-01_x has the id DEL-01-01 too",
				"DUPLICATE_PACKAGE_ID PKG-01_b: PKG-01_a has the id PKG-01 too",
				"DUPLICATE_DELIVERABLE_ID PKG-01_b/1_Working/DEL-01-01_x: PKG-01_a/1_Working/DEL-01-01_x has the id DEL-01-01 too",
			},
		},
		"duplicates in more digits": {
			[]string{"PKG-01_a/1_Working/DEL-01-01_x/", "PKG-001_a/1_Working/DEL-001-01_x/", "PKG-010_a/1_Working/DEL-10-01_x/"},
			[]string{
				`package PKG-001 "a" PKG-001_a`, `package PKG-01 "a" PKG-01_a`, `package PKG-010 "a" PKG-010_a`,
				`working PKG-001_a::DEL-001-01 PKG-001_a/1_Working/DEL-001-01_x "x" unknown`,
				`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x "x" unknown`,
				`working PKG-010_a::DEL-10-01 PKG-010_a/1_Working/DEL-10-01_x "x" unknown`,
				"DUPLICATE_PACKAGE_ID PKG-01_a: PKG-001_a has the id PKG-001 too",
				"DUPLICATE_DELIVERABLE_ID PKG-01_a/1_Working/DEL-01-01_x: PKG-001_a/1_Working/DEL-001-01_x has the id DEL-001-01 too",
			},
		},
		"the project is a folder of the root": {
			[]string{"execution/PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md = OPEN", "execution/_Decomposition/d.md", "src/main.go"},
			[]string{
				`package PKG-01 "a" execution/PKG-01_a`,
				`working PKG-01_a::DEL-01-01 execution/PKG-01_a/1_Working/DEL-01-01_x "x" open`,
			},
		},
		"several projects in the root": {
			[]string{"a/PKG-01_a/1_Working/DEL-01-01_x/", "b/PKG-01_a/1_Working/DEL-01-01_x/", "b/PKG-01_a/1_Working/DEL-01-01_y/"},
			[]string{
				`package PKG-01 "a" a/PKG-01_a`, `package PKG-01 "a" b/PKG-01_a`,
				`working PKG-01_a::DEL-01-01 a/PKG-01_a/1_Working/DEL-01-01_x "x" unknown`,
				`working PKG-01_a::DEL-01-01 b/PKG-01_a/1_Working/DEL-01-01_x "x" unknown`,
				`working PKG-01_a::DEL-01-01 b/PKG-01_a/1_Working/DEL-01-01_y "y" unknown`,
				"DUPLICATE_DELIVERABLE_ID b/PKG-01_a/1_Working/DEL-01-01_y: b/PKG-01_a/1_Working/DEL-01-01_x has the id DEL-01-01 too",
			},
		},
		"a project inside the project": {
			[]string{"PKG-01_a/1_Working/DEL-01-01_x/", "examples/one/PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md = OPEN"},
			[]string{
				`package PKG-01 "a" PKG-01_a`,
				`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x "x" unknown`,
				`elsewhere PKG-01_a::DEL-01-01 examples/one/PKG-01_a/1_Working/DEL-01-01_x "x" open`,
				"PROJECT_IN_PROJECT examples/one: has packages of its own; they do not count as this project's",
			},
		},
		"knowledge types and folders that are left out": {
			[]string{
				"PKG-01_a/1_Working/KTY-AB-01_Loads/_STATUS.md = OPEN", "PKG-01_a/3_Issued/KTY-AB-01_Loads/_STATUS.md = OPEN",
				".belay/PKG-02_b/", ".git/PKG-02_b/", "node_modules/PKG-02_b/", "out/PKG-02_b/", "PKG-01_a/1_Working/.GIT/DEL-01-01_x/_STATUS.md",
			},
			[]string{
				`package PKG-01 "a" PKG-01_a`,
				`working PKG-01_a::KTY-AB-01 PKG-01_a/1_Working/KTY-AB-01_Loads "Loads" open`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := scanned(t, tree(t, c.tree...), Options{})
			if diff := cmp.Diff(c.want, told(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if r.Truncated {
				t.Error("the result says that it is not whole")
			}
		})
	}
}

// What a killed process left unfinished is reported, wherever it is, and is not
// taken for a file or a deliverable.
func TestScanTellsOfUnfinishedFiles(t *testing.T) {
	t.Parallel()
	r := scanned(t, tree(t, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md = OPEN", "PKG-01_a/1_Working/DEL-01-01_x/.tmp-status = half",
		"_Estimates/.tmp-XYZ/DEL-01-01_x/_STATUS.md = OPEN", "_Decomposition/.tmp-z.md = knowledge types", "_Sources/.tmpfile = x"), Options{})
	want := []string{
		`package PKG-01 "a" PKG-01_a`,
		`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x "x" open`,
		"tool root _Decomposition true", "tool root _Estimates true", "tool root _Sources true",
		"UNFINISHED_FILE PKG-01_a/1_Working/DEL-01-01_x/.tmp-status: has the name of something unfinished",
		"UNFINISHED_FILE _Decomposition/.tmp-z.md: has the name of something unfinished",
		"UNFINISHED_FILE _Estimates/.tmp-XYZ: has the name of something unfinished",
	}
	if diff := cmp.Diff(want, told(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What Windows does not have in names, and what only permission bits hide.
func TestScanOfHostileRoots(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: these names and links need a Unix file system")
	}
	root := tree(t, "PKG-01_a/1_Working/DEL-01-01_x\ny/_STATUS.md = OPEN", "PKG-01_a/1_Working/DEL-01-02_b\xff/_STATUS.md = OPEN", "PKG-01_a/1_Working/DEL-01-03_x/")
	outside := tree(t, "DEL-01-09_x/_STATUS.md = ISSUED", "_STATUS.md = ISSUED")
	for name, target := range map[string]string{
		"PKG-01_a/1_Working/DEL-01-09_x": outside + "/DEL-01-09_x", "PKG-02_b": outside, "PKG-01_a/1_Working/DEL-01-03_x/_STATUS.md": outside + "/_STATUS.md",
		"PKG-01_a/round": root,
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	r := scanned(t, root, Options{})
	want := []string{
		`package PKG-01 "a" PKG-01_a`,
		"working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x\ny \"x\\ny\" open",
		"working PKG-01_a::DEL-01-02 PKG-01_a/1_Working/DEL-01-02_b\xff \"b\\xff\" open",
		`working PKG-01_a::DEL-01-03 PKG-01_a/1_Working/DEL-01-03_x "x" unknown`,
		"LABEL_NOT_SAFE PKG-01_a/1_Working/DEL-01-01_x\ny: the label has characters or blanks that not every file system keeps",
		"LABEL_NOT_SAFE PKG-01_a/1_Working/DEL-01-02_b\xff: the label has characters or blanks that not every file system keeps",
		"FOLDER_IS_LINK PKG-01_a/1_Working/DEL-01-09_x: is a link, which is not followed",
		"FOLDER_IS_LINK PKG-02_b: is a link, which is not followed",
	}
	if diff := cmp.Diff(want, told(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f := r.Deliverables[2]; f.Files.Has(Status) || !f.Odd.Has(Status) {
		t.Errorf("a link as status file: files %b, odd %b", f.Files, f.Odd)
	}
}

func TestScanIsBounded(t *testing.T) {
	t.Parallel()
	deep := "PKG-01_a/1_Working/DEL-01-01_x/" + strings.Repeat("d/", 60)
	root := tree(t, deep, "PKG-02_b/", "PKG-03_c/", "PKG-04_d/")
	r := scanned(t, root, Options{})
	if !r.Truncated || len(r.Deliverables) != 1 || len(r.Findings) != 1 || r.Findings[0].Code != "FOLDERS_TOO_DEEP" {
		t.Errorf("60 folders deep: truncated %v, %q", r.Truncated, told(r))
	}
	r = scanned(t, root, Options{MaxFolders: 3, MaxDepth: 5})
	if !r.Truncated || r.Folders != 3 || !slices.ContainsFunc(told(r), func(s string) bool { return strings.HasPrefix(s, "TOO_MANY_FOLDERS") }) {
		t.Errorf("3 of many folders: %d, truncated %v, %q", r.Folders, r.Truncated, told(r))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Scan(ctx, root, Options{}); err == nil {
		t.Error("a scan whose context is over returned a result")
	}
	if _, err := Scan(t.Context(), filepath.Join(root, "none"), Options{}); err == nil {
		t.Error("a root that is not there gave a result")
	}
}

// Covers: workspace 15.2
func TestMarker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"see the Knowledge Types below": true, "KNOWLEDGE CATEGORIES": true, "a domain decomposition": true, "Domain_Decomp": true,
		"domain-decomposed": true, "domaindecomp": true, "the domain": false, "a subdomain decomposition": false, "my_domain decomp": false,
		"knowledge type": false, "acknowledge types": false, "": false, "domain. domain decomp": true,
	} {
		if got := hasMarker([]byte(text)); got != want {
			t.Errorf("hasMarker(%q) = %v", text, got)
		}
	}
	root := tree(t, "PKG-01_a/", "_Decomposition/domain.md", "_Decomposition/sub/z.md")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("_Decomposition/sub/z.md", "knowledge types")
	write("_Decomposition/b.txt", "knowledge types")
	if r := scanned(t, root, Options{}); r.Marker != "" {
		t.Errorf("marker %q, want none", r.Marker)
	}
	write("_Decomposition/c.md", "knowledge types")
	write("_Decomposition/b.md", "knowledge types")
	if r := scanned(t, root, Options{}); r.Marker != "_Decomposition/b.md" {
		t.Errorf("marker %q, want b.md", r.Marker)
	}
	for i := range layout.MaxDecompositions {
		write(fmt.Sprintf("_Decomposition/a%03d.md", i), "nothing")
	}
	if r := scanned(t, root, Options{}); r.Marker != "" {
		t.Errorf("marker %q behind %d documents, want none", r.Marker, layout.MaxDecompositions)
	}
}

// denied is a folder in which some names cannot be opened.
type denied struct{ dir.Dir }

func (d denied) Enter(name string) (dir.Dir, error) {
	if strings.HasSuffix(name, "locked") {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrPermission}
	}
	next, err := d.Dir.Enter(name)
	if err != nil {
		return nil, err
	}
	return denied{next}, nil
}

func (d denied) Read(name string, _ []byte, _ int) ([]byte, error) {
	return nil, &os.PathError{Op: "read", Path: name, Err: syscall.EIO}
}

func TestScanTellsWhatItCanNotRead(t *testing.T) {
	t.Parallel()
	root := tree(t, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md = OPEN", "PKG-01_a/locked/",
		"PKG-01_a/1_Working/DEL-01-02_locked/_STATUS.md = OPEN", "PKG-02_locked/1_Working/DEL-02-01_y/")
	w := newWalk(Options{}.orDefault())
	w.open = func(path string) (dir.Dir, error) {
		d, err := dir.Open(path)
		return denied{d}, err
	}
	r, err := w.result(t.Context(), root, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`package PKG-01 "a" PKG-01_a`,
		`package PKG-02 "locked" PKG-02_locked`,
		`working PKG-01_a::DEL-01-01 PKG-01_a/1_Working/DEL-01-01_x "x" unknown`,
		`working PKG-01_a::DEL-01-02 PKG-01_a/1_Working/DEL-01-02_locked "locked" unknown`,
		"FOLDER_UNREADABLE PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md: cannot be read: " + syscall.EIO.Error(),
		"FOLDER_UNREADABLE PKG-01_a/1_Working/DEL-01-02_locked: cannot be read: permission denied",
		"FOLDER_UNREADABLE PKG-01_a/locked: cannot be read: permission denied",
		"FOLDER_UNREADABLE PKG-02_locked: cannot be read: permission denied",
	}
	if diff := cmp.Diff(want, told(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The real projects have what their own papers say.
func TestScanOfCorpora(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	for name, want := range map[string]struct {
		packages, deliverables int
		states                 map[string]int
		toolRoots              string
	}{
		"chirality-app": {8, 37, map[string]int{"issued": 32, "unknown=RETIRED": 5}, "_Coordination _Decomposition _Reconciliation _ScopeChange? _Scripts"},
		"psb-6a":        {6, 31, map[string]int{"semantic_ready": 31}, "_Aggregation _Coordination _Decomposition _Estimates _PriceSources? _Sources"},
		"proposal-6b":   {10, 40, map[string]int{"semantic_ready": 40}, "_Aggregation _Coordination _Decomposition _Estimates _PriceSources? _Sources"},
	} {
		r := scanned(t, filepath.Join(corpora, name), Options{})
		states := map[string]int{}
		for _, f := range r.Deliverables {
			states[strings.TrimSuffix(f.Status+"="+f.Recorded, "=")]++
		}
		var roots []string
		for _, root := range r.ToolRoots {
			mark := "?"
			if root.Known {
				mark = ""
			}
			roots = append(roots, root.Name+mark)
		}
		if len(r.Packages) != want.packages || len(r.Deliverables) != want.deliverables || len(r.Copies) != 0 || len(r.KnowledgeTypes) != 0 {
			t.Errorf("%s: %d packages, %d deliverables, %d copies, %d knowledge types", name, len(r.Packages), len(r.Deliverables), len(r.Copies), len(r.KnowledgeTypes))
		}
		if diff := cmp.Diff(want.states, states); diff != "" {
			t.Errorf("%s: states (-want +got):\n%s", name, diff)
		}
		if got := strings.Join(roots, " "); got != want.toolRoots {
			t.Errorf("%s: tool roots %s, want %s", name, got, want.toolRoots)
		}
		for _, f := range r.Findings {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
