package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/client"
	"belay/internal/fault"
)

func newDevices(c *console) *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the browsers that have your authority",
		Long: `List the browsers that opened a link of belay open and may do on the page what you may,
the one used last first. Devices are those of a server that you run here; all servers of
yours share them.

With belay devices remove ID a browser loses the authority at once.`,
		Example: "  belay devices\n  belay devices --json | jq -r '.devices[].id'\n  belay devices remove dev_c3x9k2m4q7",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&server, "server", "", "the server at `URL` (default: the one that runs)")
	part := listFlags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		devices, err := devicesOf(c, cmd, server)
		if err != nil {
			return err
		}
		all, err := devices.List(cmd.Context())
		if err != nil {
			return err
		}
		all, left, err := pageOf(part, all, func(d client.Device) string { return d.ID })
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(struct {
				Devices []client.Device `json:"devices"`
				rest
			}{orEmpty(all), left})
		}
		defer left.tell(c)
		t := &table{heads: []string{"DEVICE", "BROWSER", "SINCE", "USED", "UNTIL"}}
		for _, d := range all {
			t.add(line(d.ID), line(d.Label), when(d.CreatedAt), when(d.LastSeenAt), when(d.ExpiresAt))
		}
		c.print(t, "no browser has your authority; belay open makes a link for one")
		return nil
	}
	cmd.AddCommand(newDevicesRemove(c))
	return cmd
}

func newDevicesRemove(c *console) *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:     "remove DEVICE…",
		Aliases: []string{"rm"},
		Short:   "Take your authority from browsers",
		Long: `Take your authority from browsers. Their pages stop at once, and ask for a fresh link of
belay open.`,
		Example: "  belay devices remove dev_c3x9k2m4q7",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().StringVar(&server, "server", "", "the server at `URL` (default: the one that runs)")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		devices, err := devicesOf(c, cmd, server)
		if err != nil {
			return err
		}
		var errs []error
		removed := []string{}
		for _, id := range args {
			switch err := devices.Remove(cmd.Context(), id); {
			case fault.Is(err, fault.NotFound):
				errs = append(errs, failed(ExitNotFound, "belay devices lists them", errors.New("there is no device "+line(id))))
			case err != nil:
				errs = append(errs, err)
			default:
				if removed = append(removed, id); !c.json {
					c.note("removed", line(id))
				}
			}
		}
		if c.json {
			errs = append(errs, c.writeJSON(map[string]any{"removed": removed}))
		}
		return errors.Join(errs...)
	}
	return cmd
}

// devicesOf is the list of a server of this user.
func devicesOf(c *console, cmd *cobra.Command, server string) (client.Devices, error) {
	cfg, err := c.load(cmd)
	if err != nil {
		return client.Devices{}, err
	}
	found, err := pick(cfg, strings.TrimSuffix(server, "/"))
	if err != nil {
		return client.Devices{}, err
	}
	cl, err := asOperator(cfg, found.URL)
	if err != nil {
		return client.Devices{}, err
	}
	return client.DevicesOf(cl), nil
}
