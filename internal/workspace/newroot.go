package workspace

import (
	"path/filepath"

	"belay/internal/fault"
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
	return clean, nil
}

// Writable reports whether this process may list, enter and write to a folder.
func Writable(path string) bool { return accessible(path, true) == nil }
