package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

func newSessionSteer(c *console) *cobra.Command {
	var followUp, skipRefused bool
	var attach []string
	cmd := &cobra.Command{
		Use:   "steer SESSION [MESSAGE | -]",
		Short: "Send a message to the running turn of a session",
		Long: `Send a message to the running turn of a session, in whichever process of this user it
runs. The agent reads it after the current tool calls, or after its answer with
--follow-up. "-" reads the message from stdin.`,
		Example: "  belay session steer sess_2f4c8e0a \"Leave the tests alone\"\n  belay session steer sess_2f4c8e0a --follow-up \"Then write the changelog\"\n  belay session steer sess_2f4c8e0a --attach plan.pdf \"Follow this plan\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return needsSession(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&followUp, "follow-up", false, "after the answer, not at the next tool boundary")
	cmd.Flags().StringArrayVar(&attach, "attach", nil, "attach the file at `PATH`; may be repeated")
	cmd.Flags().BoolVar(&skipRefused, "skip-refused", false, skipRefusedDoc)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r := turn.SteerRequest{Mode: session.Steer}
		if followUp {
			r.Mode = session.FollowUp
		}
		var err error
		if len(args) == 2 {
			if r.Message, err = readMessage(c, args[1]); err != nil {
				return err
			}
		}
		if err := attachable(attach); err != nil {
			return err
		}
		if err := sendable(turn.Request{Message: r.Message, Attachments: attach}, "there is nothing to say", `give a message: belay session steer `+args[0]+` "…"`); err != nil {
			return err
		}
		return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
			r.SessionID = id
			var wrong problems
			for _, f := range attachFiles(ctx, c, a.Config, a.Engine, attaching{where: target(id, ""), files: attach, skip: skipRefused, warn: true}, &wrong) {
				r.Attachments = append(r.Attachments, f.path)
			}
			if !wrong.none() {
				return wrong.err()
			}
			err := a.Engine.Steer(ctx, r)
			if fault.Is(err, fault.NoTurnInProgress) {
				return failed(ExitNotFound, `say it as a turn: belay turn --session `+id+` "…"`, errors.New("no turn runs in session "+id))
			}
			if err != nil {
				return err
			}
			return reportDone(c, onSession{SessionID: id, Done: "said"}, "said", "to the turn that runs in "+id)
		})
	}
	return cmd
}
