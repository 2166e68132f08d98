package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/attachment/download"
	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/plainjson"
	"belay/internal/turn"
)

// optionFlags are the flags that become the options of a turn, or of each turn of a
// chat.
type optionFlags struct {
	persona, mode, model, delegate string
	tools, allow                   []string
	maxTurns                       int
	maxCost                        float64
	timeout                        time.Duration
}

// register adds the flags to a command.
func (f *optionFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.persona, "persona", "", "speak to `NAME` (see belay persona list)")
	flags.StringVar(&f.mode, "mode", "", "permission mode `MODE`: direct, dontAsk, acceptEdits or plan")
	flags.StringVar(&f.model, "model", "", "use the model `NAME`")
	flags.StringSliceVar(&f.tools, "tools", nil, "allow only these tools, `A,B`; an empty list allows none")
	flags.IntVar(&f.maxTurns, "max-turns", 0, "stop after `N` model calls (each subagent has its own count)")
	flags.StringArrayVar(&f.allow, "allow", nil, "let calls that `RULE` covers run without asking, such as 'bash(go test *)'; may be repeated")
	flags.StringVar(&f.delegate, "delegate", "", "let the agent hand tasks to its subagents, as approved in `REF`")
	flags.Float64Var(&f.maxCost, "max-cost", 0, "stop before a turn costs more than `USD`")
	flags.DurationVar(&f.timeout, "timeout", 0, "end a turn after a `DURATION` such as 90s or 5m")
}

// turnOptions are the flags as a turn takes them; server is the server that runs it, ""
// for this process. What was not given stays unset.
func turnOptions(c *console, cmd *cobra.Command, f *optionFlags, server string) (turn.Opts, error) {
	o := turn.Opts{Persona: f.persona, Mode: f.mode, Model: f.model}
	given := cmd.Flags().Changed
	errs := []error{notBlank(cmd), knownMode(f.mode)}
	if given("token-file") && !given("server") {
		errs = append(errs, usageHint("name the server that is to answer", "--token-file goes with --server"))
	}
	if given("tools") {
		tools := append([]string{}, f.tools...)
		o.Tools = &tools
	}
	if given("max-turns") {
		o.MaxTurns = &f.maxTurns
	}
	if given("max-cost") {
		o.MaxCostUSD = &f.maxCost
	}
	if given("timeout") {
		ms := f.timeout.Milliseconds()
		if o.TimeoutMS = &ms; f.timeout < time.Millisecond {
			o.TimeoutMS = nil
			errs = append(errs, failed(ExitUsage, "write a time such as 90s or 5m", fmt.Errorf("--timeout %v is no time to work in", f.timeout)))
		}
	}
	if given("delegate") {
		var err error
		o.SubagentGovernance, err = readApproval(c, f.delegate)
		errs = append(errs, err)
	}
	return o, errors.Join(append(errs, o.Validate(), allowed(f.allow, server))...)
}

// asks reports whether this command puts questions to a person at its terminal.
func (c *console) asks() bool { return isTerminal(c.in) && c.errTerminal && !c.json }

// waitFlag adds --wait to a command.
func waitFlag(cmd *cobra.Command, wait *bool) {
	cmd.Flags().BoolVar(wait, "wait", false, "without a terminal, let calls that need a decision wait for belay decision")
}

// questionPolicy is the outcome of calls that a person must allow. They wait where
// somebody can be asked here, or where the caller says that somebody answers
// elsewhere.
func questionPolicy(c *console, wait bool) string {
	if wait || c.asks() {
		return turn.OnQuestionWait
	}
	return turn.OnQuestionRefuse
}

// unasked reports whether calls are refused because this command asks nobody, and
// would be asked about otherwise.
func unasked(onQuestion, mode string) bool {
	m := permit.ModeOf(mode)
	return onQuestion == turn.OnQuestionRefuse && m != permit.Plan && m != permit.DontAsk
}

// notPermitted says in a line which calls were not permitted, and below it what
// helps where nobody was asked. A nil count says nothing.
func notPermitted(c *console, calls *event.Calls, unasked bool) {
	if calls == nil {
		return
	}
	c.warn(calls.String())
	if unasked && calls.Refused > 0 {
		c.tell(c.paint(styleHint, "hint:"), c.typeable(refusedHint, len("hint: ")))
	}
}

const refusedHint = "nobody is asked here. Where a person could permit it, pass --wait and answer with belay decision, or permit such calls with --allow or --mode. belay changes list shows what commands changed that is not real yet"

// readApproval is what a person says by --delegate: this turn may delegate, and where
// that was approved (workspace 9.7).
func readApproval(c *console, ref string) (json.RawMessage, error) {
	if ref = strings.TrimSpace(ref); ref == "" {
		return nil, failed(ExitUsage, "name what it was approved in, such as a ticket or the minutes of a meeting", errors.New("--delegate is empty"))
	}
	return plainjson.Marshal(map[string]any{"contextSealed": true, "pipelineRunApproved": true, "approvalRef": ref, "approvedBy": c.person()})
}

// allowed checks the rules of --allow, all of them.
func allowed(rules []string, server string) error {
	if len(rules) == 0 {
		return nil
	}
	if server != "" {
		return failed(ExitUsage, "set permit.allow in the configuration of the server, or answer its questions with belay decision",
			errors.New("--allow does not go with --server: what a server permits is for its operator to say, not for who calls it"))
	}
	var wrong []string
	for _, text := range rules {
		if _, err := permit.ParseRule(text); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return failed(ExitUsage, "write rules like read, write(docs/**), 'bash(go test *)' or fetch(example.com)", fmt.Errorf("--allow: %s", strings.Join(wrong, "; ")))
}

// attachable refuses an address where a file is wanted.
func attachable(paths []string) error {
	for _, path := range paths {
		if isAddress(path) {
			return failed(ExitUsage, "download it first, for instance with curl -O, and attach the file",
				fmt.Errorf("what is said into a turn takes files, not addresses: %s", download.Clean(path)))
		}
	}
	return nil
}
