package mcp

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os/exec"
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
	path, err := exec.LookPath(v.Command[0])
	if err != nil {
		return nil, fmt.Errorf("there is no program %s; install it, or correct mcp.servers.%s", tool.Printable(v.Command[0]), v.Name)
	}
	p := &program{cmd: exec.CommandContext(context.WithoutCancel(v.life), path, v.Command[1:]...), stderr: &lastLines{redact: v.redact, logger: v.logger}}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = v.dir, v.Env, p.stderr
	p.cmd.WaitDelay = endTime // for what it started and what holds its pipes
	processgroup.Set(p.cmd)
	return p, nil
}

func (p *program) transport() sdk.Transport {
	return &sdk.CommandTransport{Command: p.cmd, TerminateDuration: endTime}
}

// explain adds what the program wrote last.
func (p *program) explain(err error) trouble {
	if said := p.stderr.String(); said != "" {
		return trouble{reason: fmt.Sprintf("%v; it wrote: %s", err, said)}
	}
	return trouble{reason: err.Error()}
}

// useless implements [link]. A program ends by itself.
func (p *program) useless() <-chan struct{} { return nil }

func (p *program) close() {
	_ = processgroup.Kill(p.cmd) // none left is the usual answer
}

// lastLines keeps the end of what a program writes on stderr, and logs all of it.
type lastLines struct {
	redact func(string) string
	logger *slog.Logger
	mu     sync.Mutex
	kept   []byte
}

// maxKept is how much of the end is kept, maxTold how much of that is shown, in bytes: a key
// that the first cut halves is not in the second.
const (
	maxKept = 16 << 10
	maxTold = 1000
)

// Write implements [io.Writer].
func (l *lastLines) Write(p []byte) (int, error) {
	for s := bufio.NewScanner(strings.NewReader(string(p))); s.Scan(); {
		l.logger.Debug("an MCP server says", "line", tool.Clip(l.redact(s.Text()), maxTold))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	l.kept = l.kept[max(0, len(l.kept)-maxKept):]
	return len(p), nil
}

// String is the kept text on one line.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.redact(strings.Join(strings.Fields(strings.ToValidUTF8(string(l.kept), "")), " "))
	return strings.ToValidUTF8(text[max(0, len(text)-maxTold):], "")
}
