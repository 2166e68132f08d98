package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/processgroup"
	"belay/internal/tool"
)

// program is a server that is a command of the person's.
type program struct {
	cmd    *exec.Cmd
	stderr *lastLines
}

// start makes the command ready. The transport starts it, asks it to end by closing its
// input, and waits.
func (v *server) start() (link, error) {
	name := v.Command[0]
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		name = filepath.Join(v.dir, name) // where it runs
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("there is no program %s; install it, or correct mcp.servers.%s", tool.Printable(name), v.Name)
	}
	p := &program{cmd: exec.CommandContext(context.WithoutCancel(v.life), path, v.Command[1:]...), stderr: &lastLines{redact: v.redact, logger: v.logger}}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = v.dir, v.Env, p.stderr
	p.cmd.WaitDelay = endTime // for what it started and what holds its pipes
	processgroup.Set(p.cmd)
	return p, nil
}

func (p *program) transport() sdk.Transport {
	return heeding{&sdk.CommandTransport{Command: p.cmd, TerminateDuration: endTime}, p.close}
}

// explain adds what the program wrote last.
func (p *program) explain(err error) trouble {
	var known trouble
	if errors.As(err, &known) {
		return known
	}
	reason := err.Error()
	if before, rest, ok := strings.Cut(reason, `": `); ok && strings.HasPrefix(before, `calling "`) {
		reason = rest // the name of a message is nobody's news
	}
	switch _, refused := refusal(err); {
	case refused:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		reason = "it ended, or closed its stdout"
	case strings.Contains(reason, "maximum line length"): // the library has no types for these
		reason = tooLarge
	case strings.Contains(reason, "unmarshal"), strings.Contains(reason, "invalid character"):
		reason = "what it wrote to stdout is no message of MCP"
	}
	if said := p.stderr.String(); said != "" {
		reason += "; it wrote: " + said
	}
	return trouble{reason: reason}
}

// useless implements [link]. A program ends by itself.
func (p *program) useless() <-chan struct{} { return nil }

func (p *program) close() {
	_ = processgroup.Kill(p.cmd) // none left is the usual answer
	p.stderr.end()
}

// lastLines keeps the end of what a program writes on stderr, and logs all of it, line by line.
type lastLines struct {
	redact func(string) string
	logger *slog.Logger
	mu     sync.Mutex
	kept   []byte
	// line is the line that is not complete yet: a key may be in two writes.
	line []byte
	// begun says that the beginning of the line is in the log.
	begun bool
}

// maxKept is how much of the end is kept, maxTold how much of that is shown, in bytes: a key
// that the first cut halves is not in the second.
const (
	maxKept = 16 << 10
	maxTold = 1000
)

// Write implements [io.Writer].
func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; ; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		l.line = append(l.line, line[:min(len(line), maxKept-len(l.line))]...)
		if !whole {
			break
		}
		l.log()
		rest = after
	}
	l.kept = append(l.kept, p...)
	l.kept = l.kept[max(0, len(l.kept)-maxKept):]
	return len(p), nil
}

// log logs the line that is complete now, but no rest of one: a key that is in both parts would
// be known in neither. l.mu is held.
func (l *lastLines) log() {
	if l.begun {
		l.line, l.begun = l.line[:0], false
		return
	}
	l.logger.Debug("an MCP server says", "line", tool.Clip(l.redact(strings.TrimSuffix(string(l.line), "\r")), maxTold))
	l.line = l.line[:0]
}

// end logs a last line that has no end.
func (l *lastLines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 && !l.begun {
		l.log()
		l.begun = true // a program that was killed may have written more
	}
}

// String is the kept text on one line.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.redact(strings.Join(strings.Fields(strings.ToValidUTF8(string(l.kept), "")), " "))
	return strings.ToValidUTF8(text[max(0, len(text)-maxTold):], "")
}
