package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// byHand is a server that the SDK would not make.
func byHand(deaf bool) {
	for d := json.NewDecoder(io.LimitReader(os.Stdin, 4096)); ; {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if d.Decode(&m) != nil {
			os.Exit(1)
		}
		answer := `"error":{"code":-32601,"message":"unknown"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"capabilities":{"tools":{}},"serverInfo":{"name":"odd"},"protocolVersion":"` + m.Params.ProtocolVersion + `"}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			answer = `"result":{"content":[null]}`
		}
		if len(m.ID) > 0 {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
		}
		if deaf && m.Method == "tools/list" {
			time.Sleep(time.Hour)
		}
	}
}

// A server that does not read holds nobody: neither the call, nor a turn that was
// interrupted, nor belay when it ends.
func TestDeafServer(t *testing.T) {
	t.Parallel()
	input := json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`)
	for name, c := range map[string]struct {
		timeout, interrupt time.Duration
		want               string
	}{
		"its time is over":    {50 * time.Millisecond, time.Hour, "did not answer within 50 ms (nobody knows whether it was done"},
		"a person interrupts": {time.Hour, 50 * time.Millisecond, context.DeadlineExceeded.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := self(t, "deaf", "deaf")
			server.Timeout = c.timeout
			s, _ := open(t, server)
			set, problems := ready(t, s)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			call, err := set.Prepare(t.Context(), environment(t), "mcp.deaf.echo", input)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), c.interrupt)
			defer cancel()
			if _, err = call.Run(ctx); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			s.Close()
		})
	}
}

// An answer that nobody can read leaves the connection, and is not called a broken one.
func TestAnswerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "odd", "odd"))
	set, _ := ready(t, s)
	for range 2 {
		_, err := run(t, set, "mcp.odd.echo", `{}`)
		if err == nil || !strings.Contains(err.Error(), "the MCP server odd gave no answer that can be read: ") || strings.Contains(err.Error(), "tools/call") || !strings.Contains(err.Error(), "nobody knows whether it was done") {
			t.Errorf("%v", err)
		}
	}
}
