//go:build !linux

package bus

import (
	"fmt"
	"os"
	"path/filepath"
)

// socketAddress is the name of the socket in dir. Where it is longer than the system
// takes, the socket cannot be made.
func socketAddress(dir string) (folder *os.File, address string, err error) {
	if folder, err = os.Open(dir); err != nil {
		return nil, "", fmt.Errorf("bus: socket: %w", err)
	}
	return folder, filepath.Join(dir, socketName), nil
}
