package mcp

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// heeding is a transport to a program that must read what belay answers: the library keeps
// each answer, however many requests the program sends.
type heeding struct{ sdk.Transport }

// Connect implements [sdk.Transport].
func (h heeding) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := h.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &heedingConnection{Connection: c}, nil
}

type heedingConnection struct {
	sdk.Connection

	// unread is how many requests of the program have an answer that it has not read.
	unread atomic.Int64
}

// Read implements [sdk.Connection]. The connection ends where too many answers wait.
func (c *heedingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.IsCall() && c.unread.Add(1) > maxWaiting {
		return nil, trouble{fmt.Sprintf("it asks again and again, and does not read the answers: %d wait for it", maxWaiting), "try again later, or look at its log"}
	}
	return m, err
}

// Write implements [sdk.Connection].
func (c *heedingConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.unread.Add(-1)
	}
	return err
}
