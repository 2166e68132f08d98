package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"belay/bench/measure"
)

// manyFiles makes n files with that text, 50 in a folder.
func manyFiles(project string, n int, text string) error {
	for i := range n {
		dir := filepath.Join(project, fmt.Sprintf("part-%02d", i/5000), fmt.Sprintf("folder-%03d", i/50))
		if i%50 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%05d.md", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// searchedFiles is how many files are searched, of 60 lines each.
const searchedFiles = 10_000

// needle is in the few files that a search finds.
const needle = "rareNeedle2026"

// toolGrep measures searches beside ripgrep, or grep where that is not installed.
func (b *bench) toolGrep(ctx context.Context) ([]measure.Figure, error) {
	var all []measure.Figure
	for _, q := range []struct {
		what, pattern string
		literal       bool
		times         float64
	}{
		{"grep of 10,000 files for a text", needle, true, 2},
		{"grep of 10,000 files for an expression", `[a-z]+Needle\d{4}`, false, 5},
	} {
		c := comparison{
			row: "tools", what: q.what, target: measure.AtMostTimes(q.times),
			calling: calling{
				tool: "grep", count: 10, want: needle,
				input: func(i int) step { return step{"pattern": q.pattern, "literal": q.literal, "context": i} },
			},
			fill: func(project string) error {
				text := strings.Repeat("func (s *side) name() string { return a[0x1f] } // some words of Code\n", 60)
				return errors.Join(manyFiles(project, searchedFiles, text),
					os.WriteFile(filepath.Join(project, "found.md"), []byte(text+needle+"\n"), 0o600))
			},
		}
		c.bare, c.note = searchBeside(q.pattern, q.literal)
		m, err := b.compare(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// searchBeside is the search of another program.
func searchBeside(pattern string, literal bool) (run func(context.Context, string) error, note string) {
	name, args := "rg", []string{"-e", pattern}
	if literal {
		args = append(args, "-F")
	}
	if _, err := exec.LookPath(name); err != nil {
		name, args = "grep", []string{"-r", "-P", "-e", pattern}
		if literal {
			args[1] = "-F"
		}
	}
	return func(ctx context.Context, project string) error {
		return program(ctx, name, append(args, project)...)
	}, "beside " + name
}

// toolRead measures the end of a file of which the rest must not be read.
func (b *bench) toolRead(ctx context.Context) ([]measure.Figure, error) {
	const file = "huge.log"
	m, err := b.compare(ctx, comparison{
		row: "tools", what: "read of the last 100 lines of a file of 1 GB", target: measure.AtMost(5).Beside(1.01), note: "beside `tail`",
		calling: calling{
			tool: "read", count: 20, want: "the last line",
			input: func(i int) step { return step{"path": file, "offset": -100 - i} },
		},
		fill: func(project string) error { return hugeFile(filepath.Join(project, file)) },
		bare: func(ctx context.Context, project string) error {
			return program(ctx, "tail", "-n", "100", filepath.Join(project, file))
		},
	})
	return []measure.Figure{m}, err
}

// hugeFile makes a file of 1 GB that takes no room: text, a hole, text.
func hugeFile(path string) (err error) {
	const bytesInAll = 1_000_000_000
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text := bytes.Repeat([]byte("a line of a log, of about the usual length, with a number: 123456\n"), 2000)
	if _, err := f.Write(text); err != nil {
		return err
	}
	text = append(text, "the last line\n"...)
	_, err = f.WriteAt(text, bytesInAll-int64(len(text)))
	return err
}

// toolEdit measures one replacement in a file of 100 KB, which is on the disk
// when the call has its result.
func (b *bench) toolEdit(ctx context.Context) ([]measure.Figure, error) {
	const file = "text.md"
	state := func(i int) string { return fmt.Sprintf("state %03d of the text", i) }
	i := 0
	m, err := b.compare(ctx, comparison{
		row: "tools", what: "edit of a file of 100 KB", target: measure.AtMostTimes(6),
		note: "beside reading it, replacing, writing beside it, flushing and renaming",
		calling: calling{
			tool: "edit", count: 20,
			before: []step{call("read", step{"path": file, "limit": 3})},
			input: func(i int) step {
				return step{"path": file, "edits": []step{{"old": state(i), "new": state((i + 1) % 20)}}}
			},
		},
		fill: func(project string) error {
			text := state(0) + "\n" + strings.Repeat("one of the lines that stay as they are\n", 2560)
			return errors.Join(
				os.WriteFile(filepath.Join(project, file), []byte(text), 0o600),
				os.WriteFile(filepath.Join(project, "bare.md"), []byte(text), 0o600),
			)
		},
		bare: func(_ context.Context, project string) error {
			i++
			return replace(filepath.Join(project, "bare.md"), state((i-1)%20), state(i%20))
		},
	})
	return []measure.Figure{m}, err
}

// replace changes a file in one step.
func replace(path, old, now string) (err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Count(data, []byte(old)) != 1 {
		return fmt.Errorf("%s does not have %q once", path, old)
	}
	beside := path + ".new"
	f, err := os.Create(beside)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Replace(data, []byte(old), []byte(now), 1))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(beside, path)
}
