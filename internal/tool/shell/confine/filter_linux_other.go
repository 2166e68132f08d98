//go:build linux && !amd64 && !arm64

package confine

import "errors"

// hasFilter says that the filter does not know this processor's system calls.
const hasFilter = false

func (p plan) filter() error {
	return errors.New("system calls of this processor are not known to the filter")
}
