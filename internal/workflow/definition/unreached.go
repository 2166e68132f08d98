package definition

// Unreached are the tasks to which nothing leads from the first: no run does them.
func (w *Workflow) Unreached() (all []*Task) {
	if len(w.Tasks) == 0 {
		return nil
	}
	reached := map[string]bool{}
	var walk func(t *Task)
	walk = func(t *Task) {
		if t == nil || reached[t.ID] {
			return
		}
		reached[t.ID] = true
		for _, id := range t.Targets() {
			walk(w.Task(id))
		}
	}
	walk(w.Tasks[0])
	for _, t := range w.Tasks {
		if !reached[t.ID] {
			all = append(all, t)
		}
	}
	return all
}
