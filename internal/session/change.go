package session

import (
	"io/fs"
)

// Change is one file that a tool changed, or a folder that a command made and left
// empty, which only AfterMode shows. Contents are in the project's blob
// store by their hash, so that a change can be shown and taken back.
type Change struct {
	// Call is the tool call that made it.
	Call string `json:"call,omitempty"`
	// Path is relative to the project, with slashes.
	Path string `json:"path"`
	// Before and After are the hashes of the contents, "" where there was no
	// file. Mode bits go with them; those of a folder say that there was one.
	Before     string      `json:"before,omitempty"`
	After      string      `json:"after,omitempty"`
	BeforeMode fs.FileMode `json:"beforeMode,omitempty"`
	AfterMode  fs.FileMode `json:"afterMode,omitempty"`
	// BeforeBytes and AfterBytes are the sizes.
	BeforeBytes int64 `json:"beforeBytes,omitempty"`
	AfterBytes  int64 `json:"afterBytes,omitempty"`
	// Pack is a blob that has both contents, from these bytes on, among those of other
	// small files; "" where each content that is kept is a blob of its own.
	Pack     string `json:"pack,omitempty"`
	BeforeAt int64  `json:"beforeAt,omitempty"`
	AfterAt  int64  `json:"afterAt,omitempty"`
	// Folders is how many of the folders of Path, counted from the file, were made
	// for it: undo removes them with it.
	Folders int `json:"folders,omitempty"`
	// Lost says why the content before was not kept (too large, not a regular
	// file): such a change is shown and cannot be taken back.
	Lost string `json:"lost,omitempty"`
	// Restored is set for a protected file that a command changed, which was not
	// applied: the file is as before, and After is what the command had made of it.
	Restored bool `json:"restored,omitempty"`
}

// Removes reports whether the file is gone after the change.
func (c *Change) Removes() bool {
	// What is there and could not be kept has no After either.
	return c.After == "" && c.AfterMode == 0 && c.AfterBytes == 0 && !c.Restored
}

// Touched are the paths of the files that changes left different, each once, in their order,
// and those of them that are gone.
func Touched(changes []Change) (changed, removed []string) {
	gone := map[string]bool{}
	for i := range changes {
		c := &changes[i]
		if c.Restored {
			continue // it is what it was
		}
		if _, again := gone[c.Path]; !again {
			changed = append(changed, c.Path)
		}
		gone[c.Path] = c.Removes()
	}
	for _, path := range changed {
		if gone[path] {
			removed = append(removed, path)
		}
	}
	return changed, removed
}
