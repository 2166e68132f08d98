package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync"
	"time"
)

// Replay opens n streams at the beginning of a session's log, all at once, and reads
// each up to the event with the number last. It returns how long that took. Each
// stream must have every event once, in order.
func Replay(ctx context.Context, addr, id string, n int, last int64, lineBytes int) (time.Duration, error) {
	conns, err := dialAll(ctx, addr, n, lineBytes)
	if err != nil {
		return 0, err
	}
	defer closeAll(conns)
	defer context.AfterFunc(ctx, func() { closeAll(conns) })()
	var wg sync.WaitGroup
	errs := make([]error, n)
	began := time.Now()
	for i, c := range conns {
		wg.Go(func() { errs[i] = c.replay(addr, id, last) })
	}
	wg.Wait()
	return time.Since(began), errors.Join(errs...)
}

// replay reads a session's log up to an event.
func (c *Conn) replay(addr, id string, last int64) error {
	if err := c.follow(addr, id, 0); err != nil {
		return err
	}
	status, _, err := c.head()
	if err == nil && (status != http.StatusOK || !c.chunked) {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return err
	}
	c.lines.Reset(httputil.NewChunkedReader(c.in))
	for seen := int64(0); ; {
		line, err := c.lines.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("after event %d: %w", seen, err)
		}
		digits, ok := bytes.CutPrefix(line, prefixID)
		switch {
		case ok:
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 10, 64); err != nil || n != seen+1 {
				return fmt.Errorf("event id %q follows %d", digits, seen)
			}
			seen++
		case len(line) == 1 && seen == last:
			return nil
		}
	}
}
