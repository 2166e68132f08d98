package run

import "belay/internal/event"

// Events describes the events of runs, in the order in which they come.
func Events() []event.Spec {
	spec := func(t EventType, when string, sample any) event.Spec {
		return event.Spec{Type: event.Type(t), When: when, Sample: sample}
	}
	return []event.Spec{
		spec(RunStart, "A run begins; always first.", Begun{}),
		spec(RunResume, "A run was taken up again; what is finished is not done again.", Begun{}),
		spec(TaskStart, "A task begins.", TaskBegun{}),
		spec(TaskAttempt, "A task's agent is asked, in a session whose events have the rest.", Tried{}),
		spec(TaskQuestion, "A call of a task's agent waits for a person's decision.", Asked{}),
		spec(TaskAnswer, "The decision was made.", Asked{}),
		spec(TaskWait, "A wait task waits for a person, or for a time to pass.", Waits{}),
		spec(TaskRetry, "A task's agent failed and will be asked again.", Again{}),
		spec(TaskEnd, "A task ended.", TaskEnded{}),
		spec(RunEnd, "The run ended; always last, unless its process died or it is taken up again.", Ended{}),
	}
}
