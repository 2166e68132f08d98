package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// Calls runs one turn and returns, beside its sample, the times at which its tool
// calls had their results, behind that of the first call; there is at least one.
// Each call must have succeeded, with want in its result.
//
// What happens within a fraction of a millisecond may arrive at once: only many
// calls together say how long one takes.
func Calls(ctx context.Context, addr string, s *Session, lineBytes int, want string) ([]time.Time, Sample, error) {
	c, err := Dial(ctx, addr, lineBytes)
	if err != nil {
		return nil, Sample{}, err
	}
	defer func() { _ = c.Close() }() // the turn is over or has failed
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	var times []time.Time
	var wrong error
	sample, err := c.turn(s, time.Now(), func(name string, data []byte) {
		switch {
		case name == "tool:call" && len(times) == 0:
			times = append(times, time.Now())
		case name == "tool:result":
			times = append(times, time.Now())
			if wrong == nil && (!bytes.Contains(data, succeeded) || !bytes.Contains(data, []byte(want))) {
				wrong = fmt.Errorf("call %d of a tool: %.500s, want %q", len(times)-1, data, want)
			}
		}
	})
	if err == nil && len(times) < 2 {
		err = errors.New("no tool was called")
	}
	return times, sample, errors.Join(ctx.Err(), err, wrong)
}

var succeeded = []byte(`"ok":true`)
