package permit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changedFiles is a question about what a command changed.
func changedFiles(paths ...string) Effect {
	return Effect{Tool: "bash", Kind: Write, Paths: paths, Done: &Done{Files: len(paths)}}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	e := changedFiles("a.txt", "src/b.go", "src/deep/c.go", "with space.md")
	for text, want := range map[string][]string{
		"1":                  {"a.txt"},
		"2-3":                {"src/b.go", "src/deep/c.go"},
		"1, 4":               {"a.txt", "with space.md"},
		"4 1":                {"a.txt", "with space.md"},
		"src":                {"src/b.go", "src/deep/c.go"},
		"src/":               {"src/b.go", "src/deep/c.go"},
		"src/*.go":           {"src/b.go"},
		"*.go":               {"src/b.go", "src/deep/c.go"},
		"src/b.go a.txt 1-2": {"a.txt", "src/b.go"},
	} {
		if got, err := e.Choose(text); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%q chose %q, %v; want %q", text, got, err, want)
		}
	}
	numbers := changedFiles("1-2", "2", "README.md", "src/3", "src/9")
	for text, want := range map[string][]string{
		"3": {"README.md"}, "2": {"2"}, "1-2": {"1-2", "2"}, "src/3": {"src/3"}, "1-2/": {"1-2"},
	} {
		if got, err := numbers.Choose(text); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("of files called like numbers %q chose %q, %v; want %q", text, got, err, want)
		}
	}
	if got, err := numbers.Choose("9"); err == nil {
		t.Errorf("a number beyond the choices chose %q", got)
	}
	for _, text := range []string{"", " ,", "5", "0", "2-x", "b", "1 nothing.txt", "../a.txt", "-1"} {
		if got, err := e.Choose(text); err == nil {
			t.Errorf("%q chose %q", text, got)
		}
	}
	if one := changedFiles("a.txt"); one.Choices() != nil {
		t.Error("there is a choice of one file")
	}
	if before := (Effect{Tool: "bash", Kind: Execute, Command: "touch x", Paths: []string{"a", "b"}}); before.Choices() != nil {
		t.Error("there is a choice before the command ran")
	}
}

// A command line takes the patterns of a prompt, and no numbers.
func TestNamed(t *testing.T) {
	t.Parallel()
	e := changedFiles("a.txt", "out/b.go", "out/deep/c.go", "what?/d")
	for _, tt := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"a.txt", "out"}, []string{"a.txt", "out"}},
		{[]string{"out/*"}, []string{"out/b.go"}},
		{[]string{"*.go", "a.txt"}, []string{"out/b.go", "out/deep/c.go", "a.txt"}},
		{[]string{"what?"}, []string{"what?"}},
		{[]string{"1", "elsewhere"}, []string{"1", "elsewhere"}}, // whoever applies them says that they are none
	} {
		if got, err := e.Named(tt.names); err != nil || cmp.Diff(tt.want, got) != "" {
			t.Errorf("%q means %q, %v; want %q", tt.names, got, err, tt.want)
		}
	}
	for _, name := range []string{"*.md", "in/*"} {
		if got, err := e.Named([]string{name}); err == nil {
			t.Errorf("%q means %q", name, got)
		}
	}
	e.Done.Files = 300 // more than a question names
	if got, err := e.Named([]string{"*.go"}); err == nil {
		t.Errorf("of an incomplete list it means %q", got)
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("1 2-3, src/*.go")
	e := changedFiles("a.txt", "src/b.go", "src/deep/c.go")
	f.Fuzz(func(t *testing.T, text string) {
		only, err := e.Choose(text)
		if (err == nil) == (len(only) == 0) {
			t.Errorf("%q chose %q, %v", text, only, err)
		}
		d := Decision{Verdict: VerdictAllow, Only: only}
		if err := e.partly(d); err != nil {
			t.Errorf("%q chose %q, which is refused: %v", text, only, err)
		}
	})
}
