package chat

import (
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

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"belay/internal/blank"
	"belay/internal/durable"
	"belay/internal/quantity"
	"belay/internal/render"
)

// composed is what a person wrote in their own editor.
type composed struct {
	text string
	err  error
}

// compose opens the text in the person's own editor, which has the terminal until it
// ends. A running turn goes on meanwhile, and its events are shown afterwards.
func compose(m *Model) tea.Cmd {
	argv, err := editorCommand(m.o.Env)
	if err != nil {
		m.conversation.notify(noticeWarning, err.Error())
		return nil
	}
	c := &composing{ctx: m.calls.ctx, argv: argv, env: m.o.Env, lend: m.o.Lend, text: m.editor.pasted.whole(m.editor.text())}
	return tea.Exec(c, func(err error) tea.Msg { return composed{c.text, err} })
}

// taken takes the text over. An empty one, and a failed editor, leave the draft as it
// was.
func (msg composed) taken(m *Model) {
	switch {
	case msg.err != nil:
		m.conversation.notify(noticeWarning, msg.err.Error()+"; what you typed is as it was")
	case blank.Is(msg.text):
		m.conversation.notify(noticeInfo, "the editor left nothing; what you typed is as it was")
	default:
		m.editor.pasted = nil
		m.editor.give(msg.text)
	}
}

// defaultEditors are tried where the environment names none.
var defaultEditors = map[string]string{"windows": "notepad"}

// editorCommand is the program that edits a text, with its arguments: $VISUAL, else
// $EDITOR, else vi. Quotes and variables in it mean what they mean to a shell.
func editorCommand(env []string) ([]string, error) {
	values := expand.ListEnviron(env...)
	for _, name := range []string{"VISUAL", "EDITOR"} {
		text := values.Get(name).String()
		if blank.Is(text) {
			continue
		}
		argv, err := words(text, values)
		if err != nil || len(argv) == 0 {
			return nil, fmt.Errorf("$%s is no command: %s", name, render.Line(text))
		}
		return argv, nil
	}
	usual := cmp.Or(defaultEditors[runtime.GOOS], "vi")
	if _, err := exec.LookPath(usual); err != nil {
		return nil, errors.New("no editor is known; set VISUAL or EDITOR, such as EDITOR=nano, and start the chat again")
	}
	return []string{usual}, nil
}

// words takes a command line apart. On Windows a backslash is a part of a path.
func words(text string, env expand.Environ) ([]string, error) {
	if runtime.GOOS == "windows" {
		if _, err := os.Stat(text); err == nil {
			return []string{text}, nil
		}
		return strings.Fields(text), nil
	}
	var parsed []*syntax.Word
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, w)
	}
	return expand.Fields(&expand.Config{Env: env}, parsed...)
}

// composing is a run of the person's editor. It implements [tea.ExecCommand].
type composing struct {
	ctx  context.Context
	argv []string
	env  []string
	lend func() (back func())
	// text is the draft, and after Run what the editor left of it.
	text string

	in       io.Reader
	out, err io.Writer
}

func (c *composing) SetStdin(r io.Reader)  { c.in = r }
func (c *composing) SetStdout(w io.Writer) { c.out = w }
func (c *composing) SetStderr(w io.Writer) { c.err = w }

// asBefore looks at how a terminal is set, and returns what sets it so again: an editor that
// fails may leave it raw, and the chat would leave it to the shell as it found it.
func asBefore(input io.Reader) (again func()) {
	f, ok := input.(interface{ Fd() uintptr })
	if !ok {
		return func() {}
	}
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {} // no terminal
	}
	return func() { _ = term.Restore(int(f.Fd()), state) } // one that is gone shows nothing
}

// Run writes the text to a temporary file, runs the editor on it, and reads it again.
func (c *composing) Run() (err error) {
	temp, err := durable.TempDir(os.TempDir(), "belay-message-")
	if err != nil {
		return fmt.Errorf("the editor cannot be given a file: %w", err)
	}
	done := temp.Close
	defer func() { err = errors.Join(err, done()) }()
	path := filepath.Join(temp.Path, "message.md")
	if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
		return fmt.Errorf("the editor cannot be given a file: %w", err)
	}
	if c.lend != nil {
		defer c.lend()()
	}
	defer asBefore(c.in)()
	cmd := exec.CommandContext(c.ctx, c.argv[0], append(c.argv[1:len(c.argv):len(c.argv)], path)...) //nolint:gosec // the person's own editor
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, c.in, c.out, c.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s failed: %w", render.Line(filepath.Base(c.argv[0])), err)
	}
	data, _, err := durable.ReadFile(nil, path, maxPasted)
	if errors.Is(err, durable.ErrTooLarge) {
		done = temp.Keep // nothing that was written is lost
		return fmt.Errorf("the text is longer than %s; it is in %s, which you can send with /attach", quantity.Size(maxPasted), path)
	}
	if err != nil {
		return fmt.Errorf("the text of the editor cannot be read: %w", err)
	}
	// Editors add a line end.
	c.text = strings.TrimRight(render.Tidy(strings.ReplaceAll(string(data), "\r\n", "\n")), "\n")
	return nil
}
