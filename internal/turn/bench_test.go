package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
)

// BenchmarkTurn is one whole turn in a warm session, from the request to its
// last event, with a provider that answers at once.
func BenchmarkTurn(b *testing.B) {
	for _, earlier := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("after-%d", earlier), func(b *testing.B) {
			r := newRig(b)
			id := r.session()
			for range earlier {
				r.say(id, "a message of 20 byte")
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := once(r, id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func once(r *rig, id string) error {
	ctx := context.Background()
	s, err := r.engine.Start(ctx, Request{SessionID: id, Message: "a message of 20 byte"})
	if err != nil {
		return err
	}
	for {
		if _, err := s.Next(ctx); errors.Is(err, io.EOF) {
			return s.Close()
		} else if err != nil {
			return err
		}
	}
}
