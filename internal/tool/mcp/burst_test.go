package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// bursting is a server that asks a thousand times at once before it answers a call, and reads
// all the while.
func bursting() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	var call json.RawMessage
	answers := 0
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			os.Exit(1)
		}
		switch m.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{"tools":{}},"serverInfo":{"name":"bursting"},"protocolVersion":"%s"}}`+"\n", m.ID, m.Params.ProtocolVersion)
		case "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}`+"\n", m.ID)
		case "tools/call":
			call = m.ID
			var all strings.Builder
			for i := range 1000 {
				fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", 1000+i)
			}
			go os.Stdout.WriteString(all.String())
		case "":
			if answers++; answers == 1000 {
				answers = 0
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"all answered"}]}}`+"\n", call)
			}
		default:
			if len(m.ID) > 0 {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`+"\n", m.ID)
			}
		}
	}
	if lines.Err() != nil {
		os.Exit(1)
	}
}

// A program that asks much at once, and reads the answers, is served.
func TestProgramThatAsksMuchAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := open(t, self(t, "bursting", "bursting"))
	set, problems := ready(t, s)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for range 3 {
		if r, err := run(t, set, "mcp.bursting.ask", `{}`); err != nil || r.Text != "all answered" {
			t.Fatalf("%q, %v", r.Text, err)
		}
	}
}
