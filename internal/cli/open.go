package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/client"
	"belay/internal/config"
)

func newOpen(c *console) *cobra.Command {
	var (
		server string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Print a fresh one-time link to the page of a running server",
		Long: `Print a one-time link to the page of a server that this user runs here. It opens the
page once, within five minutes, and carries the operator's authority: give it to
nobody else. On the page you talk with agents and answer their questions.`,
		Example: "  belay open\n  xdg-open \"$(belay open)\"\n  belay open --server http://127.0.0.1:23529",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&server, "server", "", "the server at `URL` (default: the one that runs)")
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		url, err := pick(cfg, strings.TrimSuffix(server, "/"))
		if err != nil {
			return err
		}
		token, err := app.OperatorToken(cfg.Paths.StateDir)
		if err != nil {
			return err
		}
		cl, err := client.New(url, client.Options{Token: token})
		if err != nil {
			return err
		}
		link, expires, err := cl.Link(cmd.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return c.writeJSON(map[string]any{"url": link, "expiresAt": expires})
		}
		c.write(line(link) + "\n")
		return nil
	}
	return cmd
}

// pick chooses among this user's running servers. The operator's token is sent
// to no other.
func pick(cfg *config.Config, asked string) (string, error) {
	servers, err := app.Servers(cfg.Paths.StateDir)
	if err != nil {
		return "", err
	}
	urls := make([]string, 0, len(servers))
	for _, s := range servers {
		if s.URL == asked {
			return asked, nil
		}
		urls = append(urls, s.URL)
	}
	switch {
	case len(urls) == 0 && asked != "":
		return "", failed(ExitNotFound, "none is running; start one with belay serve", fmt.Errorf("no server of yours runs at %s", asked))
	case len(urls) == 0:
		return "", failed(ExitNotFound, "start one with belay serve", errors.New("no server of yours is running"))
	case asked != "":
		return "", failed(ExitNotFound, "running are: "+strings.Join(urls, ", "), fmt.Errorf("no server of yours runs at %s", asked))
	case len(urls) > 1:
		return "", failed(ExitUsage, "choose one with --server: "+strings.Join(urls, ", "), fmt.Errorf("%d servers are running", len(urls)))
	}
	return urls[0], nil
}
