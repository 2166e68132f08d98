//go:build unix

package test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/bus"
	"belay/internal/bus/contract"
)

// busTalk are turns for requests from the bus.
const busTalk = `turns:
  - when: slow
    steps: [{say: "Thinking. "}, {wait: 10m}]
  - when: quick
    steps: [{say: Quick.}]
`

// attach connects to the bus of the place's server, as another program.
func (p *place) attach() *bus.Client {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	b, err := bus.Open(ctx, bus.Options{Dir: filepath.Join(p.state(), "bus"), Attach: true})
	must(p.t, err)
	p.t.Cleanup(func() { must(p.t, b.Close(context.Background())) })
	return bus.NewClient(b, "test")
}

// answered asks for work on the bus, until the request is stored, and waits for the end
// of its output.
func (p *place) answered(c *bus.Client, session, request, text string) *contract.ResponseText {
	p.t.Helper()
	p.submit(c, session, request, text)
	return p.outcome(c, session, request)
}

// submit asks for work on the bus, until the request is stored.
func (p *place) submit(c *bus.Client, session, request, text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for c.Request(ctx, session, request, &contract.RequestMessage{Queue: contract.QueuePrompt, Text: text}) != nil && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
	}
}

func (p *place) outcome(c *bus.Client, session, request string) *contract.ResponseText {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for m, err := range c.Output(ctx, session, request, 0) {
		must(p.t, err)
		if end, ok := m.Payload.(*contract.ResponseText); ok {
			return end
		}
	}
	p.t.Fatalf("%s has no end", request)
	return nil
}

// watches checks that belay bus tail shows a message, of before it began, with a text.
func (p *place) watches(name, text string) {
	p.t.Helper()
	for _, format := range [][]string{nil, {"--json"}} {
		cmd := p.command(append([]string{"bus", "tail", "--since", "1h"}, format...)...)
		out := &lockedBuffer{}
		cmd.Stdout = out
		must(p.t, cmd.Start())
		for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			i := strings.Index(out.String(), name)
			if i >= 0 && strings.Contains(out.String()[i:], text) {
				break
			}
			if time.Now().After(end) {
				p.t.Errorf("belay bus tail %v shows no %s:\n%s", format, name, out)
				break
			}
		}
		must(p.t, cmd.Process.Signal(os.Interrupt))
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("belay bus tail %v ended with %v", format, err)
		}
	}
}

// A server takes requests from the bus. It is killed while one runs and another waits;
// the next server ends both. Then somebody removes the state folder, and requests are
// still answered.
func TestServerTakesRequestsFromTheBus(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_BUS_ENABLED=on").race()
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(busTalk), 0o600))
	p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+script)
	s := p.serve()
	c := p.attach()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	session, err := c.CreateSession(ctx, "", &contract.SessionCreate{ProjectRoot: p.project})
	must(t, err)
	id := session.SessionID
	if end := p.answered(c, id, "r1", "quick"); end.State != contract.StateResolved || end.FinalText != "Quick." {
		t.Errorf("the first request: %+v", end)
	}
	p.watches("evt.agent.output.response.text", "Quick.")
	for _, r := range []struct{ id, text string }{{"r2", "slow"}, {"r3", "quick"}} {
		p.submit(c, id, r.id, r.text)
		for m, err := range c.Output(ctx, id, "r2", 0) { // it runs before the other one comes
			must(t, err)
			if contract.TypeOf(m.Payload) == contract.TypeTextDelta {
				break
			}
		}
	}
	must(t, s.cmd.Process.Kill())
	_ = s.cmd.Wait() // it was killed

	p.serve()
	c = p.attach()
	if end := p.outcome(c, id, "r2"); end.State != contract.StateFailed || end.FinalText != "Thinking. " {
		t.Errorf("the request whose server was killed: %+v", end)
	}
	if end := p.outcome(c, id, "r3"); end.State != contract.StateResolved {
		t.Errorf("the request in line: %+v", end)
	}

	remove(t, p.state())
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(p.state(), "bus", "socket")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the bus is not there again")
		}
	}
	c = p.attach()
	if end := p.answered(c, id, "r4", "quick"); end.State != contract.StateResolved {
		t.Errorf("after the state folder was removed: %+v", end)
	}
}
