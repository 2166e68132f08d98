package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/lazyregexp"
	"belay/internal/permit"
	"belay/internal/schema"
	"belay/internal/tool"
)

// Limits of one tool.
const (
	maxDescription = 4000
	maxSchema      = 64 << 10
	maxListed      = 1000 // tools that are looked at
)

// list is what a server offers at one time.
type list struct {
	tools []*remoteTool
	// problems are sentences about tools that are left out.
	problems []string
}

// read asks the server for its tools. It runs outside of any turn, so a panic over what the
// server says is an error here.
func (c *connection) read(ctx context.Context) (_ *list, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = plainError(fmt.Sprintf("its list of tools cannot be read: %v", v))
		}
	}()
	g := gathering{server: c.server, names: map[string]bool{}}
	listed := 0
	for t, err := range c.session.Tools(ctx, &sdk.ListToolsParams{}) {
		switch {
		case ctx.Err() != nil && c.server.life.Err() == nil:
			return nil, plainError("it does not list its tools in time")
		case err != nil:
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		if listed++; listed > maxListed {
			g.problem("it lists more than %d tools; the others are not looked at", maxListed)
			break
		}
		if c.server.offered(t.Name) {
			g.add(t)
		}
	}
	return g.result(), nil
}

// gathering makes a list of what a server says, which may be anything.
type gathering struct {
	server *server
	list   list
	// names are those of the tools so far, in small letters: rules know no others.
	names map[string]bool
	bytes int
	// more is how many tools there is no room for, silent how many problems are not named.
	more, silent int
}

// maxProblems is how many problems of one list are named.
const maxProblems = 5

func (g *gathering) problem(format string, args ...any) {
	if len(g.list.problems) == maxProblems {
		g.silent++
		return
	}
	g.list.problems = append(g.list.problems, "of the MCP server "+g.server.Name+": "+fmt.Sprintf(format, args...))
}

func (g *gathering) add(t *sdk.Tool) {
	if len(g.list.tools) == maxTools {
		g.more++
		return
	}
	found, err := g.server.specOf(t)
	if err != nil {
		g.problem("the tool %s is left out: %v", tool.Printable(tool.Clip(g.server.redact(t.Name), 100)), err)
		return
	}
	name := strings.ToLower(found.spec.Name)
	size := len(found.spec.Name) + len(found.spec.Description) + len(found.spec.Schema)
	switch {
	case g.names[name]:
		g.problem("there are two tools of the name %s; the second is left out", found.spec.Name)
	case g.bytes+size > maxToolBytes:
		g.more++
	default:
		g.names[name] = true
		g.bytes += size
		g.list.tools = append(g.list.tools, found)
	}
}

func (g *gathering) result() *list {
	if g.silent > 0 {
		g.list.problems = append(g.list.problems, fmt.Sprintf("of the MCP server %s: %d more problems", g.server.Name, g.silent))
	}
	if g.more > 0 {
		g.list.problems = append(g.list.problems, fmt.Sprintf("of the MCP server %s: %d more tools; %d tools with %d KiB of descriptions and schemas are the most, and mcp.servers.%s.tools names those that you want",
			g.server.Name, g.more, maxTools, maxToolBytes>>10, g.server.Name))
	}
	return &g.list
}

// specOf describes a tool to the model.
func (v *server) specOf(t *sdk.Tool) (*remoteTool, error) {
	if !named.MatchString(t.Name) {
		return nil, errors.New("that is no name")
	}
	raw, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, err
	}
	raw, keys, err := acceptable(raw)
	if err != nil {
		return nil, err
	}
	if raw = []byte(v.redact(string(raw))); !json.Valid(raw) {
		return nil, errors.New("its schema holds a key of yours")
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("its schema has more than %d bytes", maxSchema)
	}
	_, notUnderstood := schema.Compile(json.RawMessage(raw))
	spec := tool.Spec{
		Name: canonical(v.Name, v.redact(t.Name)), Description: tool.Clip(v.redact(strings.ToValidUTF8(t.Description, "")), maxDescription),
		Schema: raw, Unchecked: notUnderstood != nil || len(keys) > 0, // a workflow may use the own names
	}
	return &remoteTool{server: v, name: t.Name, spec: spec, keys: keys, hints: t.Annotations}, nil
}

// named is what a name has at least.
var named = lazyregexp.New(`[A-Za-z0-9]`)

// unnamed are the characters that no canonical name has.
var unnamed = lazyregexp.New(`[^A-Za-z0-9_.-]`)

// maxName is the longest canonical name.
const maxName = 64

// canonical is a tool's name here: mcp.server.tool. One that does not fit gets a hash of
// what it was, so that no two become one.
func canonical(server, name string) string {
	full := permit.MCPPrefix + server + "." + unnamed.ReplaceAllString(name, "_")
	if full == permit.MCPPrefix+server+"."+name && len(full) <= maxName {
		return full
	}
	sum := sha256.Sum256([]byte(name))
	mark := "_" + hex.EncodeToString(sum[:4])
	return full[:min(len(full), maxName-len(mark))] + mark
}
