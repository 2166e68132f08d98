package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"belay/bench/measure"
	"belay/bench/proc"
)

// commandPrograms measures the commands that a person gives most often.
func (b *bench) commandPrograms(ctx context.Context) ([]measure.Figure, error) {
	var all []measure.Figure
	for _, p := range []struct {
		name, what, note string
		calls            int
		command          string
		fill             func(project string) error
	}{
		{"git", "`git status` of a repository of 1,000 files", ", which takes less than the start of one", 10, "git status --short", gitProject},
		{"go", "`go build` of a small module, one file of which has changed", "", 3, `echo "package main; const stamp = $RANDOM$RANDOM" >stamp.go && go build`, goProject},
		{"npm", "`npm test` of a small project", "", 3, "npm test", npmProject},
	} {
		c := withoutSandbox(comparison{
			what: p.what, target: measure.AtMostTimes(1.2), note: "beside the same command without a sandbox" + p.note, fill: p.fill,
		}, p.calls, p.command)
		if _, err := exec.LookPath(p.name); err != nil {
			all = append(all, measure.Figure{Row: "tools", What: p.what, Unit: "ms", Target: c.target, Note: "not run: there is no " + p.name + " here"})
			continue
		}
		m, err := b.compare(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// gitProject makes a repository with a commit, a changed file and a new one. Its files
// are older than its index: of others Git compares the contents each time.
func gitProject(project string) error {
	if err := manyFiles(project, 1_000, "some text\n"); err != nil {
		return err
	}
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(project, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	})
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "--message", "the files"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = project, proc.Env(filepath.Dir(project))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return writeAll(project, map[string]string{"part-00/folder-000/file-00001.md": "other text\n", "new.md": "a new file\n"})
}

// goProject makes a module without dependencies: a program and a package.
func goProject(project string) error {
	if err := os.Mkdir(filepath.Join(project, "greet"), 0o755); err != nil {
		return err
	}
	return writeAll(project, map[string]string{
		"go.mod": "module example.com/small\n\ngo 1.21\n",
		"main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"example.com/small/greet\"\n)\n\n" +
			"func main() { fmt.Println(greet.All(os.Args[1:]), stamp) }\n",
		"stamp.go":       "package main; const stamp = 0\n",
		"greet/greet.go": "package greet\n\nimport \"strings\"\n\nfunc All(names []string) string { return \"hello \" + strings.Join(names, \", \") }\n",
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
