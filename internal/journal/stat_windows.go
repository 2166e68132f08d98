package journal

import "io/fs"

// identify adds nothing: contents are compared by their hashes.
func (s *State) identify(fs.FileInfo) {}
