package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// writtenFiles is how many files a command writes.
const writtenFiles = 1_000

// commandFiles measures commands that write many files, with their review and their
// apply.
func (b *bench) commandFiles(ctx context.Context) ([]Measure, error) {
	added, err := b.compare(ctx, withoutSandbox(comparison{
		what: "a command that writes 1,000 new small files, review and apply included", target: atMostTimes(1.5),
		note: "beside the same command without a sandbox, which flushes nothing",
	}, 4, `d=new-$$-$RANDOM$RANDOM; mkdir $d && for n in {1..1000}; do echo "the text of file $n" >$d/$n.txt; done`))
	if err != nil {
		return nil, err
	}
	replaced, err := b.compare(ctx, withoutSandbox(comparison{
		what: "a command that replaces 1,000 small files, review and apply included",
		note: "beside the same command without a sandbox, which flushes nothing; the next row is what flushing them takes alone",
		fill: func(project string) error { return smallFiles(filepath.Join(project, "files"), 0) },
	}, 4, `stamp=$RANDOM$RANDOM; for n in {1..1000}; do echo "the text $stamp of file $n" >files/$n.txt; done`))
	if err != nil {
		return nil, err
	}
	flushed, err := b.flushFiles()
	return []Measure{added, replaced, flushed}, err
}

// flushFiles measures what it takes to flush the files that a command replaced.
func (b *bench) flushFiles() (Measure, error) {
	dir := filepath.Join(b.dir, "flushed")
	var figures series
	for round := range b.o.rounds + 1 {
		if err := smallFiles(dir, round); err != nil {
			return Measure{}, err
		}
		start := time.Now()
		for n := range writtenFiles {
			if err := flush(smallFile(dir, n)); err != nil {
				return Measure{}, err
			}
		}
		if round > 0 {
			figures.bare = append(figures.bare, ms(time.Since(start)))
		}
	}
	m := figures.measure("tools", "the same, the fsyncs of 1,000 replaced files alone", "ms", nil)
	m.Note = "one after the other; belay does them together, some at a time"
	return m, os.RemoveAll(dir)
}

func smallFile(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("%d.txt", n+1)) }

// smallFiles writes the files of a folder, with another text for each stamp.
func smallFiles(dir string, stamp int) error {
	err := os.MkdirAll(dir, 0o755)
	for n := 0; n < writtenFiles && err == nil; n++ {
		err = os.WriteFile(smallFile(dir, n), fmt.Appendf(nil, "the text %d of file %d\n", stamp, n+1), 0o644)
	}
	return err
}

func flush(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// commandPrograms measures the commands that a person gives most often.
func (b *bench) commandPrograms(ctx context.Context) ([]Measure, error) {
	var all []Measure
	for _, p := range []struct {
		name, what string
		calls      int
		command    string
		fill       func(project string) error
	}{
		{"git", "`git status` of a repository of 1,000 files", 10, "git status --short", gitProject},
		{"go", "`go build` of a small module, one file of which has changed", 3, `echo "package main; const stamp = $RANDOM$RANDOM" >stamp.go && go build`, goProject},
		{"npm", "`npm test` of a small project", 3, "npm test", npmProject},
	} {
		c := withoutSandbox(comparison{what: p.what, target: atMostTimes(1.2), note: "beside the same command without a sandbox", fill: p.fill}, p.calls, p.command)
		if _, err := exec.LookPath(p.name); err != nil {
			all = append(all, Measure{Row: "tools", What: p.what, Unit: "ms", Target: c.target, Note: "not run: there is no " + p.name + " here"})
			continue
		}
		m, err := b.compare(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, m)
		if p.name != "git" {
			continue
		}
		// It takes so little itself that the start of the sandbox counts most.
		if m, err = b.beyondTrue(ctx, m, p.calls, p.fill); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// beyondTrue is what a command takes more than `true` does in the same project, on both
// sides.
func (b *bench) beyondTrue(ctx context.Context, of Measure, calls int, fill func(string) error) (Measure, error) {
	least, err := b.compare(ctx, withoutSandbox(comparison{fill: fill}, calls, "true"))
	if err != nil {
		return Measure{}, err
	}
	bare, belay := *of.Bare-*least.Bare, *of.Belay-*least.Belay
	return Measure{
		Row: of.Row, What: "the same, beyond what `true` takes there", Unit: of.Unit, Bare: &bare, Belay: &belay, Target: of.Target,
		Note: "the command alone, without the start and the end of its shell and its sandbox",
	}, nil
}

// gitProject makes a repository with a commit, a changed file and a new one.
func gitProject(project string) error {
	if err := manyFiles(project, 1_000, "some text\n"); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "--message", "the files"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = project, childEnv(filepath.Dir(project))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return writeAll(project, map[string]string{"part-00/folder-000/file-00001.md": "other text\n", "new.md": "a new file\n"})
}

// goProject makes a module without dependencies.
func goProject(project string) error {
	return writeAll(project, map[string]string{
		"go.mod":   "module example.com/small\n\ngo 1.21\n",
		"main.go":  "package main\n\nfunc main() { println(greeting(), stamp) }\n",
		"greet.go": "package main\n\nfunc greeting() string { return \"hello\" }\n",
		"stamp.go": "package main; const stamp = 0\n",
	})
}

// npmProject makes a project without dependencies, with a test for Node's own runner.
func npmProject(project string) error {
	return writeAll(project, map[string]string{
		".npmrc":       "update-notifier=false\nfund=false\naudit=false\n",
		"package.json": `{"name": "small", "version": "1.0.0", "private": true, "scripts": {"test": "node sum.test.js"}}` + "\n",
		"sum.js":       "exports.sum = (a, b) => a + b;\n",
		"sum.test.js": "const { test } = require('node:test');\nconst assert = require('node:assert');\n" +
			"const { sum } = require('./sum.js');\ntest('sums', () => assert.strictEqual(sum(1, 2), 3));\n",
	})
}

// writeAll writes files of a project.
func writeAll(project string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(project, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
