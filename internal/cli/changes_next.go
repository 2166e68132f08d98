package cli

import (
	"context"
	"slices"
	"strings"

	"belay/internal/permit"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// nextOfKept is the command with which a person goes on with a kept change.
func nextOfKept(k changes.KeptChange) string {
	keep, drop := "belay changes keep "+k.ID, "belay changes drop "+k.ID
	switch {
	case k.Problem == "" && len(k.Conflicts) > 0 && k.DecisionID == "":
		if rest := withoutConflicts(k); len(rest) > 0 {
			return keep + onlyFlags(k, rest) + ", or " + drop
		}
		return drop
	case k.Problem != "" || len(k.Conflicts) > 0:
		return drop
	case k.DecisionID != "":
		return "belay decision allow " + k.DecisionID
	case k.Effect != nil && len(k.Effect.Automatic) > 0:
		return keep + " --runs-by-itself"
	}
	return keep
}

// withoutConflicts are the files of a change that can be applied although others cannot.
func withoutConflicts(k changes.KeptChange) (rest []string) {
	if k.Effect == nil {
		return nil
	}
	for _, p := range k.Effect.Paths {
		if !slices.ContainsFunc(k.Conflicts, func(c string) bool {
			return c == p || strings.HasPrefix(p, c+"/") || strings.HasPrefix(c, p+"/")
		}) {
			rest = append(rest, p)
		}
	}
	return rest
}

// maxOnlyFlags is how many files a suggested command names.
const maxOnlyFlags = 5

// onlyFlags name these files of a change for belay changes keep. Of many it shows the first
// one: a person chooses.
func onlyFlags(k changes.KeptChange, files []string) string {
	if len(files) > maxOnlyFlags {
		return " --only " + quoted(files[0]) + ", with more files that are no conflict"
	}
	flags := ""
	runs := false
	for _, p := range files {
		flags += " --only " + quoted(p)
		runs = runs || slices.ContainsFunc(k.Effect.Automatic, func(text string) bool { return strings.HasPrefix(text, p+" ") })
	}
	if runs {
		flags += " --runs-by-itself"
	}
	return flags
}

// onlyOf are the files of a kept change that --only names, by themselves or by patterns. The
// change is looked up where there is a pattern.
func onlyOf(ctx context.Context, e turn.Engine, project, id string, names []string) ([]string, error) {
	if !slices.ContainsFunc(names, func(name string) bool { return strings.ContainsAny(name, "*?") }) {
		return names, nil
	}
	k, err := e.KeptChange(ctx, project, id)
	if err != nil {
		return nil, err
	}
	var effect permit.Effect
	if k.Effect != nil {
		effect = *k.Effect
	}
	return namedFiles(effect, names, "belay changes show "+id+" lists them")
}

// namedFiles are the files of an effect that names and patterns mean.
func namedFiles(e permit.Effect, names []string, hint string) ([]string, error) {
	only, err := e.Named(names)
	if err != nil {
		return nil, usageHint(hint, "--only: %v", err)
	}
	return only, nil
}
