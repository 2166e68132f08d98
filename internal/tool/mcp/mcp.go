// Package mcp offers the tools of MCP servers (Model Context Protocol) to turns.
//
// A server is a program that the person configured, or an address. A program runs as the
// person, outside the sandbox, so nothing of a project may name one. Each has a connection
// that all turns of this process share ([Servers.With] begins it, in the background). What
// a server says is hostile input: names, descriptions, schemas, results and the size of a
// message have limits.
//
// A call of such a tool cannot be reviewed after it ran, nor be taken back. Its effect is
// external ([permit.External]), and a person or a rule decides about it before.
//
// Contract: design of the next version, section 5.
package mcp

import (
	"context"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/permit"
	"belay/internal/tool"
)

// Server is one server, as a person configured it. It has a Command or a URL.
type Server struct {
	// Name is a part of its tools' names: mcp.NAME.tool.
	Name string
	// Command is the program and its arguments, Env all of its environment.
	Command, Env []string
	// URL is where a remote server listens, Token its bearer token, "" for none.
	URL, Token string
	// TokenEnv names the variable that Token comes from, for messages.
	TokenEnv string
	// Tools are patterns of the names that are offered ([path.Match]); none stand for all.
	Tools []string
	// Timeout is how long a call may take, [DefaultTimeout] for 0.
	Timeout time.Duration
}

// DefaultTimeout is how long a call may take where nobody says it.
const DefaultTimeout = time.Minute

// Limits of a server.
const (
	// StartTime is how long a server may take until its tools are known: programs that a
	// package manager fetches first take seconds.
	StartTime = time.Minute
	// startPatience is how long turns wait for a server that starts.
	startPatience = 10 * time.Second
	// listTime bounds a second listing, after a server said that its tools changed.
	listTime = 5 * time.Second
	// restartPause is how long a server that failed is left alone.
	restartPause = 30 * time.Second
	// endTime is how long a server that is to end may take until it is killed.
	endTime = 2 * time.Second
	// maxMessage is the longest message of a server, in bytes.
	maxMessage = 16 << 20
	// maxTools is how many tools of one server are offered, maxToolBytes what all their
	// names, descriptions and schemas may have: every request carries them.
	maxTools     = 128
	maxToolBytes = 256 << 10
)

// Options configure [New].
type Options struct {
	Servers []Server
	// Dir is where programs run: a folder that no agent can leave anything in.
	Dir string
	// Version is the version of belay that servers hear.
	Version string
	// Redact takes the person's keys out of what servers say; nil leaves them.
	Redact func(string) string
	// Logger gets what servers write on stderr, at level debug.
	Logger *slog.Logger
	Clock  func() time.Time
}

// Servers are the configured servers. They are safe for concurrent use, and own the
// processes, connections and goroutines of all of them until [Servers.Close].
type Servers struct {
	all  []*server
	stop context.CancelFunc
	work sync.WaitGroup

	mu sync.Mutex
	// set is base with the tools of these lists.
	base, set *tool.Set
	lists     []*list
}

// New returns the servers, in the order of the options. Nothing is started yet.
func New(o Options) *Servers {
	ctx, stop := context.WithCancel(context.Background())
	s := &Servers{stop: stop}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	for _, c := range o.Servers {
		if c.Timeout <= 0 {
			c.Timeout = DefaultTimeout
		}
		s.all = append(s.all, &server{
			Server: c, dir: o.Dir, life: ctx, work: &s.work, clock: o.Clock, redact: o.Redact, logger: o.Logger.With("mcp", c.Name),
			info: &sdk.Implementation{Name: "belay", Version: o.Version},
		})
	}
	return s
}

// Names are patterns of the names of all tools that there may be: mcp.NAME.* for each
// server.
func (s *Servers) Names() (names []string) {
	for _, v := range s.all {
		names = append(names, permit.MCPPrefix+v.Name+".*")
	}
	return names
}

// Start begins to connect to all servers and does not wait for them. Nil servers are none.
func (s *Servers) Start() {
	if s == nil {
		return
	}
	for _, v := range s.all {
		v.begin()
	}
}

// With returns a set with the tools of servers after its own: of those that requested names,
// or of all where it is nil. Servers that have not begun are started, and With waits until
// they are ready, for ten seconds after each start at most. Problems are sentences about
// tools that are missing.
func (s *Servers) With(ctx context.Context, base *tool.Set, requested []string) (set *tool.Set, problems []string) {
	var wanted []*server
	for _, v := range s.all {
		if v.wanted(requested) {
			wanted = append(wanted, v)
			v.begin()
		}
	}
	if len(wanted) == 0 {
		return base, nil
	}
	found := make([]*list, len(wanted))
	failed := make([]error, len(wanted))
	var asked sync.WaitGroup
	for i, v := range wanted {
		asked.Go(func() { found[i], failed[i] = v.tools(ctx) })
	}
	asked.Wait()
	var lists []*list
	for i, v := range wanted {
		if failed[i] != nil {
			problems = append(problems, "the tools of the MCP server "+v.Name+" are missing: "+failed[i].Error())
			continue
		}
		problems = append(problems, found[i].problems...)
		lists = append(lists, found[i])
	}
	set, err := s.combine(base, lists)
	if err != nil { // names are made so that this cannot be
		return base, append(problems, "the tools of the MCP servers are missing: "+err.Error())
	}
	return set, problems
}

// Await waits until the server of a tool has started, or failed: a person who was asked about a
// call waits longer than other turns. The name of another tool is waited for at no time.
func (s *Servers) Await(ctx context.Context, name string) {
	for _, v := range s.all {
		if !v.wanted([]string{name}) {
			continue
		}
		select {
		case <-v.begin().ready:
		case <-ctx.Done():
		}
	}
}

// wanted reports whether a list of names, as a person wrote them, may mean tools of the server.
func (v *server) wanted(requested []string) bool {
	if requested == nil {
		return true
	}
	prefix := permit.MCPPrefix + v.Name + "."
	return slices.ContainsFunc(requested, func(name string) bool {
		return tool.Names(name, prefix+"*") || tool.Names(prefix+"*", strings.TrimSpace(name))
	})
}

// combine makes the set anew where something changed since the last turn: the model's
// cache holds as long as its tools stay the same.
func (s *Servers) combine(base *tool.Set, lists []*list) (*tool.Set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set != nil && s.base == base && slices.Equal(s.lists, lists) {
		return s.set, nil
	}
	var tools []tool.Tool
	for _, l := range lists {
		for _, t := range l.tools {
			tools = append(tools, t)
		}
	}
	set, err := base.With(tools...)
	if err == nil {
		s.base, s.set, s.lists = base, set, lists
	}
	return set, err
}

// Close ends all servers and waits for them.
func (s *Servers) Close() {
	s.stop()
	s.work.Wait()
}

// offered reports whether a person wants this tool of the server.
func (v *Server) offered(name string) bool {
	if len(v.Tools) == 0 {
		return true
	}
	for _, pattern := range v.Tools {
		if ok, _ := path.Match(pattern, name); ok { // the configuration checked the pattern
			return true
		}
	}
	return false
}
