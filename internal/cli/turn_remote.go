package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/attachment"
	"belay/internal/client"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/netguard"
	"belay/internal/turn"
)

// turnRemote runs the turn on a server. On this machine the server reads the
// same files; on another one the project is the server's and the attachments are
// uploaded.
func turnRemote(c *console, cmd *cobra.Command, cfg *config.Config, f *turnFlags, r turn.Request, wrong *problems) error {
	wrong.add(serversOwn(cmd))
	e, err := c.dial(cfg, f.server)
	if err != nil {
		wrong.add(err)
		return wrong.err()
	}
	project, err := remoteProject(cmd, cfg, f.server, r.SessionID)
	wrong.add(err)
	return sendTurn(cmd.Context(), c, cfg, e, project, r, f, wrong)
}

// serversOwn refuses flags that only the server can have.
func serversOwn(cmd *cobra.Command) error {
	var errs []error
	for _, name := range []string{"provider", "instructions"} {
		if cmd.Flags().Changed(name) {
			errs = append(errs, usageHint("start the server with it: belay serve --"+name, "--%s is the server's to choose", name))
		}
	}
	return errors.Join(errs...)
}

// remoteProject is the project of a new session on a server, "" where the session
// says it. On another machine it is as written: this machine's idea of an absolute
// path is not the server's.
func remoteProject(cmd *cobra.Command, cfg *config.Config, server, session string) (string, error) {
	switch project := cmd.Flag("project").Value.String(); {
	case session != "":
		return "", nil
	case local(server):
		return projectDir(cfg)
	case project == "":
		return "", usageHint("name it with --project, or a session with --session", "the project folder on the server is not known")
	default:
		return project, nil
	}
}

// absolute makes paths of this machine absolute. Addresses stay as they are.
func absolute(paths []string) ([]string, error) {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		if isAddress(p) {
			out = append(out, p)
			continue
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, usage("%s: %v", p, err)
		}
		out = append(out, abs)
	}
	return out, nil
}

// upload brings a file of this machine to the server and returns the path that
// it has there. The server checks it as it checks every attachment.
func upload(ctx context.Context, e turn.Engine, where turn.Upload, path string) (string, error) {
	f, _, err := durable.OpenRegular(nil, path) // a pipe would be waited for
	if err != nil {
		return "", notUploaded(path, err)
	}
	defer f.Close() // it was only read
	where.Name, where.Content = filepath.Base(path), f
	return store(ctx, e, where)
}

// notUploaded says why a file of this machine cannot be sent, in the words of the
// engine where that sees the file itself.
func notUploaded(path string, err error) error {
	f := turn.Inspection{Code: attachment.NotReadable, Reason: "the file cannot be read: " + path}
	switch info, statErr := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		f.Code, f.Reason = attachment.NotFound, "file not found: "+path
	case statErr == nil && info.IsDir():
		f.Code, f.Reason = attachment.NotRegular, "it is a folder; attach the files in it: "+path
	case errors.Is(err, durable.ErrNotRegular):
		f.Code, f.Reason = attachment.NotRegular, "it is not a regular file: "+path
	case errors.Is(err, fs.ErrPermission):
		f.Reason = "the file is not readable (permission denied): " + path
	}
	return refusedFile(path, f)
}

// dial returns a client of the server at address, with the token that opens it:
// that of --token-file, or the operator's where the server is this user's own.
func (c *console) dial(cfg *config.Config, address string) (*client.Client, error) {
	return c.dialWith(cfg, address, client.Options{})
}

func (c *console) dialWith(cfg *config.Config, address string, o client.Options) (_ *client.Client, err error) {
	if o.Token, err = tokenFor(cfg, address); err != nil {
		return nil, err
	}
	return client.New(address, o)
}

func tokenFor(cfg *config.Config, address string) (string, error) {
	if cfg.TokenFile != "" {
		return readToken(cfg.TokenFile)
	}
	servers, err := app.Servers(cfg.Paths.StateDir)
	if err != nil {
		return "", err
	}
	for _, s := range servers {
		if s.URL == strings.TrimSuffix(address, "/") {
			return app.OperatorToken(cfg.Paths.StateDir)
		}
	}
	return "", nil
}

// maxTokenFile bounds what is read of a token.
const maxTokenFile = 4 << 10

func readToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", failed(ExitUsage, "check the path given with --token-file", fmt.Errorf("token file: %w", err))
	}
	defer f.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxTokenFile+1))
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	text, err := plainText("token file "+path, data)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(text)
	if token == "" || len(data) > maxTokenFile || strings.ContainsAny(token, "\r\n") {
		return "", failed(ExitUsage, "put the server's token in it, in one line", fmt.Errorf("token file %s holds no token", path))
	}
	return token, nil
}

// local reports whether a server's address is of this machine, which then sees
// the same files.
func local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && netguard.IsLoopback(u.Hostname())
}
