package shell

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/tool/files"
	"belay/internal/tool/live"
	"belay/internal/tool/shell/confine"
)

// shownOutput is how much a question shows of the end of a command's output.
const shownOutput = 4 << 10

// effect is what the command that has ended would change.
func (t *transaction) effect(ctx context.Context, changes []journal.Change, outcome confine.Outcome, failed bool) (permit.Effect, error) {
	e := t.Effect()
	e.Ports = nil // what is decided is whether its changes count
	output := live.Plain(outcome.Output.Head) + live.Plain(outcome.Output.Tail)
	if len(output) > shownOutput {
		output = "…" + strings.ToValidUTF8(output[len(output)-shownOutput:], "")
	}
	if output != "" && !strings.HasSuffix(output, "\n") {
		output += "\n"
	}
	e.Done = &permit.Done{Output: t.environment.WithoutKeys(output + t.ended(outcome)), Failed: failed}
	diff := newDiffs(t.environment.Root, len(changes))
	repositories, texts := map[string]int{}, gitSettings(changes)
	ignored, ignores := map[string]int{}, files.NewIgnored(t.environment.Root)
	tracked := sync.OnceValue(func() trackedFiles { return trackedIn(t.environment.Project) }) // the index may be large
	e.Paths = nil
	for i := range changes {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		c := &changes[i]
		name := string(c.Path)
		if repo, _, in := insideGit(name); in {
			if texts[c] {
				if err := diff.add(c); err != nil {
					return e, err
				}
			}
			if repositories[repo]++; repositories[repo] == 1 {
				e.Paths = append(e.Paths, repo)
				e.Done.Files++
			}
			continue
		}
		below := ignores.Below(name)
		if below != "" && (!tracked().known || tracked().names[name]) {
			below = ""
		}
		// What is new in a folder of build output can be made again.
		c.Loose = below != "" && (below != name || c.Op == journal.Mkdir) && c.Before.Type == journal.None
		if c.Tree != nil {
			e.Done.Files += c.Tree.Files
			e.Paths = append(e.Paths, name)
			ignored[below] += c.Tree.Files
			continue
		}
		if c.Op == journal.Mkdir || c.Op == journal.Rmdir {
			continue
		}
		e.Done.Files++
		e.Paths = append(e.Paths, name)
		if below != "" {
			ignored[below]++
			continue
		}
		if err := diff.add(c); err != nil {
			return e, err
		}
	}
	diff.folders(changes)
	made, _ := t.upper.Folders()
	e.Repositories = describeGit(ctx, t.environment.Root, made, changes, diff)
	for _, r := range e.Repositories {
		for i := range r.Does {
			r.Does[i] = t.environment.WithoutKeys(r.Does[i])
		}
	}
	if e.Done.Files == 0 { // only folders
		for _, c := range changes {
			e.Paths = append(e.Paths, string(c.Path)+"/")
		}
		e.Done.Files = len(e.Paths)
	}
	slices.Sort(e.Paths)
	r, err := risksOf(ctx, t.environment, t.upper.Contents(), changes)
	if err != nil {
		return e, err
	}
	e.Automatic, e.OnRequest = r.automatic, r.onRequest
	e.Diff = t.environment.WithoutKeys(diff.String())
	for _, folder := range slices.Sorted(maps.Keys(ignored)) {
		e.Done.Ignored = append(e.Done.Ignored, permit.Ignored{Path: folder, Files: ignored[folder]})
	}
	return e, nil
}
