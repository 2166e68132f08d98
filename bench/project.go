package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/bench/material/projects"
	"belay/bench/measure"
	"belay/bench/proc"
)

// The projects that are measured: how many deliverables they have, and how many
// rows each of their registers.
const (
	fewDeliverables  = 1_000
	manyDeliverables = 10_000
	registerRows     = 20
)

// runsPerRound is how often a command is run in a round.
const runsPerRound = 5

// shape is what a project of n deliverables is like.
func shape(n int) projects.Shape { return projects.Shape{Deliverables: n, Rows: registerRows} }

// root is the project of n deliverables, made when it is asked for first.
func (b *bench) root(n int) (string, error) {
	if dir, ok := b.roots[n]; ok {
		return dir, nil
	}
	dir := filepath.Join(b.dir, fmt.Sprintf("root-%d", n))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if err := projects.Write(dir, shape(n)); err != nil {
		return "", err
	}
	if b.roots == nil {
		b.roots = map[int]string{}
	}
	b.roots[n] = dir
	return dir, nil
}

// projectList measures a listing from cold: the process is new, the files are in
// the system's cache.
func (b *bench) projectList(ctx context.Context) ([]measure.Figure, error) {
	return b.commands(ctx, command{
		words: []string{"project", "list"}, says: "%d deliverables", what: "belay project list, %s deliverables", files: []string{"_STATUS.md"},
		few: measure.AtMost(40).Beside(10.3), many: measure.AtMost(300).Beside(60.4),
		note: "beside a program that is given the paths of their _STATUS.md and reads them",
	})
}

// projectComplete measures what a shell waits for after Tab.
func (b *bench) projectComplete(ctx context.Context) ([]measure.Figure, error) {
	root, err := b.root(manyDeliverables)
	if err != nil {
		return nil, err
	}
	list, err := b.pathList(root, manyDeliverables, []string{"_STATUS.md"})
	if err != nil {
		return nil, err
	}
	args := []string{"__complete", "project", "status", "--project", root, "DEL-"}
	once := exec.CommandContext(ctx, b.o.Belay, args...)
	once.Env = proc.Env(b.dir)
	offers, err := once.Output()
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(offers, []byte("DEL-")) {
		return nil, fmt.Errorf("belay %q offers %q", args, offers)
	}
	t, err := b.beside(ctx, args, "ShellCompDirectiveNoFileComp", "-read", list) // what it says beside its output
	if err != nil {
		return nil, err
	}
	m := t.wall.Figure("project", "completion of a deliverable's id, 10,000 deliverables", "ms", measure.AtMost(100))
	m.Note = "beside a program that is given the paths of their _STATUS.md and reads them"
	return []measure.Figure{m}, nil
}

// projectValidate measures a validation of everything.
func (b *bench) projectValidate(ctx context.Context) ([]measure.Figure, error) {
	return b.commands(ctx, command{
		words: []string{"project", "validate"}, says: "%d deliverables", what: "belay project validate, %s deliverables",
		files: []string{"_STATUS.md", "_CONTEXT.md", "_DEPENDENCIES.md", "_REFERENCES.md", "MEMORY.md", "Dependencies.csv",
			"Datasheet.md", "Specification.md", "Guidance.md", "Procedure.md"},
		few: measure.AtMost(200).Beside(50.5), many: measure.AtMost(1500).Beside(361), memory: 150,
		note: "beside a program that reads the same ten files of each and knows their paths",
	})
}

// projectLint measures a look at every register, and at the summary beside it.
func (b *bench) projectLint(ctx context.Context) ([]measure.Figure, error) {
	return b.commands(ctx, command{
		words: []string{"deps", "lint"}, says: "%d registers", what: "belay deps lint, %s deliverables",
		files: []string{"_STATUS.md", "_DEPENDENCIES.md", "Dependencies.csv"},
		few:   measure.AtMost(200).Beside(27.7), many: measure.AtMost(1500).Beside(219), memory: 150,
		note: "beside a program that reads the same three files of each and knows their paths",
	})
}

// command is a command about a whole project, beside a program that only reads
// files.
type command struct {
	words []string
	// says is what it must say of n deliverables.
	says, what string
	// files are those that are read in each deliverable.
	files []string
	// few and many are the most milliseconds it may take for either project, memory
	// the most megabytes for the larger one, 0 where that is not asked.
	few, many *measure.Target
	memory    float64
	note      string
}

func (b *bench) commands(ctx context.Context, c command) ([]measure.Figure, error) {
	var all []measure.Figure
	for _, n := range []int{fewDeliverables, manyDeliverables} {
		root, err := b.root(n)
		if err != nil {
			return nil, err
		}
		list, err := b.pathList(root, n, c.files)
		if err != nil {
			return nil, err
		}
		t, err := b.beside(ctx, append(slices.Clone(c.words), "--project", root), fmt.Sprintf(c.says, n), "-read", list)
		if err != nil {
			return nil, err
		}
		limit := c.few
		if n == manyDeliverables {
			limit = c.many
		}
		wall := t.wall.Figure("project", fmt.Sprintf(c.what, measure.Number(float64(n))), "ms", limit)
		wall.Note = c.note
		all = append(all, wall, t.work.Figure("project", "the same, processor time", "ms", nil))
		if c.memory > 0 && n == manyDeliverables {
			all = append(all, t.peak.Figure("project", "the same, most memory", "MB", measure.AtMost(c.memory)))
		}
	}
	return all, nil
}

// pathList writes the paths of files in each deliverable, a line each.
func (b *bench) pathList(root string, n int, files []string) (string, error) {
	var text strings.Builder
	for i := range n {
		for _, f := range files {
			text.WriteString(filepath.Join(shape(n).Path(root, i), f) + "\n")
		}
	}
	b.pairs++
	list := filepath.Join(b.dir, fmt.Sprintf("paths-%d", b.pairs))
	return list, os.WriteFile(list, []byte(text.String()), 0o600)
}

// timings are what two programs took.
type timings struct{ wall, work, peak measure.Series }

// beside runs belay and the bare program in turn. Belay must say the given words.
func (b *bench) beside(ctx context.Context, belay []string, says string, bare ...string) (t timings, err error) {
	return b.besideIn(ctx, proc.Env(b.dir), belay, says, bare...)
}

// besideIn is beside in another environment.
func (b *bench) besideIn(ctx context.Context, env, belay []string, says string, bare ...string) (t timings, err error) {
	for round := range b.o.Rounds + 1 {
		var sides [2][]proc.Usage
		for range runsPerRound {
			for k, c := range []proc.Command{{Path: b.bareBin, Args: bare, Env: env}, {Path: b.o.Belay, Args: belay, Env: env}} {
				var said bytes.Buffer
				u, err := proc.Run(ctx, c, &said)
				if err != nil {
					return t, fmt.Errorf("%w: %s", err, said.Bytes())
				}
				if k == 1 && !strings.Contains(said.String(), says) {
					return t, fmt.Errorf("belay %q does not say %q: %s", belay, says, said.Bytes())
				}
				sides[k] = append(sides[k], u)
			}
		}
		if round == 0 { // the first one fills caches
			continue
		}
		addBoth(&t.wall, sides, func(u proc.Usage) float64 { return ms(u.Wall) })
		addBoth(&t.work, sides, func(u proc.Usage) float64 { return ms(u.Processor) })
		addBoth(&t.peak, sides, func(u proc.Usage) float64 { return megabytes(u.Peak) })
	}
	return t, nil
}

// addBoth adds the medians of a round, the bare program's first.
func addBoth(s *measure.Series, sides [2][]proc.Usage, of func(proc.Usage) float64) {
	var medians [2]float64
	for k, runs := range sides {
		values := make([]float64, len(runs))
		for i, u := range runs {
			values[i] = of(u)
		}
		medians[k] = measure.Median(values)
	}
	s.AddBoth(medians[0], medians[1])
}

// strangers is how many files lie beside the packages of a project that have
// nothing to do with it.
const strangers = 100_000

// projectAmongFiles measures a listing in a folder that is full of something else.
func (b *bench) projectAmongFiles(ctx context.Context) ([]measure.Figure, error) {
	root := filepath.Join(b.dir, "among")
	if err := os.Mkdir(root, 0o755); err != nil {
		return nil, err
	}
	if err := projects.Write(root, shape(fewDeliverables)); err != nil {
		return nil, err
	}
	if err := manyFiles(filepath.Join(root, "src"), strangers, ""); err != nil {
		return nil, err
	}
	t, err := b.beside(ctx, []string{"project", "list", "--project", root}, fmt.Sprintf("%d deliverables", fewDeliverables), "-walk", root)
	if err != nil {
		return nil, err
	}
	m := t.wall.Figure("project", "belay project list, 1,000 deliverables beside 100,000 other files", "ms", measure.AtMostTimes(1))
	m.Note = "beside filepath.WalkDir of the same folder"
	return []measure.Figure{m, t.work.Figure("project", "the same, processor time", "ms", nil)}, os.RemoveAll(root)
}

// elapsed is what a step takes, in milliseconds.
func elapsed(step func() error) (float64, error) {
	begin := time.Now()
	err := step()
	return ms(time.Since(begin)), err
}
