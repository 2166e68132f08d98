package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// readTime is how long a program may leave its answers unread while [maxWaiting] wait for it.
const readTime = 5 * time.Second

// heeding is a transport to a program that must read what belay answers: the library keeps
// each answer, however many requests the program sends.
type heeding struct {
	sdk.Transport

	// end ends a program that reads no answers. The session alone would wait for them.
	end func()
}

// Connect implements [sdk.Transport].
func (h heeding) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := h.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &heedingConnection{c, h.end, make(chan struct{}, maxWaiting)}, nil
}

type heedingConnection struct {
	sdk.Connection

	end func()
	// unread has a place for each request of the program whose answer is not written yet.
	unread chan struct{}
}

// Read implements [sdk.Connection]. It waits while too many answers wait for the program, and
// ends one that takes none of them.
func (c *heedingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); !ok || err != nil || !r.IsCall() {
		return m, err
	}
	late := time.NewTimer(readTime)
	defer late.Stop()
	select {
	case c.unread <- struct{}{}:
		return m, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-late.C:
	}
	c.end()
	return nil, trouble{fmt.Sprintf("it asks again and again, and does not read the answers: %d wait for it", maxWaiting), "try again later, or look at its log"}
}

// Write implements [sdk.Connection].
func (c *heedingConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		select {
		case <-c.unread:
		default: // an answer to no request
		}
	}
	return err
}
