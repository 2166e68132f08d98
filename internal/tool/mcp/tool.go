package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/tool"
)

// remoteTool is one tool of a server.
type remoteTool struct {
	server *server
	// name is the server's own.
	name string
	spec tool.Spec
	// keys are the parameters whose names were changed for models, with the server's own.
	keys  map[string]string
	hints *sdk.ToolAnnotations
}

var _ tool.Tool = (*remoteTool)(nil)

// Spec implements [tool.Tool].
func (t *remoteTool) Spec() tool.Spec { return t.spec }

// Prepare implements [tool.Tool].
func (t *remoteTool) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	return &call{t, w, asServed(input, t.keys)}, nil
}

// call is one call of a tool.
type call struct {
	tool  *remoteTool
	w     *tool.Environment
	input json.RawMessage
}

// Effect implements [tool.Call]: people see all of the input.
func (c *call) Effect() permit.Effect {
	var shown bytes.Buffer
	if nesting(c.input) > maxIndented || json.Indent(&shown, c.input, "", "  ") != nil {
		shown.Reset()
		shown.Write(c.input)
	}
	return permit.Effect{
		Tool: c.tool.spec.Name, Kind: permit.External, Command: shown.String(),
		Summary: tool.Clip(fmt.Sprintf("%s %s", c.tool.spec.Name, c.input), 200),
	}
}

// maxIndented is how deep an input may be nested that is shown indented: each level is one more
// step for all lines in it, and a few kilobytes of brackets would become gigabytes.
const maxIndented = 50

// nesting is how deep a JSON text is nested.
func nesting(text []byte) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
			most = max(most, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	return most
}

// Run implements [tool.Call]. A call that was sent is never repeated: nobody knows what it
// has done.
func (c *call) Run(ctx context.Context) (tool.Result, error) {
	name, limit := c.tool.server.Name, c.tool.server.Timeout
	conn, err := c.tool.server.connected(ctx)
	if err != nil {
		return tool.Result{}, c.stopped(ctx, tool.Refuse("the MCP server %s cannot be reached: %v", name, err).
			WithHint("nothing was done; go on without it, and tell the person"))
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	sent := conn.endUnlessSent(timed)
	res, err := conn.session.CallTool(timed, &sdk.CallToolParams{Name: c.tool.name, Arguments: c.input})
	sent()
	switch {
	case err == nil && (res.NeedsInput() || res.InputRequests != nil):
		return tool.Result{}, tool.Refuse("the MCP server %s asks something back before it makes the call, and belay answers no questions of servers", name).
			WithHint("go on without it, and tell the person")
	case err == nil:
		return c.result(ctx, res)
	}
	const unknown = "nobody knows whether it was done; look before you call it again"
	switch refused, isRefused := refusal(err); {
	case errors.Is(timed.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		err = tool.Refuse("the MCP server %s did not answer within %s", name, quantity.Duration(limit)).WithHint(unknown)
	case isRefused:
		err = tool.Refuse("the MCP server %s refuses the call: %s", name, tool.Clip(c.tool.server.redact(refused), 2000))
	case c.tool.server.URL != "" || conn.over(ctx):
		err = tool.Refuse("the connection to the MCP server %s broke during the call: %s", name, c.why(conn, err)).WithHint(unknown)
	default:
		err = tool.Refuse("the MCP server %s gave no answer that can be read: %s", name, c.why(conn, err)).WithHint(unknown)
	}
	return tool.Result{}, c.stopped(ctx, err)
}

// why says in words what was wrong with the answer.
func (c *call) why(conn *connection, err error) string {
	return tool.Clip(c.tool.server.redact(conn.link.explain(err).reason), 2000)
}

// stopped is err, or why the turn ended.
func (c *call) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// codeRejected is the code of the transport's own error for a request that failed.
const codeRejected = -32005

// refusal is what a server itself says against a request. False is any other error.
func refusal(err error) (message string, ok bool) {
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code != codeRejected && !errors.Is(err, sdk.ErrConnectionClosed) {
		return refused.Message, true
	}
	return "", false
}
