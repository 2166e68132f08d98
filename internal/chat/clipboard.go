package chat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/durable"
	"belay/internal/quantity"
)

// Limits of an image from the clipboard.
const (
	maxClipboard      = 32 << 20
	clipboardPatience = 5 * time.Second
)

// clipboard has the images that were taken from the clipboard, in files that live as long
// as the chat.
type clipboard struct {
	folder *durable.Temp
	taken  int
	// patience is how long the program may take, 0 for clipboardPatience.
	patience time.Duration
}

// clipped is an image from the clipboard, or why there is none.
type clipped struct {
	data []byte
	err  error
}

// pngSignature begins each PNG.
var pngSignature = []byte("\x89PNG\r\n\x1a\n")

// errNoTool is said where nothing on the machine can read an image from the clipboard.
var errNoTool = errors.New("no program reads images from the clipboard here: install wl-clipboard (Wayland), xclip (X11) or pngpaste (macOS); or save the image and write @ and its path")

// clipboardCommand is the program that writes the clipboard's image to its output.
func clipboardCommand(env []string) ([]string, error) {
	has := func(name string) bool {
		for _, one := range env {
			if value, ok := strings.CutPrefix(one, name+"="); ok && value != "" {
				return true
			}
		}
		return false
	}
	var ways [][]string
	if has("WAYLAND_DISPLAY") {
		ways = append(ways, []string{"wl-paste", "--no-newline", "--type", "image/png"})
	}
	if has("DISPLAY") {
		ways = append(ways, []string{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"})
	}
	if runtime.GOOS == "darwin" {
		ways = append(ways, []string{"pngpaste", "-"})
	}
	for _, way := range ways {
		if _, err := exec.LookPath(way[0]); err == nil {
			return way, nil
		}
	}
	return nil, errNoTool
}

// pasteImage takes the image on the clipboard, to send it with the next message.
func pasteImage(m *Model) tea.Cmd {
	argv, err := clipboardCommand(m.o.Env)
	if err != nil {
		m.conversation.notify(noticeWarning, err.Error())
		return nil
	}
	env, patience := m.o.Env, cmp.Or(m.clipboard.patience, clipboardPatience)
	return m.calls.run(func(ctx context.Context) tea.Msg {
		data, err := clipboardImage(ctx, argv, env, patience)
		return clipped{data, err}
	})
}

// clipboardImage runs the program and reads its image.
func clipboardImage(ctx context.Context, argv, env []string, patience time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // one of a few programs
	cmd.Env, cmd.WaitDelay = env, time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("the clipboard cannot be read: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the clipboard cannot be read: %w", err)
	}
	data, rerr := io.ReadAll(io.LimitReader(out, maxClipboard+1))
	if len(data) > maxClipboard {
		_ = cmd.Process.Kill()
	}
	werr := cmd.Wait()
	switch {
	case len(data) > maxClipboard:
		return nil, fmt.Errorf("the image on the clipboard is larger than %s; save it in a file and send that", quantity.Size(maxClipboard))
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not answer in %s", argv[0], quantity.Duration(patience))
	case rerr != nil:
		return nil, fmt.Errorf("the clipboard cannot be read: %w", rerr)
	case werr != nil || !bytes.HasPrefix(data, pngSignature):
		return nil, errors.New("there is no image on the clipboard; the terminal pastes text with its own key, often Ctrl-Shift-V")
	}
	return data, nil
}

// taken puts the image into a file and attaches that.
func (msg clipped) taken(m *Model) tea.Cmd {
	err := msg.err
	path := ""
	if err == nil {
		path, err = m.clipboard.keep(msg.data)
	}
	if err != nil {
		m.conversation.notify(noticeWarning, err.Error())
		return nil
	}
	return attachFile(m, path)
}

// keep writes an image to a file of its own.
func (c *clipboard) keep(data []byte) (path string, err error) {
	if c.folder == nil {
		if c.folder, err = durable.TempDir(os.TempDir(), "belay-clipboard-"); err != nil {
			return "", fmt.Errorf("the image cannot be kept: %w", err)
		}
	}
	c.taken++
	path = filepath.Join(c.folder.Path, fmt.Sprintf("clipboard-%d.png", c.taken))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("the image cannot be kept: %w", err)
	}
	return path, nil
}

// close removes the files.
func (c *clipboard) close() error {
	if c.folder == nil {
		return nil
	}
	return c.folder.Close()
}
