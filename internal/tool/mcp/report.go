package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"belay/internal/tool"
)

// Report is what a server offers now, or why it offers nothing.
type Report struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	// Server is the name and version that the server gives itself, Protocol the version
	// of MCP that is spoken.
	Server   string `json:"server,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Took is how long it took until the tools were known, in milliseconds.
	Took int64 `json:"tookMs,omitempty"`
	// Tools are those that turns are offered, Problems sentences about others.
	Tools    []Offered `json:"tools"`
	Problems []string  `json:"problems,omitempty"`
	// Error is why there is no connection.
	Error string `json:"error,omitempty"`
}

// Offered is one tool.
type Offered struct {
	// Name is the one that rules and lists of tools have, Own the server's.
	Name        string `json:"name"`
	Own         string `json:"own"`
	Description string `json:"description"`
	// ReadOnly is set where the server says that the tool changes nothing. Nobody checks it.
	ReadOnly bool `json:"readOnly,omitempty"`
}

// Servers are the names of the servers, sorted. Nil servers have none.
func (s *Servers) Servers() (names []string) {
	if s == nil {
		return nil
	}
	for _, v := range s.all {
		names = append(names, v.Name)
	}
	return names
}

// Report connects to the servers of these names at once, and waits until each has answered or
// failed. Nil servers have no report.
func (s *Servers) Report(ctx context.Context, names ...string) []Report {
	if s == nil {
		return nil
	}
	servers := slices.DeleteFunc(slices.Clone(s.all), func(v *server) bool { return !slices.Contains(names, v.Name) })
	all := make([]Report, len(servers))
	var wait sync.WaitGroup
	for i, v := range servers {
		wait.Go(func() { all[i] = v.report(ctx) })
	}
	wait.Wait()
	return all
}

func (v *server) report(ctx context.Context) Report {
	address, _, _ := strings.Cut(v.URL, "?") // some have a key behind it
	r := Report{Name: v.Name, Command: v.Command, URL: address, Tools: []Offered{}}
	ctx, cancel := context.WithTimeout(ctx, StartTime+listTime) // the attempt itself says that it took too long
	defer cancel()
	began := v.clock()
	select { // a person who asks waits longer than a turn
	case <-v.begin().ready:
	case <-ctx.Done():
	}
	l, err := v.tools(ctx)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Took, r.Problems = v.clock().Sub(began).Round(time.Millisecond).Milliseconds(), l.problems
	if conn, err := v.connected(ctx); err == nil {
		if hello := conn.session.InitializeResult(); hello != nil {
			r.Protocol = tool.Clip(hello.ProtocolVersion, 100)
			if hello.ServerInfo != nil {
				r.Server = tool.Clip(v.redact(hello.ServerInfo.Name+" "+hello.ServerInfo.Version), 100)
			}
		}
	}
	for _, t := range l.tools {
		r.Tools = append(r.Tools, t.offered())
	}
	return r
}

func (t *remoteTool) offered() Offered {
	return Offered{Name: t.spec.Name, Own: t.server.redact(t.name), Description: t.spec.Description, ReadOnly: t.hints != nil && t.hints.ReadOnlyHint}
}
