package pipeline

import "slices"

// maxFailures is how many batches that ended early are remembered. They are of this
// process's life only: without one, a batch with sessions that have no turn says nothing of
// the reason, and can be continued all the same.
const maxFailures = 256

// failures are why batches ended early, those of the latest ones. The zero value is empty.
type failures struct {
	order []place // the oldest first
	why   map[place]error
}

func (f *failures) add(at place, err error) {
	f.remove(at)
	if len(f.order) >= maxFailures {
		f.remove(f.order[0])
	}
	if f.why == nil {
		f.why = map[place]error{}
	}
	f.order = append(f.order, at)
	f.why[at] = err
}

// remove forgets a batch that was continued.
func (f *failures) remove(at place) {
	if _, has := f.why[at]; !has {
		return
	}
	delete(f.why, at)
	f.order = slices.DeleteFunc(f.order, func(p place) bool { return p == at })
}
