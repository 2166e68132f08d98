package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/layout"
)

// CheckPath checks a path that a caller names in field and returns it in normal
// form, or INVALID_REQUEST unless it is a well-formed absolute one.
func CheckPath(field, path string) (string, error) {
	if why := malformed(path); why != "" {
		return "", fault.New(fault.InvalidRequest, "%s %s", field, why).With("field", field).With(field, fault.Clip(path))
	}
	return filepath.Clean(path), nil
}

// CheckNewRoot checks a folder that is to become a project, and that need not
// exist yet, as [CheckRoot] does one that is: field names it.
func CheckNewRoot(field, path, instructionRoot string, private ...string) (string, error) {
	clean, err := CheckPath(field, path)
	if err != nil {
		return "", err
	}
	at := locate(clean)
	if err := closed(field, at, private); err != nil {
		return "", err
	}
	// Where the folder does not exist, what its nearest ancestor really is counts.
	if instructionRoot != "" && at.in(instructionRoot) {
		return "", fault.New(fault.WorkingRootConflict, "%s is inside the instruction root", field).
			With("projectRoot", fault.Clip(clean)).With("instructionRoot", instructionRoot)
	}
	if why := taken(clean); why != "" {
		return "", fault.New(fault.WorkingRootConflict, "%s is %s", field, why).With("projectRoot", fault.Clip(clean)).
			WithHint("name a folder outside of it")
	}
	return clean, nil
}

// taken says in which folder a path is that has another use, "" for none: one of git or of belay,
// or a package of a project. A scan leaves the first two out, and takes the last for work.
func taken(path string) string {
	for at := range ancestors(path) {
		base, above := filepath.Base(at), filepath.Dir(at)
		switch {
		case strings.EqualFold(base, ".git"), strings.EqualFold(base, ".belay"):
			return "inside " + base
		case layout.ParseName(base).Kind != layout.Package:
			continue
		}
		for _, mark := range []string{layout.InitFile, layout.Decomposition} {
			if _, err := os.Lstat(filepath.Join(above, mark)); err == nil {
				return "inside a package of the project " + above
			}
		}
	}
	return ""
}

// Writable reports whether this process may list, enter and write to a folder.
func Writable(path string) bool { return accessible(path, true) == nil }
