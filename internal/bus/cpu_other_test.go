//go:build !unix

package bus

import "time"

// cpuTime is not measured here.
func cpuTime() time.Duration { return 0 }
