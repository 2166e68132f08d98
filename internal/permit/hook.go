package permit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"belay/internal/processgroup"
	"belay/internal/quantity"
)

// Hook is a command of the operator's that has a say in calls. It gets a
// [HookInput] as JSON on its input and prints a [HookAnswer] as JSON. It must
// come from the user's configuration or flags, never from a project.
type Hook struct {
	// Name is what people see; the command's when empty.
	Name string
	// Command is the program and its arguments. No shell reads it.
	Command []string
	// Calls are rules; the hook is asked about a call when one of them names any
	// part of it. None stand for all calls.
	Calls []Rule
	// Timeout is how long it may take, 10 seconds for 0.
	Timeout time.Duration
}

// HookOptions configure [NewHooks].
type HookOptions struct {
	Hooks []Hook
	// Dir is the folder where hooks run; it must not be the project's, which an
	// agent can write.
	Dir string
	// Env is all of their environment: see [HookEnv].
	Env []string
}

// Hooks asks hooks, one after another. It is safe for concurrent use.
type Hooks struct{ o HookOptions }

// Limits of a hook.
const (
	hookTime      = 10 * time.Second
	maxHookOutput = 64 << 10
	maxHookError  = 1 << 10
	hookDelay     = time.Second // for its pipes to close once it is dead
)

// NewHooks checks the hooks' configuration and tells all that is wrong with it.
func NewHooks(o HookOptions) (*Hooks, error) {
	var errs []error
	o.Hooks = slices.Clone(o.Hooks)
	for i := range o.Hooks {
		h := &o.Hooks[i]
		if len(h.Command) == 0 || h.Command[0] == "" {
			errs = append(errs, fmt.Errorf("hook %d: there is no command", i+1))
			continue
		}
		if h.Name == "" {
			h.Name = h.Command[0]
		}
		if h.Timeout <= 0 {
			h.Timeout = hookTime
		}
		if _, err := exec.LookPath(h.Command[0]); err != nil {
			errs = append(errs, fmt.Errorf("hook %s: %w", h.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Hooks{o}, nil
}

// HookInput is what a hook gets about a call.
type HookInput struct {
	SessionID   string `json:"sessionId"`
	TurnID      string `json:"turnId"`
	ToolCallID  string `json:"toolCallId"`
	ProjectRoot string `json:"projectRoot"`
	Persona     string `json:"persona"`
	Agent       string `json:"agent"`
	Mode        Mode   `json:"mode"`
	Effect      Effect `json:"effect"`
	// Input is the call's input, redacted.
	Input json.RawMessage `json:"input,omitempty"`
}

// HookVerdict is what a hook says of a call.
type HookVerdict string

// The verdicts; the empty one leaves the decision to the policy.
const (
	HookAllow HookVerdict = "allow"
	HookDeny  HookVerdict = "deny"
	HookAsk   HookVerdict = "ask"
)

// HookAnswer is what a hook says, or what all of them say together.
type HookAnswer struct {
	Verdict HookVerdict `json:"verdict"`
	// Note is for the person and the model; the notes of all hooks are joined.
	Note string `json:"note,omitempty"`
	// Hook is the name of the hook whose verdict it is.
	Hook string `json:"-"`
}

// sentence is a reason with the note.
func (a HookAnswer) sentence(reason string) string {
	if a.Note == "" {
		return reason
	}
	return reason + ": " + a.Note
}

// weight orders the verdicts: the heaviest of several counts.
func (v HookVerdict) weight() int {
	return slices.Index([]HookVerdict{"", HookAllow, HookAsk, HookDeny}, v)
}

// Before asks the hooks that a call concerns. A denial ends the round; of other
// verdicts asking weighs more than allowing. A hook that fails in any way, takes
// too long, or says something else than it should, denies: the answer is then a
// denial beside the error.
func (h *Hooks) Before(ctx context.Context, in HookInput) (HookAnswer, error) {
	var all HookAnswer
	if h == nil {
		return all, nil
	}
	var notes []string
	for _, hook := range h.o.Hooks {
		if !hook.concerns(in.Effect) {
			continue
		}
		a, err := h.ask(ctx, hook, in)
		if err != nil {
			return HookAnswer{Verdict: HookDeny, Note: "the hook " + hook.Name + " failed: " + clip(brief(err), maxNote), Hook: hook.Name},
				fmt.Errorf("hook %s: %w", hook.Name, err)
		}
		if a.Note != "" {
			notes = append(notes, a.Note)
		}
		if a.Verdict.weight() > all.Verdict.weight() {
			all.Verdict, all.Hook = a.Verdict, hook.Name
		}
		if all.Verdict == HookDeny {
			break
		}
	}
	all.Note = clip(strings.Join(notes, "; "), maxNote)
	return all, nil
}

// Concern reports whether a hook is to be asked about such a call.
func (h *Hooks) Concern(e Effect) bool {
	return h != nil && slices.ContainsFunc(h.o.Hooks, func(hook Hook) bool { return hook.concerns(e) })
}

func (h Hook) concerns(e Effect) bool {
	return len(h.Calls) == 0 || slices.ContainsFunc(h.Calls, func(r Rule) bool { return r.denies(e) != none })
}

// ask runs one hook. The program and all that it started are dead when it
// returns, as far as they stayed in its process group.
func (h *Hooks) ask(ctx context.Context, hook Hook, in HookInput) (HookAnswer, error) {
	input, err := encode(in)
	if err != nil {
		return HookAnswer{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hook.Timeout, fmt.Errorf("it took longer than %s", quantity.Duration(hook.Timeout)))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tooMuch := fmt.Errorf("it said more than %d bytes", maxHookOutput)
	out, errs := &capped{limit: maxHookOutput, full: func() { stop(tooMuch) }}, &capped{limit: maxHookError}
	cmd := exec.CommandContext(ctx, hook.Command[0], hook.Command[1:]...)
	cmd.Dir, cmd.Env = h.o.Dir, append([]string{}, h.o.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), out, errs
	cmd.WaitDelay = hookDelay
	processgroup.Set(cmd)
	cmd.Cancel = func() error { return processgroup.Kill(cmd) }
	err = cmd.Run()
	_ = processgroup.Kill(cmd) // what it left running; nothing is the usual answer
	switch {
	case ctx.Err() != nil:
		return HookAnswer{}, context.Cause(ctx) // it was ended, whatever it said
	case errors.Is(err, exec.ErrWaitDelay):
		return HookAnswer{}, errors.New("something that it started holds its output open")
	case err != nil:
		return HookAnswer{}, &hookExit{err, strings.TrimSpace(errs.b.String())}
	}
	return answerOf(bytes.TrimSpace(out.b.Bytes()))
}

// answerOf reads what a hook printed.
func answerOf(text []byte) (a HookAnswer, err error) {
	switch {
	case len(text) == 0:
		err = errors.New("it is empty")
	case text[0] != '{': // null would be no opinion
		err = errors.New("it is no JSON object")
	default:
		err = decode(text, &a)
	}
	if err != nil {
		return HookAnswer{}, fmt.Errorf("its answer is not what it should be: %w", err)
	}
	if a.Verdict.weight() < 0 {
		return HookAnswer{}, fmt.Errorf("its verdict %q is none of allow, deny, ask and the empty one", clip(string(a.Verdict), 40))
	}
	if !plain(a.Note, "\n\t") {
		return HookAnswer{}, errors.New("its note holds control characters")
	}
	a.Note = clip(strings.TrimSpace(a.Note), maxNote)
	return a, nil
}
