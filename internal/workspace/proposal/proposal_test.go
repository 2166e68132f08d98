package proposal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/registerfile"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const header = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
	"TargetType,TargetDeliverableID,EvidenceFile,SourceRef,Origin,FirstSeen,LastSeen,Status\n"

// rows is a register with rows of these numbers.
func rows(numbers ...int) []byte {
	text := header
	for _, n := range numbers {
		text += fmt.Sprintf("v3.1,DEP-01-02-%03d,PKG-01,DEL-01-02,Name,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE,DEL-01-03,x,y,EXTRACTED,2026-01-01,2026-01-02,ACTIVE\n", n)
	}
	return []byte(text)
}

type project struct {
	root  string
	d     workspace.Deliverable
	store *Store
}

func newProject(t testing.TB, o Options) project {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "PKG-01_Some", "1_Working", "DEL-01-02_Name")
	must(t, os.MkdirAll(dir, 0o755))
	d, err := workspace.FindDeliverable(root, dir)
	must(t, err)
	o.LockDir = t.TempDir()
	o.Clock = func() time.Time { return noon }
	o.Files = registerfile.New(registerfile.Options{Writer: changeset.Writer{LockDir: o.LockDir, Journal: journal.New(t.TempDir(), o.Clock)}, Clock: o.Clock})
	n := 0
	o.NewID = func() string { n++; return fmt.Sprintf("proposal-%03d", n) }
	return project{root, d, New(o)}
}

func (p project) add(t testing.TB, r Request) Shown {
	t.Helper()
	shown, err := p.store.Add(t.Context(), p.d, r)
	must(t, err)
	return shown
}

func (p project) register(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.d.Path, "Dependencies.csv"))
	must(t, err)
	return string(data)
}

func TestProposal(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{})
	first := p.add(t, Request{By: "DEPENDENCIES", SessionID: "s", TurnID: "t", Note: "n", Complete: true, Content: rows(1, 2)})
	want := Proposal{
		ID: "proposal-001", Deliverable: "DEL-01-02", Path: p.d.Rel, CreatedAt: "2026-03-04T12:00:00.000Z", By: "DEPENDENCIES", SessionID: "s", TurnID: "t",
		Note: "n", Complete: true, Rows: 2, State: Open,
	}
	if diff := cmp.Diff(want, first.Proposal); diff != "" || len(first.Diff.New) != 2 {
		t.Errorf("%+v\n%s", first.Diff, diff)
	}
	list, err := p.store.List(t.Context(), p.root, false)
	must(t, err)
	if diff := cmp.Diff([]Shown{first}, list); diff != "" {
		t.Error(diff)
	}
	done, result, err := p.store.Apply(t.Context(), p.root, first.ID, Settle{By: "me", Retire: true})
	must(t, err)
	if done.State != Applied || done.SettledBy != "me" || !result.File.Exists || p.register(t) != string(result.File.Bytes()) {
		t.Errorf("%+v", done)
	}
	if _, _, err := p.store.Apply(t.Context(), p.root, first.ID, Settle{}); !fault.Is(err, fault.DecisionClosed) {
		t.Errorf("applied twice: %v", err)
	}

	second := p.add(t, Request{Complete: true, Content: rows(2, 3, 4)})
	if len(second.Diff.New) != 2 || len(second.Diff.Retired) != 1 || second.Tag != result.File.Tag {
		t.Errorf("%+v", second)
	}
	stale := func(tag string) bool { return tag == "" }
	if _, _, err := p.store.Apply(t.Context(), p.root, second.ID, Settle{Match: stale}); !fault.Is(err, fault.ContentChanged) {
		t.Errorf("a register that changed: %v", err)
	}
	if _, _, err := p.store.Apply(t.Context(), p.root, second.ID, Settle{Only: []string{"DEP-01-02-004", "DEP-09"}}); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("a row that it does not have: %v", err)
	}
	_, result, err = p.store.Apply(t.Context(), p.root, second.ID, Settle{Only: []string{"DEP-01-02-004"}})
	must(t, err)
	if result.File.Len() != 3 || strings.Contains(p.register(t), "RETIRED") {
		t.Errorf("one row alone:\n%s", p.register(t))
	}
	third := p.add(t, Request{Complete: true, Content: rows(9)})
	fourth := p.add(t, Request{Complete: true, Content: rows(1)})
	dismissed, err := p.store.Dismiss(t.Context(), p.root, fourth.ID, "me")
	must(t, err)
	list, err = p.store.List(t.Context(), p.root, true)
	must(t, err)
	states := []State{}
	for _, s := range list {
		states = append(states, s.State)
		if s.Diff != nil {
			t.Errorf("%s is closed and has a diff", s.ID)
		}
	}
	if diff := cmp.Diff([]State{Applied, Applied, Superseded, Dismissed}, states); diff != "" || dismissed.State != Dismissed || third.State != Open {
		t.Error(diff)
	}
	if list, err = p.store.List(t.Context(), p.root, false); err != nil || len(list) != 0 {
		t.Errorf("waiting are %v, %v", list, err)
	}
}

// Of people who decide about a proposal at the same time one is heard, and the others learn
// of that.
func TestDecidedAtOnce(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{})
	for i := range 10 {
		shown := p.add(t, Request{Content: rows(i + 1)})
		var heard []State
		var mu sync.Mutex
		var all sync.WaitGroup
		decided := func(by Proposal, err error) {
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				heard = append(heard, by.State)
			} else if !fault.Is(err, fault.DecisionClosed) {
				t.Error(err)
			}
		}
		for range 2 {
			all.Go(func() {
				applied, _, err := p.store.Apply(t.Context(), p.root, shown.ID, Settle{By: "me"})
				decided(applied, err)
			})
			all.Go(func() { decided(p.store.Dismiss(t.Context(), p.root, shown.ID, "you")) })
		}
		all.Wait()
		id := fmt.Sprintf("DEP-01-02-%03d", i+1)
		register, _ := os.ReadFile(filepath.Join(p.d.Path, "Dependencies.csv")) // none, where all were dismissed
		if len(heard) != 1 || strings.Contains(string(register), id) != (heard[0] == Applied) {
			t.Fatalf("decided %v; the register is\n%s", heard, register)
		}
	}
}

// TestStale: a register that changes after something was proposed for it. Whoever
// applies has to have seen that, and what came later is not retired.
func TestStale(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{})
	path := filepath.Join(p.d.Path, "Dependencies.csv")
	must(t, os.WriteFile(path, rows(1, 2), 0o600))
	s := p.add(t, Request{Complete: true, Content: rows(2, 3)})
	if s.Stale || !cmp.Equal(s.Missing, []string{"DEP-01-02-001"}) {
		t.Errorf("%+v", s)
	}
	must(t, os.WriteFile(path, rows(1, 2, 4), 0o600))
	shown, err := p.store.Show(context.Background(), p.root, s.ID, Settle{Retire: true})
	must(t, err)
	if !shown.Stale || shown.Tag == s.Tag || len(shown.Diff.New) != 1 || len(shown.Diff.Retired) != 1 || shown.Diff.Retired[0].ID != "DEP-01-02-001" {
		t.Errorf("%+v", shown)
	}
	if list, err := p.store.List(t.Context(), p.root, false); err != nil || len(list) != 1 || !cmp.Equal(list[0], shown) {
		t.Errorf("listed are %+v, %v", list, err)
	}
	if _, _, err := p.store.Apply(t.Context(), p.root, s.ID, Settle{Retire: true}); !fault.Is(err, fault.ContentChanged) || p.register(t) != string(rows(1, 2, 4)) {
		t.Errorf("applied without a look: %v", err)
	}
	_, _, err = p.store.Apply(t.Context(), p.root, s.ID, Settle{Retire: true, Match: func(tag string) bool { return tag == shown.Tag }})
	must(t, err)
	if got := p.register(t); strings.Count(got, "RETIRED") != 1 || strings.Count(got, "\n") != 5 {
		t.Errorf("the register is\n%s", got)
	}
	if _, err := p.store.Show(context.Background(), p.root, s.ID, Settle{}); !fault.Is(err, fault.DecisionClosed) {
		t.Errorf("one that is closed: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{MaxOpen: 1})
	for name, c := range map[string]struct {
		content []byte
		want    fault.Type
	}{
		"nothing":      {nil, fault.InvalidSchema},
		"no rows":      {rows(), fault.InvalidSchema},
		"a bad row":    {[]byte(strings.Replace(string(rows(1)), "UPSTREAM", "UP", 1)), fault.InvalidEnum},
		"another host": {[]byte(strings.Replace(string(rows(1)), "DEL-01-02", "DEL-01-09", 1)), fault.InvalidIdentity},
	} {
		if _, err := p.store.Add(t.Context(), p.d, Request{Content: c.content}); !fault.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(p.root, ".belay")); !os.IsNotExist(err) {
		t.Errorf("what was refused left something: %v", err)
	}
	p.add(t, Request{Content: rows(1)})
	if _, err := p.store.Add(t.Context(), p.d, Request{Content: rows(2)}); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "wait in this project already") {
		t.Errorf("one too many: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(p.d.Path, "Dependencies.csv"), rows(1), 0o600))
	if _, err := p.store.Add(t.Context(), p.d, Request{Content: rows(1)}); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "changes nothing") {
		t.Errorf("what is there already: %v", err)
	}
}

// TestForgets: those that are settled are kept up to a number.
func TestForgets(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{MaxSettled: 2})
	for i := range 5 {
		s := p.add(t, Request{Content: rows(i + 1)})
		_, err := p.store.Dismiss(t.Context(), p.root, s.ID, "me")
		must(t, err)
	}
	p.add(t, Request{Content: rows(9)})
	list, err := p.store.List(t.Context(), p.root, true)
	must(t, err)
	files, err := filepath.Glob(filepath.Join(p.root, ".belay", "proposals", "*"))
	must(t, err)
	if len(list) != 3 || len(files) != 6 || list[0].ID != "proposal-004" {
		t.Errorf("%d are kept in %v", len(list), files)
	}
}

// TestMoreThanMayWait: a project that comes with more proposals than may wait is listed, and only
// the changes of the oldest are worked out. A record that is too large is damaged.
func TestMoreThanMayWait(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{MaxOpen: 2})
	folder := filepath.Join(p.root, ".belay", "proposals")
	must(t, os.MkdirAll(folder, 0o700))
	for i := range 4 {
		id := fmt.Sprintf("proposal-%03d", i+1)
		record := fmt.Sprintf(`{"id":%q,"deliverable":"DEL-01-02","path":%q,"state":"open","complete":true}`, id, p.d.Rel)
		must(t, os.WriteFile(filepath.Join(folder, id+".json"), []byte(record), 0o600))
		must(t, os.WriteFile(filepath.Join(folder, id+".csv"), rows(i+1), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(folder, "proposal-000.json"), nil, 0o600))
	must(t, os.Truncate(filepath.Join(folder, "proposal-000.json"), maxRecord+1))
	list, err := p.store.List(t.Context(), p.root, false)
	must(t, err)
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%s %t %.20s", s.ID, s.Diff != nil, s.Problem))
	}
	want := []string{
		"proposal-001 true ", "proposal-002 true ", "proposal-003 false what it changes is n", "proposal-004 false what it changes is n",
		"proposal-000 false its record is damage",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

// TestForged: a folder of proposals that somebody else made leads nowhere.
func TestForged(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{})
	outside := t.TempDir()
	folder := filepath.Join(p.root, ".belay", "proposals")
	must(t, os.MkdirAll(folder, 0o700))
	record := func(id, path string) string {
		return fmt.Sprintf(`{"id":%q,"deliverable":"DEL-01-02","path":%q,"state":"open","complete":true}`, id, path)
	}
	for name, text := range map[string]string{
		"forged-outside": record("forged-outside", "../"+filepath.Base(outside)),
		"forged-another": record("forged-other", p.d.Rel),
		"forged-git-dir": record("forged-git-dir", ".git/DEL-01-02_x"),
		"forged-nowhere": record("forged-nowhere", "PKG-01_Some/1_Working/DEL-01-02_Gone"),
		"forged-no-rows": record("forged-no-rows", p.d.Rel),
		"forged-garbage": "{",
	} {
		must(t, os.WriteFile(filepath.Join(folder, name+".json"), []byte(text), 0o600))
		if name != "forged-no-rows" {
			must(t, os.WriteFile(filepath.Join(folder, name+".csv"), rows(1), 0o600))
		}
	}
	must(t, os.MkdirAll(filepath.Join(p.root, ".git", "DEL-01-02_x"), 0o755))
	list, err := p.store.List(t.Context(), p.root, false)
	must(t, err)
	if len(list) != 6 {
		t.Errorf("%d are listed: %+v", len(list), list)
	}
	for _, s := range list {
		if s.Problem == "" {
			t.Errorf("%s has no problem", s.ID)
		}
	}
	for _, id := range []string{"forged-outside", "forged-another", "forged-git-dir", "forged-nowhere", "forged-no-rows", "forged-garbage", "../x", "", "missing-one"} {
		if _, _, err := p.store.Apply(t.Context(), p.root, id, Settle{}); err == nil {
			t.Errorf("%q is applied", id)
		}
		if _, err := p.store.Show(context.Background(), p.root, id, Settle{}); err == nil {
			t.Errorf("%q is there", id)
		}
	}
	if _, err := os.Lstat(filepath.Join(p.d.Path, "Dependencies.csv")); !os.IsNotExist(err) {
		t.Errorf("a register was made: %v", err)
	}
}

func TestIDOf(t *testing.T) {
	t.Parallel()
	p := newProject(t, Options{})
	s := p.add(t, Request{Content: rows(1)})
	folder := filepath.Join(p.root, ".belay", "proposals")
	must(t, os.WriteFile(filepath.Join(folder, "somebody-else.csv"), nil, 0o600))
	for file, want := range map[string]string{
		filepath.Join(folder, s.ID+".csv"):         s.ID,
		filepath.Join(folder, ".", s.ID+".csv"):    s.ID,
		filepath.Join(folder, s.ID+".json"):        "",
		filepath.Join(folder, "somebody-else.csv"): "",
		filepath.Join(p.root, s.ID+".csv"):         "",
		filepath.Join(p.d.Path, "x.csv"):           "",
	} {
		if got := IDOf(p.root, file); got != want {
			t.Errorf("IDOf(%s) = %q, want %q", file, got, want)
		}
	}
}
