package shell

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/journal"
	"belay/internal/tool/shell/kept"
)

// The changes of a command are in two parts, and only folders that both parts need are in both.
// Each part can be applied without the other.
func TestPartsOfChanges(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		changes       []string // operation and path
		runs          []string
		first, second []string
	}{
		"files": {
			changes: []string{"create a", "create .envrc", "replace b"}, runs: []string{".envrc"},
			first: []string{"create a", "replace b"}, second: []string{"create .envrc"},
		},
		"a new folder of both": {
			changes: []string{"mkdir d", "create d/.envrc", "create d/a"}, runs: []string{"d/.envrc"},
			first: []string{"mkdir d", "create d/a"}, second: []string{"mkdir d", "create d/.envrc"},
		},
		"a new folder of one": {
			changes: []string{"mkdir d", "mkdir d/e", "create d/e/.envrc", "create a"}, runs: []string{"d/e/.envrc"},
			first: []string{"create a"}, second: []string{"mkdir d", "mkdir d/e", "create d/e/.envrc"},
		},
		"an empty folder beside one": {
			changes: []string{"mkdir d", "mkdir d/empty", "create d/.envrc"}, runs: []string{"d/.envrc"},
			first: []string{"mkdir d", "mkdir d/empty"}, second: []string{"mkdir d", "create d/.envrc"},
		},
		"a folder that is removed": {
			changes: []string{"remove d/.envrc", "remove d/a", "rmdir d"}, runs: []string{"d/.envrc"},
			first: []string{"remove d/a", "rmdir d"}, second: []string{"remove d/.envrc", "rmdir d"},
		},
		"a repository": {
			changes: []string{"mkdir s", "mkdir s/.git", "create s/.git/HEAD", "mkdir s/.git/hooks", "create s/.git/hooks/x", "create s/a"}, runs: []string{"s/.git/hooks/x"},
			first:  []string{"mkdir s", "create s/a"},
			second: []string{"mkdir s", "mkdir s/.git", "create s/.git/HEAD", "mkdir s/.git/hooks", "create s/.git/hooks/x"},
		},
		"a file that becomes a folder": {
			changes: []string{"remove f", "mkdir f", "create f/.envrc", "create f/a", "create g"}, runs: []string{"f/.envrc"},
			first: []string{"create g"}, second: []string{"remove f", "mkdir f", "create f/.envrc", "create f/a"},
		},
		"a folder that becomes a file": {
			changes: []string{"remove f/.envrc", "remove f/a", "rmdir f", "create f", "create g"}, runs: []string{"f/.envrc"},
			first: []string{"create g"}, second: []string{"remove f/.envrc", "remove f/a", "rmdir f", "create f"},
		},
		"one kind": {
			changes: []string{"mkdir d", "create d/.envrc"}, runs: []string{"d/.envrc"},
			second: []string{"mkdir d", "create d/.envrc"},
		},
	} {
		var all []journal.Change
		runs := make([]bool, len(tt.changes))
		for i, text := range tt.changes {
			c := journal.Change{}
			c.Op, c.Path = cutOp(text)
			runs[i] = slices.Contains(tt.runs, string(c.Path))
			all = append(all, c)
		}
		s := &kept.Split{Automatic: automaticPaths(all, runs)}
		if diff := cmp.Diff([][]string{tt.first, tt.second}, [][]string{texts(changesOf(firstPart, all, s)), texts(changesOf(secondPart, all, s))}); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func cutOp(text string) (journal.Op, journal.Name) {
	for i, r := range text {
		if r == ' ' {
			return journal.Op(text[:i]), journal.Name(text[i+1:])
		}
	}
	return "", ""
}

func texts(changes []journal.Change) (all []string) {
	for _, c := range changes {
		all = append(all, string(c.Op)+" "+string(c.Path))
	}
	return all
}
