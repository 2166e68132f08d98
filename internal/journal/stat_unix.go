//go:build unix

package journal

import (
	"io/fs"
	"syscall"
)

// identify adds to a state what only the system's own stat has.
func (s *State) identify(info fs.FileInfo) {
	if is, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Inode, s.Links = is.Ino, uint64(is.Nlink) //nolint:unconvert // other systems have other types
		s.Device = uint64(is.Dev)                   //nolint:unconvert,gosec // it is only compared
		s.UID, s.GID = int(is.Uid), int(is.Gid)
	}
}
