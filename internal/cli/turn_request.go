package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"belay/internal/blank"
	"belay/internal/chat"
	"belay/internal/quantity"
	"belay/internal/turn"
)

// readRequest is what the command line asks for, without its session and with the
// attachments as they were written. The error has everything that is wrong with it.
func readRequest(c *console, cmd *cobra.Command, args []string, f *turnFlags) (turn.Request, error) {
	r := turn.Request{SessionID: f.session, Attachments: f.attach, Allow: f.allow}
	given := cmd.Flags().Changed
	var errs []error
	if given("session") && given("project") {
		errs = append(errs, failed(ExitUsage, "leave --project out", errors.New("--session and --project exclude each other: a session has its project")))
	}
	var err error
	r.Opts, err = turnOptions(c, cmd, &f.optionFlags, f.server)
	errs = append(errs, err)
	r.Opts.OnQuestion = questionPolicy(c, f.wait)
	if f.compact {
		r.Opts.Compact = true
		if f.session == "" {
			errs = append(errs, usageHint("name the session with --session; belay session list shows them", "--compact summarises a session, and none is named"))
		}
		if len(f.attach) > 0 {
			errs = append(errs, usageHint("attach files to the next message", "--compact takes no attachments"))
		}
	}
	if len(args) == 0 && f.compact {
		r.Message = chat.CompactWish
		return r, errors.Join(errs...)
	}
	if len(args) == 0 {
		errs = append(errs, sendable(r, "there is nothing to send", `give a message: belay turn "…", or - to read it from stdin`))
		return r, errors.Join(errs...)
	}
	r.Message, err = readMessage(c, args[0])
	switch {
	case err != nil:
		errs = append(errs, err)
	case args[0] != "-":
		errs = append(errs, sendable(r, "the message is empty", `say what the agent should do: belay turn "…"`))
	default:
		errs = append(errs, sendable(r, "there was no message on stdin", `write the message to it, as in: echo "…" | belay turn -`))
	}
	return r, errors.Join(errs...)
}

// readMessage is the argument, or what stdin has for "-".
func readMessage(c *console, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	message, err := io.ReadAll(io.LimitReader(c.in, maxStdin+1))
	if err != nil {
		return "", fmt.Errorf("read the message from stdin: %w", err)
	}
	if len(message) > maxStdin {
		return "", failed(ExitUsage, "attach long text as a file", fmt.Errorf("the message on stdin is larger than %s", quantity.Size(maxStdin)))
	}
	return plainText("the message on stdin", message)
}

// sendable refuses a turn with neither words nor files.
func sendable(r turn.Request, why, hint string) error {
	if !blank.Is(r.Message) || len(r.Attachments) > 0 {
		return nil
	}
	return failed(ExitUsage, hint, errors.New(why))
}

// maxStdin bounds what is read of a message; the engine's own limit is lower.
const maxStdin = 64 << 20
