package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// corpus makes a project of n source files of a usual size, 100 in a folder.
func corpus(b *testing.B, x *world, n int) {
	b.Helper()
	words := strings.Fields("func return err nil if for range string int context the a value Error key map slice open close read write Handle request " +
		"{ } ( ) := == != // package import struct type interface switch case default 2026-01-02 0x1f \"text\" user_name TODO")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		var text strings.Builder
		for range 20 + r.IntN(160) {
			text.WriteString(strings.Repeat("\t", r.IntN(3)))
			for range r.IntN(10) {
				text.WriteString(words[r.IntN(len(words))] + " ")
			}
			text.WriteString("\n")
		}
		if i%1000 == 0 {
			text.WriteString("the rareNeedle is here\nconst magic2026Value = 1\n")
		}
		dir := filepath.Join(x.w.Project, "src", fmt.Sprintf("pkg%d", i/1000), fmt.Sprintf("sub%d", i/100%10))
		must(b, os.MkdirAll(dir, 0o755))
		must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", i)), []byte(text.String()), 0o644))
	}
}

// BenchmarkGrep compares a search of 10,000 files with ripgrep, where that is
// installed: literals should take at most twice, expressions at most five times
// its time.
func BenchmarkGrep(b *testing.B) {
	x := newWorld(b)
	x.tools["grep"] = New(Options{})[5] // as many goroutines as there are processors
	corpus(b, x, 10_000)
	rg, _ := exec.LookPath("rg")
	for _, q := range []struct {
		name  string
		input in
		args  []string
	}{
		{"literal", in{"pattern": "rareNeedle"}, []string{"-F", "rareNeedle"}},
		{"literal-nocase", in{"pattern": "RARENEEDLE", "ignore_case": true}, []string{"-i", "RARENEEDLE"}},
		{"expression", in{"pattern": `magic\d{4}\w+ = \d`}, []string{`magic\d{4}\w+ = \d`}},
		{"alternation", in{"pattern": `rareNeedle|magic20\d\d`}, []string{`rareNeedle|magic20\d\d`}},
		{"classes", in{"pattern": `[a-z]+\d{4}[A-Z]\w+`}, []string{`[a-z]+\d{4}[A-Z]\w+`}},
		{"date", in{"pattern": `\d{4}-\d{2}-\d{3}`}, []string{`\d{4}-\d{2}-\d{3}`}},
		{"common-counts", in{"pattern": `\bError\b.*nil`, "output": "counts"}, []string{"-c", `\bError\b.*nil`}},
		{"no-literal", in{"pattern": `\w+\s+\w+Needle`}, []string{`\w+\s+\w+Needle`}},
		{"hard", in{"pattern": `\w+[0-9]\w+[A-Z]\w+ =`}, []string{`\w+[0-9]\w+[A-Z]\w+ =`}},
	} {
		b.Run(q.name+"/belay", func(b *testing.B) {
			for b.Loop() {
				x.ok("grep", q.input)
			}
		})
		if rg == "" {
			continue
		}
		b.Run(q.name+"/ripgrep", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), rg, append(q.args, x.w.Project)...)
				_ = cmd.Run() // without a match it exits with 1
			}
		})
	}
}

func BenchmarkGlob(b *testing.B) {
	x := newWorld(b)
	corpus(b, x, 10_000)
	for b.Loop() {
		x.ok("glob", in{"pattern": "**/file*99.go"})
	}
}

// BenchmarkReadTail reads the last lines of a file of a gigabyte.
func BenchmarkReadTail(b *testing.B) {
	x := newWorld(b)
	large(b, filepath.Join(x.w.Project, "huge.log"), 1<<30)
	for b.Loop() {
		x.ok("read", in{"path": "huge.log", "offset": -100})
	}
}

// BenchmarkEdit replaces a line of a file of 100 KB.
func BenchmarkEdit(b *testing.B) {
	x := newWorld(b)
	line := func(i int) string { return fmt.Sprintf("state %03d of the text", i%20) }
	x.put("text.md", line(0)+"\n"+strings.Repeat("one of the lines that stay as they are\n", 2560))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.ok("edit", in{"path": "text.md", "edits": []in{{"old": line(i), "new": line(i + 1)}}})
	}
}
