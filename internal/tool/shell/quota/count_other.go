//go:build !linux

package quota

import (
	"context"
	"time"
)

func freeSpace(string) (int64, bool) { return 0, false }

func count(context.Context, string, time.Time) held { return held{} }
