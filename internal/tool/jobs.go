package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Job is a call that goes on after it has its result. It ends by itself, when the model
// stops it, or with the work of the agent that started it.
type Job interface {
	// Line says in a line what runs, for people.
	Line() string
	// Running reports whether it has not ended yet.
	Running() bool
	// Stop ends the job and waits until nothing of it runs. Jobs can be stopped at once:
	// the result stays for End.
	Stop(ctx context.Context)
	// End ends the job, waits until nothing of it runs, and returns its last result,
	// with what it changed. It is called once, in the context of a call.
	End(ctx context.Context) (Result, error)
}

// Jobs are the background jobs of a turn. Each stays here until somebody takes its last
// result. They are safe for concurrent use.
type Jobs struct {
	mu    sync.Mutex
	count int
	jobs  []StartedJob
}

// StartedJob is a job with the call that started it.
type StartedJob struct {
	ID  string
	Job Job
	// Call is the context of that call; the job may have ended it.
	Call context.Context
}

// maxJobs is how many jobs a turn has at once, those among them that have ended and
// whose last result nobody has taken.
const maxJobs = 8

// Start adds the job that start returns, which gets its id. Where the turn has too many,
// it is a [*Refusal] and nothing is started.
func (j *Jobs) Start(ctx context.Context, start func(id string) (Job, error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.jobs) >= maxJobs {
		return Refuse("%d background jobs are the most, and there are %s", maxJobs, names(j.jobs)).
			WithHint("stop one of them first")
	}
	id := fmt.Sprintf("job_%d", j.count+1)
	job, err := start(id)
	if err != nil {
		return err
	}
	j.count++
	j.jobs = append(j.jobs, StartedJob{ID: id, Job: job, Call: ctx})
	return nil
}

// All are the jobs, in the order in which they were started.
func (j *Jobs) All() []StartedJob {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.jobs)
}

// Of are the jobs of one agent ([Origin.Agent]).
func (j *Jobs) Of(agent string) []StartedJob {
	return slices.DeleteFunc(j.All(), func(s StartedJob) bool { return OriginOf(s.Call).Agent != agent })
}

// Find returns a job of an agent, or a [*Refusal] that names those that there are.
func (j *Jobs) Find(agent, id string) (Job, error) {
	own := j.Of(agent)
	for _, s := range own {
		if s.ID == id {
			return s.Job, nil
		}
	}
	if len(own) == 0 {
		return nil, Refuse("there is no background job %s, and no other", id).
			WithHint("a job ends with its turn, and is gone when its last result was read; start it again")
	}
	return nil, Refuse("there is no background job %s", id).WithHint("there are: %s", names(own))
}

// Remove takes a job out, whose last result the caller takes. It is false where somebody
// else did so.
func (j *Jobs) Remove(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.jobs)
	j.jobs = slices.DeleteFunc(j.jobs, func(s StartedJob) bool { return s.ID == id })
	return len(j.jobs) < n
}

// names are the ids of jobs with what they run.
func names(jobs []StartedJob) string {
	var b strings.Builder
	for i, s := range jobs {
		if i > 0 {
			b.WriteString(", ")
		}
		state := "ended"
		if s.Job.Running() {
			state = "running"
		}
		fmt.Fprintf(&b, "%s (%s, %s)", s.ID, s.Job.Line(), state)
	}
	return b.String()
}
