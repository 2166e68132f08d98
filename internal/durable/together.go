package durable

import (
	"errors"
	"sync"
)

// mostTogether bounds the threads of one [Together]: a flush blocks one in the
// kernel.
const mostTogether = 16

// Together calls functions at the same time and returns when all are done, with
// their errors joined. Flushes that wait together share the file system's work, so
// that many cost little more than one. Under a test's hook they run one after the
// other, so that operations have an order.
func Together(work ...func() error) error {
	if inOrder() || len(work) == 1 {
		var errs []error
		for _, f := range work {
			errs = append(errs, f())
		}
		return errors.Join(errs...)
	}
	errs := make([]error, len(work))
	slots := make(chan struct{}, mostTogether)
	var wg sync.WaitGroup
	for i, f := range work {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = f()
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
