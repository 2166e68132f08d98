package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"belay/internal/api"
	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/plainjson"
	"belay/internal/quantity"
)

func newServe(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP interface and the page",
		Long: `Serve the HTTP interface and the page until Ctrl-C or SIGTERM. Running turns then have
server.shutdown_grace to end. The next server resumes turns that wait for a person; their
questions stay open.

On a full disk the server starts without the parts that it cannot write, such as the bus,
so that you can remove sessions through it. stderr and /readyz name these parts.

When the server answers, it prints its address on stdout; with port 0 the system chooses a
free port. It prints a one-time link to the page on stderr; belay open makes another one.
On an address that other machines can reach, callers need the token in --token-file.

Under systemd the server says when it is ready and when it stops, and takes the socket of a
socket unit in the place of --addr.`,
		Example: `  belay serve
  belay serve --addr 127.0.0.1:0 --project ~/projects/bridge
  belay serve --addr 0.0.0.0:23529 --token-file ~/.config/belay/token`,
		Args: cobra.NoArgs,
	}
	setting(cmd, "addr", "addr", "listen on `HOST:PORT`")
	setting(cmd, "project", "project", "the project `DIR` that the page opens first")
	setting(cmd, "provider", "provider", "answer with `NAME`: scripted, anthropic or openai")
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	setting(cmd, "token-file", "token_file", "require the bearer token in `FILE`")
	switching(cmd, "unauthenticated-transitions", "workspace.open_transitions", "let callers without a token move deliverables to CHECKING and ISSUED")
	switching(cmd, "trust-loopback", "trust_loopback", "let every user of this machine in, on a loopback address")
	setting(cmd, "log-format", "telemetry.log_format", "write log lines on stderr as `FORMAT`: text or json")
	setting(cmd, "log-level", "telemetry.log_level", "write log lines from `LEVEL` on: debug, info, warn or error")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the line on stdout as JSON, with what the server goes without")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return serveHTTP(c, cmd) }
	return cmd
}

// listening is the line on stdout, as JSON.
type listening struct {
	URL     string        `json:"url"`
	Missing []api.Missing `json:"missing,omitempty"`
}

func serveHTTP(c *console, cmd *cobra.Command) error {
	cfg, err := c.load(cmd)
	if err != nil {
		return err
	}
	c.warnOfSettings(cfg)
	for _, w := range []string{app.ScriptedWithKey(cfg), app.OpenGates(cfg)} {
		if w != "" {
			c.warn(w)
		}
	}
	ln, err := inheritedListener()
	if err != nil {
		return err
	}
	if ln != nil {
		defer func() { _ = ln.Close() }() // Serve has closed it, unless it never began
		cfg.Addr = ln.Addr().String()
	}
	return c.within(cmd, cfg, app.NewLogger(c.err, cfg), func(ctx context.Context, a *app.App) error {
		if err := a.Ready(); err != nil {
			c.warn("no turn can be taken yet: " + fault.From(err).Message)
		}
		defer tellStopping(ctx)()
		return a.Serve(ctx, app.ServeOptions{Listener: ln, Listening: func(url, link string, without []api.Missing) error {
			line := "listening on " + url
			if c.json {
				data, err := plainjson.Marshal(listening{url, without})
				if err != nil {
					return err
				}
				line = string(data)
			}
			c.write(line + "\n")
			if err := c.out.lost(); err != nil {
				return failed(ExitFailed, "give stdout a reader or a file: the line on it says where the server is",
					fmt.Errorf("it could not be written where the server listens: %w", err))
			}
			for _, m := range without {
				c.warn(fmt.Sprintf("the server goes without its %s (%s): %s", m.Part, m.Reason, m.Effect))
			}
			tellManager(daemon.SdNotifyReady)
			if link != "" {
				c.note("open", link+" (once, within five minutes; belay open makes a fresh link)")
			}
			return nil
		}, Draining: func(turns int, grace time.Duration) {
			c.warn(fmt.Sprintf("%s may finish within %v; Ctrl-C again leaves at once", quantity.Count(turns, "turn", "turns"), grace))
		}, Resumed: func(turns int) {
			c.note("resumed", waitingTurns(turns)+" when the process ended, and goes on here; belay decision list shows the open questions")
		}, Discord: channelSetup(c), Left: func(turns int) {
			c.note("left", waitingTurns(turns)+" and is left to the next belay serve; belay decision list shows the open questions")
		}})
	})
}

// waitingTurns begins a sentence about turns that a server leaves or takes up.
func waitingTurns(n int) string {
	if n == 1 {
		return "1 turn waited for a person"
	}
	return fmt.Sprintf("each of %d turns waited for a person", n)
}

// inheritedListener is the socket that systemd opened for this process (sd_listen_fds(3)),
// nil where there is none. The caller closes it.
func inheritedListener() (net.Listener, error) {
	all, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("take the socket of the service: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	_, isTCP := all[0].(*net.TCPListener)
	if len(all) == 1 && isTCP {
		return all[0], nil
	}
	for _, l := range all {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return nil, errors.Join(err, failed(ExitUsage, "give the unit one ListenStream=HOST:PORT", errors.New("belay serve takes one TCP socket of the service manager")))
}

// tellManager tells systemd about the server's state (sd_notify(3)). Where no systemd
// asked for that, it does nothing; where telling fails, systemd itself notices.
func tellManager(state string) { _, _ = daemon.SdNotify(false, state) }

// tellStopping tells systemd that the server stops: when ctx is done, or when done is called.
// The call of done returns after systemd has the notice.
func tellStopping(ctx context.Context) (done func()) {
	tell := sync.OnceFunc(func() { tellManager(daemon.SdNotifyStopping) })
	stop := context.AfterFunc(ctx, tell)
	return func() {
		stop()
		tell() // the goroutine of AfterFunc may not have begun, and the process ends
	}
}
