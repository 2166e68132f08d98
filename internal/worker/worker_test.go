package worker

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"belay/internal/bus/contract"
	"belay/internal/turn"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("BELAY_TEST_WORKER_DIR"); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The client of NATS may leave a goroutine behind when it has stored an object (package bus).
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

const hello = `
turns:
  - when: hello
    steps: [{say: "Good morning."}]
`

func TestRequestRunsAsATurn(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), hello)
	s := r.session()
	r.ask(s, "discord:1:2", contract.QueuePrompt, "hello")
	var text strings.Builder
	all := r.output(s, "discord:1:2")
	for _, p := range all {
		if d, ok := p.(*contract.TextDelta); ok {
			text.WriteString(d.Delta)
		}
	}
	want := &contract.ResponseText{FinalText: "Good morning.", State: contract.StateResolved}
	if diff := cmp.Diff(want, all[len(all)-1]); diff != "" || text.String() != want.FinalText {
		t.Errorf("the deltas are %q (-want +got of the end):\n%s", text.String(), diff)
	}
	var states []contract.State
	for _, m := range r.signals("test", final("discord:1:2"), contract.TypeLifecycleChanged) {
		states = append(states, m.Payload.(*contract.LifecycleChanged).State)
	}
	if diff := cmp.Diff([]contract.State{contract.StateRunning, contract.StateResolved}, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// The bus carries work, not copies: of a turn that did not begin there nothing is published.
func TestOtherTurnsAreNotOnTheBus(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), hello)
	mine, other := r.session(), r.session()
	stream, err := r.engine.Start(r.ctx(), turn.Request{SessionID: other, Message: "hello"})
	must(t, err)
	for err == nil {
		_, err = stream.Next(r.ctx())
	}
	must(t, stream.Close())
	r.ask(mine, "r1", contract.QueuePrompt, "hello")
	r.output(mine, "r1")
	on, err := r.bus.Sessions(r.ctx())
	if diff := cmp.Diff([]string{mine}, on); diff != "" || err != nil {
		t.Errorf("%v, sessions on the bus (-want +got):\n%s", err, diff)
	}
}
