package definition

// Task returns a task of the workflow by its id, those within others left out.
func (w *Workflow) Task(id string) *Task { return w.tasks[id] }

// Walk calls f for every task, those within others after the ones that hold them.
func (w *Workflow) Walk(f func(*Task)) {
	for _, t := range w.Tasks {
		t.Walk(f)
	}
}

// Walk calls f for the task and for every task within it.
func (t *Task) Walk(f func(*Task)) {
	f(t)
	for _, c := range t.Tasks {
		c.Walk(f)
	}
	if t.Each != nil {
		t.Each.Walk(f)
	}
}

// idsOf are the ids of things of one kind, each once.
func idsOf[T interface{ id() string }](all []T) []string {
	var ids []string
	seen := map[string]bool{"": true}
	for _, x := range all {
		if id := x.id(); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func (a *Agent) id() string { return a.ID }

func (a *Action) id() string { return a.ID }

func (t *Task) id() string { return t.ID }

// byID are things of one kind by their ids; of several the first counts.
func byID[T interface{ id() string }](all []T) map[string]T {
	index := make(map[string]T, len(all))
	for _, x := range all {
		if _, ok := index[x.id()]; !ok {
			index[x.id()] = x
		}
	}
	return index
}

// Agent returns an agent by its id.
func (w *Workflow) Agent(id string) *Agent { return w.agents[id] }

// Action returns an action by its id.
func (a *Agent) Action(id string) *Action { return a.actions[id] }

// Targets are the tasks that may follow t, in their order, each once.
func (t *Task) Targets() []string {
	var all []string
	for _, to := range t.targets() {
		all = append(all, to.id)
	}
	return all
}
