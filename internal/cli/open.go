package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/client"
	"belay/internal/config"
	"belay/internal/processgroup"
)

func newOpen(c *console) *cobra.Command {
	var (
		server, at string
		phone      bool
	)
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Print a fresh one-time link to the page of a running server",
		Long: `Print a one-time link to the page of a server that this user runs here. It opens the
page once, within five minutes, and carries the operator's authority: give it to
nobody else. On the page you talk with agents and answer their questions.

With --phone the link is one for a phone on the same network, and a QR code of it.
The server must listen on more than this machine: belay serve --addr 0.0.0.0:23529
with a --token-file. The connection is not encrypted unless a proxy with TLS stands
before the server; name its address with --at. The server must know that name:
server.allowed_hosts.`,
		Example: "  belay open\n  xdg-open \"$(belay open)\"\n  belay open --server http://127.0.0.1:23529\n  belay open --phone\n  belay open --phone --at https://belay.example.com",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&server, "server", "", "the server at `URL` (default: the one that runs)")
	cmd.Flags().BoolVar(&phone, "phone", false, "show a QR code for a phone on the same network")
	cmd.Flags().StringVar(&at, "at", "", "with --phone: the `HOST` or address by which the phone reaches the server")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if at != "" && !phone {
			return failed(ExitUsage, "add --phone, or leave out --at", errors.New("--at goes with --phone"))
		}
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		found, err := pick(cfg, strings.TrimSuffix(server, "/"))
		if err != nil {
			return err
		}
		base, others := "", []string(nil)
		if phone {
			addrs, err := net.InterfaceAddrs()
			if err != nil {
				return fmt.Errorf("look for addresses of this machine: %w", err)
			}
			if base, others, err = phoneBase(found, at, ownAddresses(addrs)); err != nil {
				return err
			}
		}
		if at != "" {
			if err := warnOfHost(cmd.Context(), c, found.URL, base); err != nil {
				return err
			}
		}
		link, expires, err := freshLink(cmd.Context(), cfg, found.URL)
		if err != nil {
			return err
		}
		if phone {
			_, code, _ := strings.Cut(link, "/#")
			link = base + "/#" + code
		}
		if c.json {
			return c.writeJSON(map[string]any{"url": link, "expiresAt": expires})
		}
		if phone {
			if err := drawLink(c, link, others); err != nil {
				return err
			}
		}
		c.write(line(link) + "\n")
		return nil
	}
	return cmd
}

// warnOfHost says before a link is shown that the server will refuse it. It is no error,
// because a proxy may send the requests on to another name.
func warnOfHost(ctx context.Context, c *console, server, base string) error {
	ok, err := answersFor(ctx, server, base)
	if err != nil || ok {
		return err
	}
	_, host, _ := strings.Cut(base, "://")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	c.warn("the server refuses requests to " + line(host) + ", because its server.allowed_hosts lacks that host")
	c.note("next", "start it with BELAY_SERVER_ALLOWED_HOSTS="+line(host)+", or name the host in server.allowed_hosts of its config.yaml, and restart it")
	return nil
}

// freshLink gets a fresh link from a server.
func freshLink(ctx context.Context, cfg *config.Config, url string) (string, time.Time, error) {
	cl, err := asOperator(cfg, url)
	if err != nil {
		return "", time.Time{}, err
	}
	return cl.Link(ctx)
}

// asOperator asks a server of this user with the operator's authority.
func asOperator(cfg *config.Config, url string) (*client.Client, error) {
	token, err := app.OperatorToken(cfg.Paths.StateDir)
	if err != nil {
		return nil, err
	}
	return client.New(url, client.Options{Token: token})
}

// drawLink shows the QR code of a link, and what to know about it.
func drawLink(c *console, link string, others []string) error {
	lines, err := qrLines(link, c.outColour)
	if err != nil {
		return err
	}
	if most := utf8.RuneCountInString(ansi.Strip(lines[0])); c.width > 0 && c.width < most {
		c.warn(fmt.Sprintf("the QR code needs %d columns, and there are %d; open the link below", most, c.width))
	} else {
		c.write(strings.Join(lines, "\n") + "\n")
	}
	if strings.HasPrefix(link, "http:") {
		c.warn("the connection is not encrypted: use it in a network that you trust")
	}
	if len(others) > 0 {
		c.note("addresses", "the machine also has "+strings.Join(others, ", ")+"; name one of them with --at if the phone does not reach it")
	}
	return nil
}

// pick chooses among this user's running servers. The operator's token is sent
// to no other.
func pick(cfg *config.Config, asked string) (app.Server, error) {
	servers, err := app.Servers(cfg.Paths.StateDir)
	if err != nil {
		return app.Server{}, err
	}
	urls := make([]string, 0, len(servers))
	for _, s := range servers {
		if s.URL == asked {
			return s, nil
		}
		urls = append(urls, s.URL)
	}
	switch {
	case len(urls) == 0 && asked != "":
		return app.Server{}, failed(ExitNotFound, "none is running; start one with belay serve", fmt.Errorf("no server of yours runs at %s", asked))
	case len(urls) == 0:
		return app.Server{}, failed(ExitNotFound, "start one with belay serve", errors.New("no server of yours is running"))
	case asked != "":
		return app.Server{}, failed(ExitNotFound, "running are: "+strings.Join(urls, ", "), fmt.Errorf("no server of yours runs at %s", asked))
	case len(urls) > 1:
		return app.Server{}, failed(ExitUsage, "choose one with --server: "+strings.Join(urls, ", "), fmt.Errorf("%d servers are running", len(urls)))
	}
	return servers[0], nil
}

// openBrowser opens an address in the person's browser, if this machine can show one. The
// address was printed before, so a failure is only a warning.
func openBrowser(ctx context.Context, c *console, address string) {
	command := browserCommand(runtime.GOOS, c.env)
	if command == nil {
		return
	}
	var environ []string
	for name, value := range c.env {
		environ = append(environ, name+"="+value)
	}
	ctx = context.WithoutCancel(ctx) // the browser is the person's, and outlives belay
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], address)...)
	cmd.Env = app.PersonEnv(environ) // without belay's keys
	processgroup.Set(cmd)            // Ctrl-C at the terminal is not for the browser
	if err := cmd.Start(); err != nil {
		c.warn("no browser was opened: " + err.Error())
		return
	}
	_ = cmd.Process.Release() // nobody waits for it
}

// browserCommand is the program that opens an address in a browser, nil where there is no
// screen to show it on.
func browserCommand(system string, env map[string]string) []string {
	remote := env["SSH_CONNECTION"] != ""
	switch {
	case system == "windows" && !remote:
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case system == "darwin" && !remote:
		return []string{"open"}
	case system == "windows", system == "darwin", env["DISPLAY"] == "" && env["WAYLAND_DISPLAY"] == "":
		return nil
	}
	return []string{"xdg-open"}
}
