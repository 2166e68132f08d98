package shell

import (
	"context"
	"errors"
	"time"

	"belay/internal/permit"
	"belay/internal/tool"
)

// actionStop is the action that stops a job; the other one reads its output.
const actionStop = "stop"

// jobCall reads the output of a job, or stops it.
type jobCall struct {
	*call
	wait time.Duration
}

var _ tool.Resumable = (*jobCall)(nil)

// prepareJob checks a call that is about a job. Whether there is one is found out when
// the call runs: it may take up what the job has changed.
func (s *Shell) prepareJob(w *tool.Environment, in input) (tool.Call, error) {
	if in.Command != "" || in.Background || in.Outside || in.Write || in.Dir != "" || len(in.Ports) > 0 {
		return nil, tool.Refuse("a call about a job runs no command: job goes with action and timeout_ms only").
			WithHint("leave out job to run a command")
	}
	c := &jobCall{call: &call{shell: s, environment: w, in: in}, wait: jobWait}
	if in.TimeoutMS > 0 {
		var err error
		if c.wait, err = timeLimit(w.Limits, in.TimeoutMS); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Effect implements [tool.Call].
func (c *jobCall) Effect() permit.Effect {
	does := "read the output of "
	if c.in.Action == actionStop {
		does = "stop "
	}
	return permit.Effect{Tool: Name, Kind: permit.Execute, Summary: does + c.in.Job, Job: c.in.Job, Deferred: true}
}

// Run implements [tool.Call].
func (c *jobCall) Run(ctx context.Context) (tool.Result, error) {
	by := tool.OriginOf(ctx)
	if c.Held(ctx) {
		return c.resume(by.ChangeID)
	}
	found, err := c.environment.Jobs.Find(by.Agent, c.in.Job)
	if err != nil {
		return tool.Result{}, err
	}
	j, ok := found.(*job)
	if !ok {
		return tool.Result{}, errors.New("a background job of another tool")
	}
	if c.in.Action == actionStop {
		if !c.environment.Jobs.Remove(j.id) {
			return tool.Result{}, tool.Refuse("%s has been stopped meanwhile", j.id)
		}
		return j.End(ctx)
	}
	j.hear(ctx, c.wait)
	if j.over() {
		return j.End(ctx)
	}
	return j.read(), nil
}

// checkBackground refuses what a job cannot be.
func (in input) checkBackground(w *tool.Environment) error {
	switch {
	case in.Action != "":
		return tool.Refuse("action is what to do with a job, and no job is named").WithHint("name it in job, as in {\"job\": \"job_1\", \"action\": \"stop\"}")
	case !in.Background && len(in.Ports) > 0:
		return tool.Refuse("ports are those of a background job").WithHint("set background, or leave out ports")
	case !in.Background:
		return nil
	case in.Outside:
		return tool.Refuse("a command outside the sandbox cannot run in the background").WithHint("run it inside, or ask the person to start it")
	case w.Jobs == nil:
		return tool.Refuse("there are no background jobs here").WithHint("run the command without background")
	}
	seen := map[uint16]bool{}
	for _, p := range in.Ports {
		if seen[p] {
			return tool.Refuse("ports has %d twice", p)
		}
		seen[p] = true
	}
	return nil
}

// checkJob refuses a job that the machine cannot hold.
func (c *call) checkJob() error {
	switch {
	case !c.in.Background:
		return nil
	case !c.deferred:
		return tool.Refuse("a background job needs an overlay on the project, which this machine or this project cannot have").
			WithHint("run the command without background and with timeout_ms, or ask the person to start it; belay doctor says what is missing")
	case len(c.in.Ports) > 0 && !c.report.OwnNetwork:
		return tool.Refuse("ports cannot be opened: with bash.network %s commands have no network of their own", c.report.Network).
			WithHint("leave out ports")
	}
	return nil
}
