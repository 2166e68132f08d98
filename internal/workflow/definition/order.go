package definition

import "slices"

// order says which tasks of the workflow are done before which.
type order struct {
	index map[string]int
	// may has, for each task that something leads to, those that may be done before it
	// begins. sure has those of them that every route does, gives those of these that have an
	// output then: one that failed has none. All are nil for a task that nothing leads to.
	may, sure, gives []set
	// end and endGives are sure and gives for the end of the run.
	end, endGives set
}

// set is a set of tasks by their places in the file.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// combine changes every word of the set.
func (s set) combine(t set, how func(a, b uint64) uint64) {
	for i := range s {
		s[i] = how(s[i], t[i])
	}
}

func union(a, b uint64) uint64 { return a | b }
func both(a, b uint64) uint64  { return a & b }

// plus is a copy of the set with one more task.
func (s set) plus(i int) set {
	s = slices.Clone(s)
	s.add(i)
	return s
}

// orderOf follows the routes of a workflow that has tasks.
func orderOf(w *Workflow) *order {
	n := len(w.Tasks)
	o := &order{index: map[string]int{}, may: make([]set, n), sure: make([]set, n), gives: make([]set, n)}
	for i, t := range w.Tasks {
		if w.Task(t.ID) == t { // else its id is another's
			o.index[t.ID] = i
		}
	}
	o.may[0], o.sure[0], o.gives[0] = newSet(n), newSet(n), newSet(n)
	reached := o.reached(w)
	if o.circular(w, reached) {
		o.anything(reached)
		return o
	}
	for _, i := range reached {
		t := w.Tasks[i]
		may, sure := o.may[i].plus(i), o.sure[i].plus(i)
		for _, id := range t.Targets() {
			next, known := o.index[id]
			gives := o.gives[i]
			if id != t.OnError.Task || t.Kind != Basic && t.Kind != Tool {
				gives = gives.plus(i)
			}
			if t.Kind == Router { // it may have chosen by what has failed
				gives = sure
			}
			switch {
			case !known:
			case o.may[next] == nil:
				o.may[next], o.sure[next], o.gives[next] = slices.Clone(may), slices.Clone(sure), slices.Clone(gives)
			default:
				o.may[next].combine(may, union)
				o.sure[next].combine(sure, both)
				o.gives[next].combine(gives, both)
			}
		}
	}
	for _, i := range reached {
		if t := w.Tasks[i]; t.Kind != Router && (t.Final || t.OnSuccess.Task == "") {
			if sure, gives := o.sure[i].plus(i), o.gives[i].plus(i); o.end == nil {
				o.end, o.endGives = sure, gives
			} else {
				o.end.combine(sure, both)
				o.endGives.combine(gives, both)
			}
		}
	}
	return o
}

// circular reports whether tasks lead in a circle: one leads to a task before it. The check of
// a file names the circles; here it is also asked about workflows that nobody has checked.
func (o *order) circular(w *Workflow, reached []int) bool {
	place := make([]int, len(w.Tasks))
	for at, i := range reached {
		place[i] = at
	}
	for at, i := range reached {
		for _, id := range w.Tasks[i].Targets() {
			if next, known := o.index[id]; known && place[next] <= at {
				return true
			}
		}
	}
	return false
}

// anything is the order of tasks that lead in a circle, which is an error of its own: each may
// be done before each, and none surely is.
func (o *order) anything(reached []int) {
	all := newSet(len(o.may))
	for _, i := range reached {
		all.add(i)
	}
	for _, i := range reached {
		o.may[i], o.sure[i], o.gives[i] = all, newSet(len(o.may)), newSet(len(o.may))
	}
}

// reached are the tasks to which something leads, each after those that lead to it as far
// as there is no circle.
func (o *order) reached(w *Workflow) (all []int) {
	seen := newSet(len(w.Tasks))
	var walk func(i int)
	walk = func(i int) {
		seen.add(i)
		for _, id := range w.Tasks[i].Targets() {
			if next, known := o.index[id]; known && !seen.has(next) {
				walk(next)
			}
		}
		all = append(all, i)
	}
	walk(0)
	slices.Reverse(all)
	return all
}

// Certain are the tasks that every run does which succeeds.
func (w *Workflow) Certain() (all []*Task) {
	o := orderOf(w)
	for i, t := range w.Tasks {
		if o.end != nil && o.end.has(i) {
			all = append(all, t)
		}
	}
	return all
}

// Unreached are the tasks to which nothing leads from the first: no run does them. It is
// nil where a task names a next one that there is not, or has the id of another: then nobody
// knows.
func (w *Workflow) Unreached() (all []*Task) {
	for _, t := range w.Tasks {
		if w.Task(t.ID) != t || slices.ContainsFunc(t.Targets(), func(id string) bool { return w.Task(id) == nil }) {
			return nil
		}
	}
	if len(w.Tasks) == 0 {
		return nil
	}
	o := orderOf(w)
	for i, t := range w.Tasks {
		if o.may[i] == nil {
			all = append(all, t)
		}
	}
	return all
}
