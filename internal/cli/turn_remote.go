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
	"belay/internal/client"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/netguard"
	"belay/internal/turn"
)

// turnRemote runs the turn on a server. On this machine the server reads the
// same files; on another one the project is the server's and the attachments are
// uploaded.
func (c *console) turnRemote(cmd *cobra.Command, cfg *config.Config, f *turnFlags, r turn.Request) error {
	for _, name := range []string{"provider", "instructions"} {
		if cmd.Flags().Changed(name) {
			return failed(ExitUsage, "start the server with it: belay serve --"+name, fmt.Errorf("--%s is the server's to choose", name))
		}
	}
	e, err := c.dial(cfg, f.server)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if r.SessionID, err = named(ctx, e, r.SessionID); err != nil {
		return err
	}
	if local(f.server) {
		project := ""
		if r.SessionID == "" {
			if project, err = projectDir(cfg); err != nil {
				return err
			}
		}
		if r.Attachments, err = absolute(r.Attachments); err != nil {
			return err
		}
		if r.Attachments, err = c.fetched(ctx, cfg, e, target(r.SessionID, project), r.Attachments); err != nil {
			return err
		}
		return c.take(ctx, e, project, r, f)
	}
	// As written: this machine's idea of an absolute path is not the server's.
	project := cmd.Flag("project").Value.String()
	if r.SessionID == "" && project == "" {
		return failed(ExitUsage, "name it with --project, or a session with --session",
			errors.New("the project folder on the server is not known"))
	}
	where, written := target(r.SessionID, project), r.Attachments
	if r.Attachments, err = c.fetched(ctx, cfg, e, where, written); err != nil {
		return err
	}
	for i, path := range written {
		if isAddress(path) {
			continue
		}
		if r.Attachments[i], err = upload(ctx, e, where, path); err != nil {
			return err
		}
		c.note("uploaded", path)
	}
	return c.take(ctx, e, project, r, f)
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
	up, err := e.Upload(ctx, where)
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", path, err)
	}
	return up.Path, nil
}

// notUploaded says why a file of this machine can not be sent.
func notUploaded(path string, err error) error {
	switch info, statErr := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return failed(ExitNotFound, "check the path given with --attach", fmt.Errorf("there is no file %s", path))
	case statErr == nil && info.IsDir():
		return failed(ExitUsage, "attach the files in it", fmt.Errorf("%s is a folder", path))
	case errors.Is(err, durable.ErrNotRegular):
		return failed(ExitUsage, "attach regular files", fmt.Errorf("%s is not a regular file", path))
	case errors.Is(err, fs.ErrPermission):
		return failed(ExitUsage, "check its permissions", fmt.Errorf("%s is not readable for you", path))
	}
	return failed(ExitFailed, "check the path given with --attach", fmt.Errorf("%s can not be read: %w", path, err))
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
