package scan

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/crash"
)

func TestInOrder(t *testing.T) {
	t.Parallel()
	const n = 1000
	var goroutines, looked atomic.Int64
	var got []int
	start := func() (func(int) int, func()) {
		goroutines.Add(1)
		return func(i int) int {
			looked.Add(1)
			if i%100 == 0 {
				time.Sleep(5 * time.Millisecond)
			}
			return i * i
		}, func() { goroutines.Add(-1) }
	}
	err := InOrder(context.Background(), 8, n, start, func(i, r int) {
		if ran := looked.Load() - int64(i); r != i*i || ran > ahead+8 {
			t.Errorf("%d is %d, and %d others were looked at before it was taken", i, r, ran)
		}
		got = append(got, i)
	})
	for i := range got {
		if got[i] != i {
			t.Fatalf("%d came as number %d", got[i], i)
		}
	}
	if err != nil || len(got) != n || goroutines.Load() != 0 {
		t.Errorf("%d of %d are taken, %d goroutines run: %v", len(got), n, goroutines.Load(), err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	taken := 0
	err = InOrder(ctx, 8, n, start, func(i, _ int) {
		if taken++; i == 10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || taken < 11 || taken > 11+ahead || goroutines.Load() != 0 {
		t.Errorf("after the end of the context %d are taken: %v", taken, err)
	}
}

// A panic reaches the caller, also where other goroutines wait for what will never be there.
func TestInOrderPanics(t *testing.T) {
	t.Parallel()
	start := func() (func(int) int, func()) {
		return func(i int) int {
			if i == 0 {
				time.Sleep(5 * time.Millisecond) // the others are as far ahead as they may be
				panic("burst")
			}
			return i
		}, func() {}
	}
	defer func() {
		if e, ok := recover().(*crash.Error); !ok || e.Value != "burst" {
			t.Errorf("the panic is %v", e)
		}
	}()
	_ = InOrder(t.Context(), 4, 1000, start, func(int, int) {})
	t.Error("it returned")
}
